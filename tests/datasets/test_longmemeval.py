from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import DataMismatchError, DataNotFoundError, MalformedDataError
from support import real_data
from support.peaks import measured

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[[object], Path]
    Make = Callable[..., dict[str, Any]]


def test_sessions_are_sorted_by_date_and_named_by_position(lme_file: Write, make_record: Make) -> None:
    """Sessions come in time order, ties as in the file; ids are positions; roles are kept."""
    (case,) = open_dataset(f"longmemeval:{lme_file([make_record()])}").cases()
    assert case.conversation.id == "lme-0001"
    assert [(s.id, str(s.at)) for s in case.conversation.sessions] == [
        ("s01", "2023-05-20 08:00:00"),
        ("s02", "2023-05-25 20:21:00"),
        ("s03", "2023-05-25 20:21:00"),
    ]
    assert [(t.id, t.role, t.text) for t in case.conversation.turns()] == [
        ("s01:t01", "assistant", "Hello."),
        ("s02:t01", "user", "I own three plants."),
        ("s02:t02", "assistant", "Lovely."),
        ("s03:t01", "user", "They grow."),
    ]
    (question,) = case.questions
    assert (question.id, question.category, str(question.asked_at)) == (
        "q1",
        "multi-session",
        "2023-06-01 00:58:00",
    )


def test_gold_keeps_official_names_and_duplicated_sessions(lme_file: Write, make_record: Make) -> None:
    """Only has_answer=true is evidence; a session id that occurs twice labels both sessions."""
    (gold,) = open_dataset(f"longmemeval:{lme_file([make_record()])}").gold()
    assert [(e.raw, e.exact, e.turns) for e in gold.evidence] == [("answer_ab_1#1", True, ("s02:t01",))]
    assert gold.sessions == ("s02", "s03")
    assert (gold.answers, gold.raw_answer) == (("3",), 3)
    assert (gold.rubric, gold.abstain) == (False, False)


def test_nothing_that_a_system_sees_leaks_a_label(lme_file: Write, make_record: Make) -> None:
    """Neither the conversation nor its turns carry the official session ids or the mark of abstention."""
    (case,) = open_dataset(f"longmemeval:{lme_file([make_record('q9_abs')])}").cases()
    shown = repr(case.conversation)
    assert "answer_" not in shown
    assert "_abs" not in shown
    assert "has_answer" not in shown


def test_abstention_rubric_and_decimal_answers(lme_file: Write, make_record: Make) -> None:
    """An id that ends in _abs abstains, a preference has a rubric, a decimal stays one."""
    records = [
        make_record("a_abs"),
        make_record("b", question_type="single-session-preference", answer="Something green."),
        make_record("c", answer=1.5),
    ]
    abstention, preference, decimal = open_dataset(f"longmemeval:{lme_file(records)}").gold()
    assert (abstention.abstain, preference.abstain) == (True, False)
    assert (abstention.rubric, preference.rubric) == (False, True)
    assert (decimal.answers, decimal.raw_answer) == (("1.5",), 1.5)


def test_describes_in_one_reading(lme_file: Write, make_record: Make) -> None:
    """Records, types, abstentions, integer answers and missing evidence are counted."""
    bare = make_record("d_abs", answer="You did not say.", answer_session_ids=[])
    bare["haystack_sessions"][0][0]["has_answer"] = False
    dataset = open_dataset(f"longmemeval:{lme_file([make_record(), bare])}")
    described = dict(dataset.describe())
    assert described.pop("sha256") == dataset.identity.sha256
    assert described == {
        "conversations": 2,
        "sessions": 6,
        "turns": 8,
        "questions": 2,
        "with_evidence": 1,
        "scored_strict": 1,
        "scored_repair": 1,
        "abstention": 1,
        "categories": {"multi-session": 2},
        "pinned": False,
        "licence": "MIT",
        "source": "haystack.json",
        "records": 2,
        "integer_answers": 1,
        "rubric_answers": 0,
        "without_evidence": 1,
        "abstention_without_evidence": 1,
        "sessions_differ": 1,
    }
    assert validate(dataset) == []


