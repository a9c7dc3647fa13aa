from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.base import HasChoices
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.memdaily.schema import is_error, read_moment
from memgauge.datasets.places import FieldPath
from memgauge.datasets.validate import validate
from memgauge.errors import DataNotFoundError, MalformedDataError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "05_post_processing_roles.json"


def step(mid: int, text: str, day: int = 1, clock: str = "08:39") -> dict[str, Any]:
    """One message as MemDaily writes it."""
    return {"mid": mid, "message": text, "time": f"2024年04月{day:02}日 周一 {clock}", "place": "上海"}


def asked(**changes: Any) -> dict[str, Any]:
    """One question as MemDaily writes it."""
    return {
        "qid": 0,
        "question": "我的船叫什么?",
        "answer": "海燕",
        "target_step_id": [1, 0],
        "choices": {"A": "白鲸", "B": "海燕", "C": "红隼", "D": "蓝鲸"},
        "ground_truth": "B",
        "time": "2024年04月03日 周三 09:00",
        **changes,
    }


def life(tid: int, *questions: Any) -> dict[str, Any]:
    """One trajectory whose days are not in order."""
    return {
        "tid": tid,
        "message_list": [
            step(0, "我买了一条船。", 2),
            step(1, "船叫海燕。", 1, "9:05"),
            step(2, "天气很好。", 2, "07:00"),
        ],
        "question_list": list(questions or [asked()]),
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of one file, with questions that are error messages in three ways."""
    broken = asked(choices="[ERRORC] no choices"), "[ERRORQ]", asked(answer="[ERRORA]")
    lives = [
        life(7),
        *(life(8 + number, each) for number, each in enumerate(broken)),
        life(11, asked(target_step_id=[9])),
    ]
    (tmp_path / NAME).write_text(json.dumps(lives), encoding="utf-8")
    return tmp_path


def test_a_trajectory_is_a_conversation_of_one_session(folder: Path) -> None:
    """Messages keep their order and their steps as ids, with times whose weekday is cut."""
    case = next(iter(open_dataset(f"memdaily:{folder}").cases()))
    assert case.conversation.id == "05_post_processing_roles:7"
    (session,) = case.conversation.sessions
    assert [(turn.id, str(turn.at)) for turn in session.turns] == [
        ("0", "2024-04-02 08:39:00"),
        ("1", "2024-04-01 09:05:00"),
        ("2", "2024-04-02 07:00:00"),
    ]
    assert [(q.category, str(q.asked_at)) for q in case.questions] == [("post_processing", "2024-04-03 09:00:00")]


def test_days_can_be_sessions(folder: Path) -> None:
    """Days are sorted, messages of a day keep their order, and places are told where asked for."""
    dataset = open_dataset(f"memdaily:{folder},sessions=daily,places=true")
    case = next(iter(dataset.cases()))
    assert [(s.id, [t.id for t in s.turns]) for s in case.conversation.sessions] == [
        ("2024-04-01", ["1"]),
        ("2024-04-02", ["0", "2"]),
    ]
    assert next(case.conversation.turns()).text == "船叫海燕。 (上海)"
    assert not validate(dataset)


def test_options_stand_apart_from_the_question(folder: Path) -> None:
    """A memory is asked the question alone; options are of the reader, unless the reference says otherwise."""
    dataset = open_dataset(f"memdaily:{folder}")
    assert isinstance(dataset, HasChoices)
    first = next(dataset.choices())
    question = next(iter(dataset.cases())).questions[0]
    gold = next(dataset.gold())
    assert (first.question, first.options[first.right], first.text) == (question.id, "海燕", question.text)
    assert (gold.anchors(), gold.answers) == (("1", "0"), ("海燕",))
    told = open_dataset(f"memdaily:{folder},search=options")
    assert "白鲸" in next(iter(told.cases())).questions[0].text
    assert [c.question for c in dataset.choices()] == [q.id for case in dataset.cases() for q in case.questions]


def test_counts_what_is_dropped_and_odd(folder: Path) -> None:
    """Error messages are dropped and counted; steps that do not exist and lives out of order are counted."""
    described = open_dataset(f"memdaily:{folder}").describe()
    expected = {
        "trajectories": 5,
        "conversations": 2,
        "dropped_error_messages": 3,
        "evidence": 3,
        "evidence_missing": 1,
        "not_in_time_order": 2,
        "equal_choices": 0,
        "asked_before_the_last_message": 0,
    }
    assert {name: described[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2024年04月01日 周一 08:39", "2024-04-01 08:39:00"),
        ("2024年4月1日 星期日 8:39", "2024-04-01 08:39:00"),
        ("2024年04月01日 08:39", "2024-04-01 08:39:00"),
        ("'2024-04-01 08:39' Monday", "2024-04-01 08:39:00"),
        ("2024-04-01 08:39", "2024-04-01 08:39:00"),
    ],
)
def test_reads_moments_with_and_without_a_weekday(written: str, at: str) -> None:
    """Chinese and ISO dates are read, and the weekday is cut."""
    assert str(read_moment(FieldPath("f"), written)) == at


def test_an_error_message_stands_at_the_beginning() -> None:
    """A text that merely mentions an error is none."""
    assert is_error({"question": ["x", " [ERRORQ] failed"]})
    assert not is_error({"question": "What does [ERRORQ] mean?", "n": 3})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([life(1, asked(ground_truth="E"))], r"question_list\[0\]: ground_truth 'E' is none"),
        ([life(1, {"question": "?"})], r"\$\[0\].question_list\[0\].answer: Field required"),
        ([{"tid": 1}], r"\$\[0\].message_list: Field required"),
        (
            [life(1) | {"message_list": [step(0, "x") | {"time": "昨天"}]}],
            r"message_list\[0\].time: '昨天' is not a date",
        ),
    ],
)
def test_names_what_is_malformed(folder: Path, content: Any, message: str) -> None:
    """File and field are named."""
    (folder / NAME).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(MalformedDataError, match=message):
        list(open_dataset(f"memdaily:{folder}").cases())


def test_without_files_it_says_what_it_looks_for(tmp_path: Path) -> None:
    """The pattern is named."""
    with pytest.raises(DataNotFoundError, match=r"No files of memdaily"):
        open_dataset("memdaily", root=tmp_path)
