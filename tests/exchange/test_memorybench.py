"""Checkpoints of memorybench: a phase that failed or is not done yields nothing that could be counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import MalformedDataError
from memgauge.exchange.freeze import import_trace
from memgauge.exchange.memorybench import UNASKED, read_memorybench
from memgauge.exchange.trace import JoinedDataset
from memgauge.records import Outcome
from memgauge.runs.layers.layer import layers
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.judged import judged_entry
from memgauge.scoring.verify import passed, verify

if TYPE_CHECKING:
    from pathlib import Path

TINY = open_dataset("synthetic:tiny")
TARGET = JoinedDataset(TINY)
ASKED = list(TARGET.questions)
SEARCH = {"status": "completed", "results": [{"content": "c"}]}
ANSWER = {"status": "completed", "hypothesis": "a"}
RIGHT = {"status": "completed", "score": 1, "label": "correct"}
FAILED = {"status": "failed", "error": "boom"}
PENDING = {"status": "pending"}


def checkpoint(tmp_path: Path, *phases: dict[str, Any], **more: Any) -> Path:
    """Write a checkpoint with the phases of the first questions."""
    path = tmp_path / "checkpoint.json"
    questions = {
        name: {"questionId": name, "question": "?", "phases": each} | more
        for name, each in zip(ASKED, phases, strict=False)
    }
    path.write_text(json.dumps({"questions": questions, "builds": {"b": {"ingest": FAILED}}}))
    return path


@pytest.mark.parametrize(
    "phases",
    [
        {"search": {"status": "pending", "results": []}},
        {"search": {"status": "in_progress"}, "answer": PENDING, "evaluate": PENDING},
        {"search": {}},
        {},
    ],
)
def test_a_question_that_was_not_asked_yet_is_missing(tmp_path: Path, phases: dict[str, Any]) -> None:
    """It found nothing because nobody searched; without --partial that is a mistake."""
    path = checkpoint(tmp_path, {"search": SEARCH}, phases)
    joining = read_memorybench(path, TARGET)
    assert list(joining.answers) == ASKED[:1]
    assert (joining.rows, joining.dropped) == (2, {UNASKED: 1})
    with pytest.raises(MalformedDataError, match=f"1 rows fit none.*{ASKED[1]}: {UNASKED}"):
        import_trace("memorybench", path, TINY, tmp_path / "out", label="x")


def test_a_failed_search_is_an_error(tmp_path: Path) -> None:
    """Whatever it left from an earlier attempt; so is one before which storing failed."""
    stale = FAILED | {"results": [{"content": "c"}]}
    path = checkpoint(tmp_path, {"search": stale}, {"ingest": FAILED, "search": PENDING})
    traces = read_memorybench(path, TARGET).answers
    assert [(traces[name].outcome, traces[name].reason) for name in ASKED[:2]] == [(Outcome.ERROR, "boom")] * 2
    built = checkpoint(tmp_path, {"search": PENDING}, buildId="b")
    assert read_memorybench(built, TARGET).answers[ASKED[0]].outcome is Outcome.ERROR


def test_an_answer_or_an_evaluation_that_failed_gives_none(tmp_path: Path) -> None:
    """An answer that failed is an error, a search that failed a wrong answer, and both are told."""
    stale = FAILED | {"hypothesis": "a"}
    path = checkpoint(
        tmp_path,
        {"search": SEARCH, "answer": ANSWER, "evaluate": RIGHT},
        {"search": SEARCH, "answer": stale, "evaluate": PENDING},
        {"search": SEARCH, "answer": ANSWER, "evaluate": FAILED | {"score": 1, "label": "correct"}},
        {"search": FAILED},
    )
    folder, report = import_trace("memorybench", path, TINY, tmp_path / "out", label="x", partial=True)
    run = load(folder)
    (answers,), (verdicts,) = layers(run, "answers"), layers(run, "verdicts")
    assert [(row["outcome"], row["text"], row["shown"]) for row in answers.rows()] == [
        ("ok", "a", 0),
        ("error", None, 0),
        ("ok", "a", 0),
        ("error", None, 0),
    ]
    assert [(row["question"], row["grade"]) for row in verdicts.rows()] == [(ASKED[0], "correct")]
    assert report.noted == {
        "it was not answered: that phase is failed": 1,
        "it was not judged: that phase is failed": 1,
        "it was not judged: that phase is not done": 1,
    }
    score = judged_entry(run, answers, verdicts, GoldTable.read(TINY)).score
    assert (score.value, score.denominator.scored) == (0.5, 2)
    assert passed(verify(folder))


@pytest.mark.parametrize(
    ("phases", "words"),
    [
        ({"search": SEARCH, "answer": FAILED, "evaluate": RIGHT}, "phases.evaluate: it is completed, and"),
        ({"search": PENDING, "answer": ANSWER}, "phases.answer: it is completed, and"),
        ({"search": SEARCH | {"error": "x"}}, "phases.search: it is completed, and has an error"),
        ({"search": {"status": "completed"}}, "phases.search: it is completed, and has no results"),
        ({"search": SEARCH | {"results": "none found"}}, "phases.search.results: str where list"),
        ({"search": {"status": "done", "results": []}}, "phases.search.status: 'done' is none of completed"),
        ({"search": SEARCH, "answer": ANSWER, "evaluate": RIGHT | {"score": 0}}, "score: it contradicts label"),
        (
            {"search": SEARCH, "answer": ANSWER, "evaluate": RIGHT | {"evaluation": {"passed": False}}},
            "passed: it contradicts label",
        ),
        (
            {"search": SEARCH, "answer": ANSWER, "evaluate": RIGHT | {"label": "good"}},
            "label: 'good' is no verdict",
        ),
        (
            {"search": SEARCH | {"results": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}},
            "'a' is returned",
        ),
    ],
)
def test_phases_that_contradict_themselves_or_each_other_are_refused(
    tmp_path: Path, phases: dict[str, Any], words: str
) -> None:
    """The phase and the field are named."""
    with pytest.raises(MalformedDataError) as caught:
        read_memorybench(checkpoint(tmp_path, phases), TARGET)
    assert words in str(caught.value)


def test_an_entry_that_names_another_question_is_refused(tmp_path: Path) -> None:
    """Its name in the checkpoint is its id."""
    with pytest.raises(MalformedDataError, match=r"questionId: it is 'other'"):
        read_memorybench(checkpoint(tmp_path, {"search": SEARCH}, questionId="other"), TARGET)


def test_a_share_of_a_rubric_beside_a_label_is_no_contradiction(tmp_path: Path) -> None:
    """Newer protocols score between 0 and 1, and say which of it passes."""
    right = RIGHT | {"score": 0.7}
    path = checkpoint(tmp_path, {"search": SEARCH, "answer": ANSWER, "evaluate": right})
    assert read_memorybench(path, TARGET).answers[ASKED[0]].verdict is True