def test_variants_are_found_by_their_published_names(tmp_path: Path, make_record: Make) -> None:
    """A variant opens its file; one that does not fit the published hash is refused, or accepted and branded."""
    (tmp_path / "longmemeval").mkdir()
    for name in ("longmemeval_s_cleaned.json", "longmemeval_oracle.json"):
        (tmp_path / "longmemeval" / name).write_text(json.dumps([make_record()]), encoding="utf-8")
    with pytest.raises(DataMismatchError, match="d6f21ea9…a442"):
        open_dataset("longmemeval", root=tmp_path)
    dataset = open_dataset("longmemeval", root=tmp_path, allow_unpinned=True)
    assert dataset.identity.ref == "longmemeval:s"
    assert not dataset.identity.pinned
    assert dataset.identity.source.startswith("https://")
    assert len(list(dataset.cases())) == 1
    assert not open_dataset("longmemeval:oracle", root=tmp_path).identity.pinned
    with pytest.raises(DataNotFoundError, match="memgauge data fetch longmemeval:m"):
        open_dataset("longmemeval:m", root=tmp_path)


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A path without a file is refused by that path."""
    with pytest.raises(DataNotFoundError, match=r"none\.json"):
        open_dataset(f"longmemeval:{tmp_path}/none.json")


def test_broken_json_names_record_and_bytes(lme_file: Write, make_record: Make) -> None:
    """A file that breaks off is refused at the record it breaks in, after the whole ones were given."""
    text = json.dumps([make_record("a"), make_record("b")])[:-40]
    cases = open_dataset(f"longmemeval:{lme_file(text)}").cases()
    assert next(cases).questions[0].id == "a"
    with pytest.raises(MalformedDataError, match=rf"record 1 .* between bytes 0 and {len(text):,}"):
        next(cases)


@pytest.mark.parametrize("text", ["[]", "{}", '"x"'])
def test_a_file_without_records_is_refused(lme_file: Write, text: str) -> None:
    """JSON that is not a list of records is no dataset."""
    with pytest.raises(MalformedDataError, match="holds no record"):
        list(open_dataset(f"longmemeval:{lme_file(text)}").cases())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answer": None}, r"\$\[0\]\.answer"),
        ({"haystack_sessions": [[{"role": "user"}], [], []]}, r"\$\[0\]\.haystack_sessions\[0\]\[0\]\.content: "),
        ({"haystack_dates": []}, "differ in length"),
        ({"question_date": "soon"}, r"\$\[0\]\.question_date: 'soon' is not a date"),
        ({"haystack_dates": ["2023/05/25", "x", "2023/05/25"]}, r"\$\[0\]\.haystack_dates\[1\]: 'x'"),
    ],
)
def test_a_wrong_field_is_named(lme_file: Write, make_record: Make, changes: dict[str, Any], message: str) -> None:
    """A field that is not what it must be is refused by its place."""
    with pytest.raises(MalformedDataError, match=message):
        list(open_dataset(f"longmemeval:{lme_file([make_record(**changes)])}").cases())


_MEASURE = """
import sys
from memgauge.datasets.catalogue import open_dataset
turns = open_dataset("longmemeval:" + sys.argv[1]).describe()["turns"]
print(turns)
"""


def _peak(path: Path) -> tuple[int, float]:
    """Describe *path* in a fresh process; return its turns and the peak memory in megabytes."""
    (turns,), peak = measured(_MEASURE, str(path))
    return turns, peak / 1024


def _write_big(path: Path, record: dict[str, Any], records: int) -> int:
    text = json.dumps(record)
    with path.open("w", encoding="utf-8") as sink:
        sink.write("[")
        for number in range(records):
            sink.write((",\n" if number else "") + text.replace('"q1"', f'"q{number}"', 1))
        sink.write("]")
    return path.stat().st_size


def _long(record: dict[str, Any], sessions: int) -> dict[str, Any]:
    turns = [{"role": role, "content": "The garden needs rain. " * 40} for role in ("user", "assistant") * 5]
    return record | {
        "haystack_dates": ["2023/05/25 (Thu) 20:21"] * sessions,
        "haystack_session_ids": [f"ultrachat_{n}" for n in range(sessions)],
        "haystack_sessions": [turns] * sessions,
    }


def test_records_are_streamed(tmp_path: Path, make_record: Make) -> None:
    """Ten times the records do not need noticeably more memory."""
    record = _long(make_record(), 20)
    _write_big(tmp_path / "few.json", record, 15)
    big = _write_big(tmp_path / "many.json", record, 150)
    few, many = _peak(tmp_path / "few.json"), _peak(tmp_path / "many.json")
    assert (few[0], many[0]) == (3_000, 30_000)
    assert many[1] - few[1] < big / 1e6 / 2


@pytest.mark.slow
def test_a_large_file_needs_less_than_500_megabytes(tmp_path: Path, make_record: Make) -> None:
    """A file of more than 600 MB, of records as large as those of the m variant, is read in under 500 MB."""
    assert _write_big(tmp_path / "large.json", _long(make_record(), 500), 140) > 600e6
    turns, peak = _peak(tmp_path / "large.json")
    assert turns == 140 * 5_000
    assert peak < 500


@pytest.mark.data
def test_real_haystack() -> None:
    """A genuine record of the s variant has its known sessions, turns and two evidence turns."""
    dataset = open_dataset(f"longmemeval:{real_data('longmemeval/longmemeval_s.1-record.json')}")
    (case,) = dataset.cases()
    (gold,) = dataset.gold()
    assert len(case.conversation.sessions) == 53
    assert sum(1 for _ in case.conversation.turns()) == 550
    assert case.questions[0].id == "e47becba"
    roles = {turn.id: turn.role for turn in case.conversation.turns()}
    assert [roles[turn] for turn in gold.anchors()] == ["user", "assistant"]
    assert validate(dataset) == []


@pytest.mark.data
def test_real_oracle_records() -> None:
    """Two genuine oracle records, one to abstain from, are read; one labels more sessions than turns."""
    dataset = open_dataset(f"longmemeval:{real_data('longmemeval/longmemeval_oracle.2-records.json')}")
    described = dataset.describe()
    assert (described["records"], described["abstention"], described["sessions_differ"]) == (2, 1, 1)
    assert [(g.question, g.abstain, len(g.sessions)) for g in dataset.gold()] == [
        ("6a1eabeb", False, 2),
        ("gpt4_70e84552_abs", True, 2),
    ]
    assert validate(dataset) == []
