"""Files of the Agent Memory Benchmark and of mem0: nothing is made of what they do not say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import MalformedDataError
from memgauge.exchange.freeze import import_trace
from memgauge.exchange.harnesses import BEFORE, SPEAKERS, read_amb, read_mem0
from memgauge.exchange.trace import NO_VERDICT, TWICE, UNANSWERED, UNLISTED, JoinedDataset
from memgauge.records import Outcome
from memgauge.runs.record.store import load

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.exchange.trace import Joining

TINY = open_dataset("synthetic:tiny")
TARGET = JoinedDataset(TINY)
FIRST = next(iter(TARGET.questions))


def mem0(tmp_path: Path, **fields: Any) -> Joining:
    """Read one question in mem0's layout."""
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps([{"question_id": FIRST, "question": "x"} | fields]))
    return read_mem0(path, TARGET)


def amb(tmp_path: Path, **fields: Any) -> Joining:
    """Read one question in the layout of the Agent Memory Benchmark."""
    path = tmp_path / "amb.json"
    path.write_text(json.dumps({"results": [{"query_id": FIRST, "query": "q", "answer": "a"} | fields]}))
    return read_amb(path, TARGET)


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"llm_score": 1}, True),
        ({"llm_score": "0"}, False),
        ({"llm_score": False}, False),
        ({"judgment": "WRONG", "llm_score": 0}, False),
        ({"judgment": None}, None),
    ],
)
def test_a_verdict_of_mem0_is_a_word_or_0_and_1(
    tmp_path: Path, fields: dict[str, Any], verdict: bool | None
) -> None:
    """In each of its fields."""
    assert mem0(tmp_path, response="b", memories=[], **fields).answers[FIRST].verdict is verdict


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"llm_score": 2}, "[0].llm_score: '2' is no verdict"),
        ({"llm_score": 0.5}, "[0].llm_score: '0.5' is no verdict"),
        ({"judgment": "CORRECT", "llm_score": 0}, "[0].llm_score: it contradicts judgment"),
        (
            {"memories": [{"id": "a", "memory": "m"}, {"id": "a", "memory": "n"}]},
            "[0]: 'a' is returned twice, with",
        ),
        ({"memories": [{"id": "a", "memory": "m"}], "error": "boom"}, "[0].error: it failed, and has"),
        ({"memories": {"found": []}}, "[0].memories: NoneType where list"),
        ({"response": ["b"]}, "[0]: the answer is no text"),
    ],
)
def test_what_mem0_says_in_two_ways_or_in_none_is_refused(
    tmp_path: Path, fields: dict[str, Any], words: str
) -> None:
    """The question and the field are named."""
    with pytest.raises(MalformedDataError) as caught:
        mem0(tmp_path, **{"response": "b", "memories": []} | fields)
    assert words in str(caught.value)


def test_an_error_of_mem0_is_no_search_that_found_nothing(tmp_path: Path) -> None:
    """Its text is the reason."""
    trace = mem0(tmp_path, error="boom", memories=[]).answers[FIRST]
    assert (trace.outcome, trace.reason) == (Outcome.ERROR, "boom")


def test_what_mem0_does_not_say_is_told(tmp_path: Path) -> None:
    """No list, a verdict on no answer, a memory named twice, lists of two speakers."""
    assert mem0(tmp_path, judgment="CORRECT").noted == {UNLISTED: 1, UNANSWERED: 1}
    assert mem0(tmp_path, memories=[{"id": "a", "memory": "m"}] * 2).noted == {TWICE: 1}
    assert mem0(tmp_path, memories=[], judgment=None).noted == {NO_VERDICT: 1}
    both = mem0(tmp_path, speaker_1_memories=["m", "n"], speaker_2_memories=["o"])
    assert [(item.id, item.text) for item in both.answers[FIRST].items][1:] == [
        ("result 2", "n"),
        ("result 3", "o"),
    ]
    assert both.noted == {SPEAKERS: 1}


def test_an_id_of_one_question_beside_the_text_of_another_is_refused(tmp_path: Path) -> None:
    """Whichever is wrong, the row would be counted for a question that was not asked."""
    first, second = list(TARGET.questions.values())[:2]
    for spelled in (first.text, first.text.upper(), "asked in other words"):
        assert FIRST in mem0(tmp_path, question=spelled, memories=[]).answers
    with pytest.raises(MalformedDataError, match=f"its id is '{first.id}', and its text that of '{second.id}'"):
        mem0(tmp_path, question=second.text, memories=[])


def test_answers_without_any_list_say_nothing_of_retrieval(tmp_path: Path) -> None:
    """The run says so once, and no search is a miss."""
    mem0(tmp_path, response="b")
    folder, report = import_trace("mem0", tmp_path / "mem0.json", TINY, tmp_path / "out", label="x", partial=True)
    run = load(folder)
    assert run.questions["outcome"].tolist() == ["unsupported"]
    assert any("answers only" in text for text in run.manifest.system.capabilities["interventions"])
    assert report.noted == {}


@pytest.mark.parametrize("correct", ["no", 1, 0.5, "maybe"])
def test_a_verdict_of_amb_is_true_or_false(tmp_path: Path, correct: object) -> None:
    """Nothing else is one, and nothing is none."""
    with pytest.raises(MalformedDataError, match=r"results\[0\]\.correct: .* is no verdict"):
        amb(tmp_path, context="x", correct=correct)
    verdicts = [amb(tmp_path, context="x", correct=value).answers[FIRST].verdict for value in (True, False, None)]
    assert verdicts == [True, False, None]
    assert amb(tmp_path, context="x", correct=None).noted == {NO_VERDICT: 1}


def test_the_memories_of_a_context_of_amb_stand_where_their_numbers_say(tmp_path: Path) -> None:
    """What stands before the first is none, which is told; an empty one keeps its place; no number is left out."""
    joining = amb(tmp_path, context="You know:\n## Memory 1\n\n## Memory 2\nb\n")
    assert [item.text for item in joining.answers[FIRST].items] == ["", "b"]
    assert joining.noted == {BEFORE: 1}
    assert [item.text for item in amb(tmp_path, context="## Memory 0\na").answers[FIRST].items] == ["a"]
    for headings in (["1", "2", "5"], ["7"], ["2", "1"]):
        context = "".join(f"## Memory {number}\nx\n" for number in headings)
        with pytest.raises(MalformedDataError, match=r"results\[0\]\.context: Memory \d stands where"):
            amb(tmp_path, context=context)


def test_a_context_that_amb_does_not_hold_is_not_an_empty_one(tmp_path: Path) -> None:
    """Left out, or null, nothing is known of the search; an empty text found nothing."""
    assert amb(tmp_path, context=None).answers[FIRST].outcome is Outcome.UNSUPPORTED
    assert amb(tmp_path, context="").answers[FIRST].outcome is Outcome.EMPTY
    with pytest.raises(MalformedDataError, match=r"results\[0\]\.context: list where str"):
        amb(tmp_path, context=["x"])
