"""Answers from frozen runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import BudgetError, ModelError, RunError
from memgauge.llm.answerers import GivenAnswer, open_answerer
from memgauge.llm.messages import Counted, Usage
from memgauge.llm.prompted import NO_ANSWER
from memgauge.runs.layers.answering import Context, _said, answer_run, gather, own_answers
from memgauge.runs.layers.layer import LayerManifest, load_layer, write_layer
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memgauge.runs.record.store import Run

TINY = open_dataset("synthetic:tiny")


def made(tmp_path: Path, system: str = "bm25") -> Run:
    """Run one system on the tiny world."""
    (folder,) = execute(plan(["synthetic:tiny"], [system]), tmp_path, executor=Inline(), check=False)
    return load(folder)


@dataclass
class Recorder:
    """Answers with the number of texts it was shown, fails or stops where it is told to."""

    name: str = "recorder"
    version: str = "1"
    fail: frozenset[int] = frozenset()
    stop: int | None = None
    reason: str = "cut off"
    asked: list[str] = field(default_factory=list)

    def answer(self, question: str, context: Sequence[str]) -> str:
        """Only tell is used."""
        raise AssertionError(question, context)

    def tell(self, question: str, context: Sequence[str]) -> GivenAnswer:
        """Show two texts at most."""
        if self.stop is not None and len(self.asked) >= self.stop:
            raise BudgetError("no more money")
        self.asked.append(question)
        if len(self.asked) in self.fail:
            raise ModelError(self.reason)
        shown = min(2, len(context))
        return GivenAnswer(f"{shown} texts", shown, "key", Usage(10, 2, Counted.PROVIDER, 0.01), "raw")


def test_every_question_has_one_row_in_order(tmp_path: Path) -> None:
    """Rows follow the run; what was shown and cut, what it took, and what the model said are kept."""
    run = made(tmp_path)
    rows = answer_run(run, TINY, Recorder(), workers=3).rows()
    assert [row["question"] for row in rows] == run.questions["question"].tolist()
    answered = [row for row in rows if row["shown"] == 2]
    assert answered
    assert all(row["cut"] > 0 and row["tokens"] > 0 for row in answered)
    assert answered[0]["usage"] == {"input_tokens": 10, "output_tokens": 2, "counted": "provider", "usd": 0.01}
    assert (answered[0]["text"], answered[0]["raw"], answered[0]["request"]) == ("2 texts", "raw", "key")


def test_failures_are_recorded_and_never_answers(tmp_path: Path) -> None:
    """A model that fails, and a search that failed, leave an error with its reason and no text."""
    rows = answer_run(made(tmp_path), TINY, Recorder(fail=frozenset({2}))).rows()
    (wrong,) = [row for row in rows if row["outcome"] == "error"]
    assert (wrong["reason"], wrong["text"]) == ("cut off", None)
    broken = answer_run(made(tmp_path, "faulty:raises"), TINY, Recorder()).rows()
    assert {(row["outcome"], row["reason"]) for row in broken} == {("error", "the search ended as error")}


def test_a_stop_is_resumed_without_asking_twice(tmp_path: Path) -> None:
    """What was answered before the money ran out is not asked again."""
    run, poor, rich = made(tmp_path), Recorder(stop=5), Recorder()
    with pytest.raises(BudgetError):
        answer_run(run, TINY, poor)
    rows = answer_run(run, TINY, rich).rows()
    assert len(poor.asked) == 5
    assert len(rich.asked) == len(rows) - 5


def test_calls_that_failed_are_made_again_by_the_same_command(tmp_path: Path) -> None:
    """Once the server answers; what was answered is kept, in its order, and nothing is written while all fail."""
    run = made(tmp_path)
    down = Recorder(fail=frozenset({2, 5}))
    first = answer_run(run, TINY, down)
    lost = [row["question"] for row in first.rows() if row["outcome"] == "error"]
    still = Recorder(fail=frozenset({1, 2}))
    assert answer_run(run, TINY, still).hash == first.hash
    assert len(still.asked) == 2
    back = Recorder()
    mended = answer_run(run, TINY, back)
    assert len(back.asked) == 2
    assert [row["question"] for row in mended.rows()] == [row["question"] for row in first.rows()]
    assert {row["outcome"] for row in mended.rows()} == {"ok"}
    assert [row for row in mended.rows() if row["question"] not in lost] == [
        row for row in first.rows() if row["question"] not in lost
    ]
    assert answer_run(run, TINY, back).hash == mended.hash
    assert len(back.asked) == 2


def test_rows_that_came_again_outlive_an_end_before_the_seal(tmp_path: Path) -> None:
    """The layer is unfinished then, whole, and sealed by the same command without asking."""
    run = made(tmp_path)
    first = answer_run(run, TINY, Recorder(fail=frozenset({2})))

    def ends() -> Mapping[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answer_run(run, TINY, Recorder(), environment=ends)
    with pytest.raises(RunError, match="unfinished"):
        load_layer(first.folder)
    finished = answer_run(run, TINY, untouched := Recorder())
    assert untouched.asked == []
    assert {row["outcome"] for row in finished.rows()} == {"ok"}
    assert len(finished.rows()) == len(first.rows())


def test_a_reply_that_is_no_answer_is_not_asked_for_again(tmp_path: Path) -> None:
    """It came, and says what the model does: another reply would hide that."""
    run = made(tmp_path)
    refused = Recorder(fail=frozenset({3}), reason=f"{NO_ANSWER}: it ended as refusal")
    first = answer_run(run, TINY, refused)
    assert answer_run(run, TINY, untouched := Recorder()).hash == first.hash
    assert untouched.asked == []


def test_answers_on_which_verdicts_stand_are_left_as_they_are(tmp_path: Path) -> None:
    """Verdicts name the answers that they are about."""
    run = made(tmp_path)
    first = answer_run(run, TINY, Recorder(fail=frozenset({2})))
    on_it = LayerManifest(kind="verdicts", base=first.hash, label="judge", maker={})
    write_layer(run, on_it, ["q"], lambda keys: iter([{"key": key, "votes": []} for key in keys]))
    assert answer_run(run, TINY, untouched := Recorder()).hash == first.hash
    assert untouched.asked == []


def test_the_context_is_what_was_asked_for(tmp_path: Path) -> None:
    """Retrieved texts, everything said so far, nothing, or the evidence alone."""
    run = made(tmp_path)
    shown = {context: {one.question.id: one.context for one in gather(run, TINY, context)} for context in Context}
    case = next(TINY.cases())
    question, last = case.questions[-1], case.conversation.sessions[-1].id
    assert question.after_session in {None, last}
    gold = {g.question: g for g in TINY.gold()}
    said = {turn.id: f"{turn.speaker}: {turn.text}" for turn in case.conversation.turns()}
    assert shown[Context.FULL][question.id] == tuple(said.values())
    assert shown[Context.NONE][question.id] == ()
    with_evidence = next(q for q in case.questions if gold[q.id].anchors() and q.after_session in {None, last})
    evidence = {said[turn] for turn in gold[with_evidence.id].anchors()}
    assert set(shown[Context.ORACLE][with_evidence.id]) == evidence
    first = case.conversation.sessions[0]
    early = replace(question, after_session=first.id)
    assert len(list(_said(case, early, None))) == len(first.turns)
    hits = run.hits_of([question.id], 60)[question.id]
    assert shown[Context.RETRIEVED][question.id] == tuple(hit["text"] for hit in hits)


def test_the_answerer_and_the_context_make_the_layer(tmp_path: Path) -> None:
    """Another answerer or context is another layer of the same run; abstaining is an outcome of its own."""
    run = made(tmp_path)
    first = answer_run(run, TINY, open_answerer("none"))
    assert {row["outcome"] for row in first.rows()} == {"empty"}
    second = answer_run(run, TINY, open_answerer("none"), context=Context.ORACLE)
    third = answer_run(run, TINY, open_answerer("first"))
    assert len({layer.folder for layer in (first, second, third)}) == 3
    assert {layer.manifest.base for layer in (first, second, third)} == {run.seal.content}


def test_a_system_that_answers_by_itself_is_asked_and_kept(tmp_path: Path) -> None:
    """Its answers are frozen with the run, and become a layer; what it fails at is an error with its reason."""
    planned = plan(["synthetic:tiny"], ["support.systems:Talker"], limits=Limits(ask=True))
    (folder,) = execute(planned, tmp_path, executor=Inline(), check=False)
    run = load(folder)
    rows = own_answers(run).rows()
    assert [row["question"] for row in rows] == run.questions["question"].tolist()
    assert {row["outcome"] for row in rows} <= {"ok", "empty", "error"}
    assert "ok" in {row["outcome"] for row in rows}
    texts = {question.id: question.text for case in TINY.cases() for question in case.questions}
    for row in rows:
        text = texts[row["question"]]
        expected = (
            "error" if "1" in text or ("3" in text and "2" not in text) else "empty" if "2" in text else "ok"
        )
        assert row["outcome"] == expected, text


def test_a_run_that_nobody_asked_has_no_answers_of_its_own(tmp_path: Path) -> None:
    """A system that does not answer, or was not asked to, says so; being asked is part of a run's identity."""
    run = made(tmp_path)
    with pytest.raises(RunError, match="holds no answers of its own"):
        own_answers(run)
    asked = run.manifest.model_copy(update={"limits": run.manifest.limits.model_copy(update={"ask": True})})
    assert asked.identity != run.manifest.identity
