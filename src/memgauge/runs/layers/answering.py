"""Answer the questions of a frozen run from what it returned, and keep the answers as a layer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from memgauge.errors import ModelError, RunError
from memgauge.llm.answerers import tell
from memgauge.llm.prompted import NO_ANSWER
from memgauge.records import Outcome
from memgauge.runs.layers.layer import LayerManifest, made_side_by_side, write_layer
from memgauge.runs.record.files import opened
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.text.jsons import json_of
from memgauge.text.tokens import TOKEN_COUNTER, count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.llm.answerers import Answerer, GivenAnswer
    from memgauge.records import Case, Question
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run


SEARCH_ENDED, SEARCH_FAILED = "the search ended as", "the search before it failed"
"""How the reason of an answer begins that is none because the memory failed."""
OWN = "self"
"""The answerer of a layer in which a system answers by itself."""


class Context(StrEnum):
    """What an answerer is shown."""

    RETRIEVED = "retrieved"
    """What the system returned, best first."""
    FULL = "full"
    """Everything said until the question is asked, oldest first: no memory needed."""
    NONE = "none"
    """Nothing: what the answerer knows by itself."""
    ORACLE = "oracle"
    """The evidence turns: as good as retrieval can be."""


@dataclass(frozen=True)
class AnswerAttempt:
    """One question with what its answerer is shown."""

    question: Question
    context: tuple[str, ...]
    failed: str = ""
    """Why there is nothing to answer from."""


def answer_run(
    run: Run,
    dataset: Dataset,
    answerer: Answerer,
    *,
    context: Context = Context.RETRIEVED,
    workers: int = 1,
    environment: Callable[[], Mapping[str, Any]] = dict,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Layer:
    """Answer every question of a run and keep the answers beside it; what is there already is not asked again.

    *environment* is asked at the end: what it took, and the record that replies came from.

    Raises:
        BudgetError: The next call could exceed what was allowed; the same command goes on from there.
    """
    asked = {attempt.question.id: attempt for attempt in gather(run, dataset, context)}
    manifest = LayerManifest(
        kind="answers",
        base=run.seal.content,
        label=f"{answerer.name} {context}",
        maker={
            "answerer": answerer.name,
            "version": answerer.version,
            "context": str(context),
            "details": dict(getattr(answerer, "details", {})),
            "counter": TOKEN_COUNTER,
        },
    )

    def row(attempt: AnswerAttempt) -> Row:
        return answered(attempt, lambda: tell(answerer, attempt.question.text, attempt.context))

    make = made_side_by_side(asked, row, workers=workers, on_progress=on_progress)
    return write_layer(run, manifest, list(asked), make, environment, is_lost)


def own_answers(run: Run) -> Layer:
    """Keep what a system answered by itself as a layer like any other.

    Raises:
        RunError: It was not asked, or does not answer by itself.
    """
    replies = {}
    run.refuse_altered(JOURNAL)
    with opened(run.folder / JOURNAL) as journal:
        for line in journal:
            if line.startswith(b'{"t":"reply"'):
                row = json_of(line)
                replies[row["conversation"], row["attempt"], row["question"]] = row
    if not replies:
        raise RunError(f"{run.folder} holds no answers of its own.", "Run a system that answers with --ask.")
    manifest = LayerManifest(
        kind="answers",
        base=run.seal.content,
        label=OWN,
        maker={
            "answerer": OWN,
            "version": run.manifest.system.version,
            "context": "self",
            "journal": run.seal.files[JOURNAL],
        },
    )
    columns = (run.questions[name].tolist() for name in ("conversation", "attempt", "question"))
    counting = {key[2]: replies.get(key) for key in zip(*columns, strict=True)}
    return write_layer(run, manifest, list(counting), lambda keys: (_own(key, counting[key]) for key in keys))


def _own(question: str, reply: Row | None) -> Row:
    row: Row = {"key": question, "question": question, "shown": 0}
    if reply is None:
        return row | {"outcome": str(Outcome.ERROR), "reason": SEARCH_FAILED, "text": None}
    return row | {name: reply.get(name) for name in ("outcome", "reason", "text")}


def missed(answer: Row, *, own: bool = False) -> bool:
    """Whether there is no answer because the memory failed, and not the model that was to answer from it.

    *own*: the memory answers by itself, so that every failure is its own.
    """
    if Outcome(answer["outcome"]).valid:
        return False
    return own or str(answer.get("reason") or "").startswith((SEARCH_ENDED, SEARCH_FAILED))


def is_lost(answer: Row) -> bool:
    """Whether no reply came from the model that was to answer: asked again, it may."""
    no_reply = not str(answer.get("reason") or "").startswith(NO_ANSWER)
    return no_reply and not Outcome(answer["outcome"]).valid and not missed(answer)


def gather(run: Run, dataset: Dataset, context: Context) -> Iterator[AnswerAttempt]:
    """Yield the questions of a run in its order, each with its context."""
    questions, golds, cases = {}, {}, {}
    gold = dataset.gold()
    for case in dataset.cases():
        for question in case.questions:
            questions[question.id], golds[question.id], cases[question.id] = question, next(gold), case
    names, outcomes = run.questions["question"].tolist(), run.questions["outcome"].tolist()
    hits = run.hits_of(names, run.manifest.limits.k) if context is Context.RETRIEVED else {}
    for name, outcome in zip(names, outcomes, strict=True):
        question = questions[name]
        if context is Context.RETRIEVED:
            failed = "" if Outcome(outcome).valid else f"{SEARCH_ENDED} {outcome}"
            texts = tuple(hit["text"] for hit in hits[name] if hit["text"] is not None)
            if len(texts) < len(hits[name]):
                failed = "the texts of this run were left out"
            yield AnswerAttempt(question, texts, failed)
        elif context is Context.NONE:
            yield AnswerAttempt(question, ())
        else:
            anchors = set(golds[name].anchors()) if context is Context.ORACLE else None
            yield AnswerAttempt(question, tuple(_said(cases[name], question, anchors)))


def _said(case: Case, question: Question, anchors: set[str] | None) -> Iterator[str]:
    """Yield what was said before a question, or of that only the *anchors*."""
    for session in case.conversation.sessions:
        for turn in session.turns:
            if anchors is None or turn.id in anchors:
                yield f"{turn.speaker}: {turn.text}"
        if session.id == question.after_session:
            return


def answered(asked: AnswerAttempt, reply_to: Callable[[], GivenAnswer]) -> Row:
    """Let one question be answered and say how that went; what a model fails at is recorded as failed."""
    row: Row = {"key": asked.question.id, "question": asked.question.id, "shown": len(asked.context)}
    if asked.failed:
        return row | {"outcome": str(Outcome.ERROR), "reason": asked.failed, "text": None}
    try:
        reply = reply_to()
    except ModelError as fault:
        return row | {"outcome": str(Outcome.ERROR), "reason": str(fault), "text": None}
    return row | {
        "outcome": str(Outcome.OK if reply.text else Outcome.EMPTY),
        "reason": "",
        "text": reply.text,
        "shown": reply.shown,
        "cut": len(asked.context) - reply.shown,
        "tokens": sum(count_tokens(text) for text in asked.context[: reply.shown]),
        "request": reply.request,
        "usage": None if reply.usage is None else asdict(reply.usage),
        "raw": reply.raw,
    }
