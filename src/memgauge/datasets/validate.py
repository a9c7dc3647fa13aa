"""The laws that every dataset keeps, whoever wrote it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING

from memgauge.datasets.base import HasLabels, HasTruth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case, Conversation, Gold


@dataclass(frozen=True)
class Violation:
    """One broken law."""

    where: str
    """Conversation, or conversation and question."""
    what: str


def validate(dataset: Dataset) -> list[Violation]:
    """Check every law on every conversation and question of *dataset*; an empty list is a clean bill."""
    return list(_findings(dataset))


def _findings(dataset: Dataset) -> Iterator[Violation]:
    golds = iter(dataset.gold())
    conversations: Counter[str] = Counter()
    questions: Counter[str] = Counter()
    for case in dataset.cases():
        conversations[case.conversation.id] += 1
        questions.update(question.id for question in case.questions)
        yield from _conversation(case.conversation)
        yield from _times(case)
        yield from _questions(case, [gold for _, gold in zip(case.questions, golds, strict=False)])
    for gold in golds:
        yield Violation(gold.question, "gold without a question")
    if isinstance(dataset, HasLabels):
        yield from (Violation(where, what) for where, what in dataset.contradictions())
    if isinstance(dataset, HasTruth):
        for fact in dataset.truth():
            if fact.conversation not in conversations:
                yield Violation(f"{fact.conversation}/{fact.id}", "fact of a conversation that does not exist")
    yield from (Violation(key, "conversation id used more than once") for key in _repeated(conversations))
    yield from (Violation(key, "question id used more than once") for key in _repeated(questions))


def _conversation(conversation: Conversation) -> Iterator[Violation]:
    where = conversation.id
    turns = [turn.id for turn in conversation.turns()]
    if not turns:
        yield Violation(where, "no turns")
    yield from (Violation(where, f"turn id {key} used more than once") for key in _repeated(Counter(turns)))
    sessions = Counter(session.id for session in conversation.sessions)
    yield from (Violation(where, f"session id {key} used more than once") for key in _repeated(sessions))
    for session in conversation.sessions:
        for turn in session.turns:
            if turn.session != session.id:
                yield Violation(
                    where, f"turn {turn.id} of session {session.id} says it is of session {turn.session}"
                )


def _times(case: Case) -> Iterator[Violation]:
    where, timed = case.conversation.id, _timed(case)
    first, begun = next(timed, ("", datetime.min))  # noqa: DTZ901 - there is no time
    odd = next((what for what, at in timed if (at.tzinfo is None) != (begun.tzinfo is None)), None)
    if odd is not None:
        yield Violation(where, f"of {first} and {odd} one has a time with a zone, the other has none")
        return
    for earlier, later in pairwise(session for session in case.conversation.sessions if session.at is not None):
        if earlier.at and later.at and later.at < earlier.at:
            yield Violation(where, f"session {later.id} comes after {earlier.id} but is earlier")


def _timed(case: Case) -> Iterator[tuple[str, datetime]]:
    """Yield every time of a conversation and of what is asked about it, with what has it."""
    for session in case.conversation.sessions:
        if session.at is not None:
            yield f"session {session.id}", session.at
        yield from ((f"turn {turn.id}", turn.at) for turn in session.turns if turn.at is not None)
    yield from ((f"question {q.id}", q.asked_at) for q in case.questions if q.asked_at is not None)


def _questions(case: Case, golds: list[Gold]) -> Iterator[Violation]:
    turns, wordless = set(), set()
    for turn in case.conversation.turns():
        turns.add(turn.id)
        if not turn.text.strip():
            wordless.add(turn.id)
    sessions = {session.id for session in case.conversation.sessions}
    for question, gold in zip_longest(case.questions, golds):
        where = f"{case.conversation.id}/{question.id}"
        if question.conversation != case.conversation.id:
            yield Violation(where, f"asked about conversation {question.conversation}")
        if not question.text.strip():
            yield Violation(where, "the question has no words")
        if question.after_session is not None and question.after_session not in sessions:
            yield Violation(where, f"asked after session {question.after_session}, which does not exist")
        if gold is None:
            yield Violation(where, "no gold")
        elif gold.question != question.id:
            yield Violation(where, f"gold is for {gold.question}: out of order")
        else:
            yield from _gold(where, gold, turns, sessions)
            for name in sorted(wordless.intersection(gold.anchors())):
                yield Violation(where, f"evidence turn {name} has no words, so that nothing can bear it")


def _gold(where: str, gold: Gold, turns: set[str], sessions: set[str]) -> Iterator[Violation]:
    for evidence in gold.evidence:
        for turn in evidence.turns:
            if turn not in turns:
                yield Violation(where, f"evidence turn {turn} does not exist")
        if evidence.exact and not evidence.turns:
            yield Violation(where, f"evidence {evidence.raw!r} is exact but names no turn")
    yield from _versions(where, gold, turns)
    for session in gold.sessions:
        if session not in sessions:
            yield Violation(where, f"evidence session {session} does not exist")


def _versions(where: str, gold: Gold, turns: set[str]) -> Iterator[Violation]:
    for name, named in (("stale", gold.stale or ()), ("decoy", gold.decoys)):
        for turn in named:
            if turn not in turns:
                yield Violation(where, f"{name} turn {turn} does not exist")
    both = set(gold.stale or ()) & set(gold.anchors())
    if both:
        yield Violation(where, f"turn {min(both)} is evidence and stale at once")


def _repeated(counts: Counter[str]) -> Iterable[str]:
    return (key for key, n in counts.items() if n > 1)
