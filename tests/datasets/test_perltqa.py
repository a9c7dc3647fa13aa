from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from pathlib import Path

ANN: dict[str, Any] = {
    "profile": {"Gender": "Female", "Hobbies": "sailing", "Nickname": ""},
    "profile_description": "Ann sails.",
    "social_relationship": {
        "1_0": {
            "Supporting Characters": "Bob",
            "Description": "Bob&#39;s boat is old.",
            "Relationship": "a friend",
        }
    },
    "events": {"1_0_0": {"content": "Ann bought a boat. She is called Petrel.", "Creation Time": "in spring"}},
    "dialogues": {
        "1_0_0#2": {"events": "1_0_0", "contents": {"2022-06-15 10:00": ["Ann: She leaks.", "Nobody speaks"]}},
        "1_0_0#1": {"events": "1_0_0", "contents": {"2021-03-15 10:00": ["Bob: Nice boat!"]}},
    },
}


def asked(text: str, reference: str) -> dict[str, Any]:
    """One question as PerLTQA writes it."""
    return {
        "Question": text,
        "Answer": "Bob&#39;s",
        "Reference Memory": reference,
        "Memory Anchors": [{"x": [-1, -1]}],
    }


QUESTIONS = {
    "profile": [asked("Which gender?", "Gender")],
    "social_relationship": [{"1_0": [asked("Whose boat is old?", "['1_0']")]}],
    "events": [{"1_0_0": [asked("What did Ann buy?", "['1_0_0', '1_0_9']")]}],
    "dialogues": [{"1_0_0#1": [asked("Who liked it?", "['1_0_0#1']"), asked("Why?", "['9_9']")]}],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pair of files: Ann is asked about, Eve is not, and nobody remembers Max."""
    (tmp_path / "perltmem_en.json").write_text(json.dumps({"Ann": ANN, "Eve": ANN}), encoding="utf-8")
    questions = [{"Ann": QUESTIONS}, {"Max": {"profile": [asked("?", "Age")]}}]
    (tmp_path / "perltqa_en.json").write_text(json.dumps(questions), encoding="utf-8")
    return tmp_path


def test_a_memory_is_a_session(folder: Path) -> None:
    """Profile, relationships and events come first without dates, then dialogues by time, with their speakers."""
    (case,) = open_dataset(f"perltqa:{folder}").cases()
    assert [session.id for session in case.conversation.sessions] == [
        "profile",
        "social_relationship:1_0",
        "events:1_0_0",
        "dialogues:1_0_0#1",
        "dialogues:1_0_0#2",
    ]
    texts = [(turn.speaker, turn.text) for turn in case.conversation.turns()]
    assert texts == [
        ("user", "Gender: Female"),
        ("user", "Hobbies: sailing"),
        ("user", "a friend"),
        ("user", "Bob's boat is old."),
        ("user", "Ann bought a boat."),
        ("user", "She is called Petrel."),
        ("Bob", "Nice boat!"),
        ("Ann", "She leaks."),
        ("user", "Nobody speaks"),
    ]


@pytest.mark.parametrize("kind", ["profile", "social_relationship", "events", "dialogues"])
def test_a_person_may_have_memories_of_one_kind_alone(folder: Path, kind: str) -> None:
    """Whoever has no events, or never spoke, is asked about the rest."""
    (folder / "perltmem_en.json").write_text(json.dumps({"Ann": {kind: ANN[kind]}}), encoding="utf-8")
    (folder / "perltqa_en.json").write_text(json.dumps([{"Ann": {kind: QUESTIONS[kind]}}]), encoding="utf-8")
    (case,) = open_dataset(f"perltqa:{folder}").cases()
    assert {session.id.partition(":")[0] for session in case.conversation.sessions} == {kind}
    assert case.questions


def test_evidence_names_sessions(folder: Path) -> None:
    """References that look like lists are read; a field of a profile is its session; no turn is named."""
    dataset = open_dataset(f"perltqa:{folder}")
    golds = list(dataset.gold())
    assert [gold.sessions for gold in golds] == [
        ("profile",),
        ("social_relationship:1_0",),
        ("events:1_0_0",),
        ("dialogues:1_0_0#1",),
        (),
    ]
    assert [e.raw for e in golds[2].evidence] == ["1_0_0", "1_0_9"]
    assert all(not gold.anchors() for gold in golds)
    assert golds[0].answers == ("Bob's",)
    assert not validate(dataset)


def test_a_memory_can_be_a_turn_that_evidence_names(folder: Path) -> None:
    """With it turns can be scored; sentences and speakers stay, and a memory that is not there names nothing."""
    dataset = open_dataset(f"perltqa:{folder},turns=memories")
    (case,) = dataset.cases()
    texts = {turn.id: turn.text for turn in case.conversation.turns()}
    assert [len(session.turns) for session in case.conversation.sessions] == [1] * 5
    assert texts["social_relationship:1_0:t1"] == "a friend\nBob's boat is old."
    assert texts["dialogues:1_0_0#2:t1"] == "Ann: She leaks.\nNobody speaks"
    golds = list(dataset.gold())
    assert [gold.anchors() for gold in golds] == [
        ("profile:t1",),
        ("social_relationship:1_0:t1",),
        ("events:1_0_0:t1",),
        ("dialogues:1_0_0#1:t1",),
        (),
    ]
    assert [(e.raw, e.exact) for e in golds[2].evidence] == [("1_0_0", True), ("1_0_9", False)]
    assert [gold.sessions for gold in golds] == [
        gold.sessions for gold in open_dataset(f"perltqa:{folder}").gold()
    ]
    assert not validate(dataset)


def test_counts_whom_nobody_asks_about(folder: Path) -> None:
    """People without questions or memories, and questions without a session, are counted."""
    described = open_dataset(f"perltqa:{folder}").describe()
    names = ("people_without_questions", "people_without_memories", "questions_without_a_session", "references")
    assert [described[name] for name in names] == [1, 1, 1, 6]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("perltmem_en.json", {"Ann": {"events": {"1": {}}}}, r"\$.Ann.events.1.content: Field required"),
        (
            "perltmem_en.json",
            {"Ann": {**ANN, "dialogues": {"1": {"contents": {"soon": ["A: x"]}}}}},
            r"'soon' is not a date",
        ),
        (
            "perltqa_en.json",
            [{"Ann": {"profile": [{"Question": "?"}]}}],
            r"\$\[0\].Ann.profile\[0\].Answer: Field req",
        ),
        ("perltqa_en.json", "[", "not JSON"),
    ],
)
def test_names_what_is_malformed(folder: Path, name: str, content: Any, message: str) -> None:
    """File and field are named."""
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(MalformedDataError, match=rf"{name}.*{message}"):
        list(open_dataset(f"perltqa:{folder}").cases())
