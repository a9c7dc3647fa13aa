"""One conversation with what is asked and right, and how every text, time or name in it is put otherwise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.records import Case, Conversation, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime


@dataclass(frozen=True)
class CaseWithGold:
    """A case, and the gold of its questions in their order."""

    case: Case
    golds: tuple[Gold, ...]

    @property
    def conversation(self) -> Conversation:
        """Return what was said."""
        return self.case.conversation

    def said(self) -> Iterator[str]:
        """Yield everything that is said or asked."""
        yield from (turn.text for turn in self.conversation.turns())
        yield from (question.text for question in self.case.questions)

    def right(self) -> Iterator[str]:
        """Yield everything that gold says."""
        for gold in self.golds:
            yield from (*gold.answers, *gold.points, *([gold.trap] if gold.trap else ()))


def reworded(entry: CaseWithGold, reword: Callable[[str], str], name: Callable[[str], str] = str) -> CaseWithGold:
    """Put every text of *entry* in other words, and every speaker under another name."""

    def turn(old: Turn) -> Turn:
        return replace(old, text=reword(old.text), speaker=name(old.speaker))

    def question(old: Question) -> Question:
        return replace(old, text=reword(old.text))

    return _mapped(entry, turn, question, lambda old: _reworded_gold(old, reword))


def _reworded_gold(old: Gold, reword: Callable[[str], str]) -> Gold:
    answers = tuple(map(reword, old.answers))
    return replace(
        old,
        answers=answers,
        raw_answer=old.raw_answer if answers == old.answers else answers[0],
        trap=None if old.trap is None else reword(old.trap),
        points=tuple(map(reword, old.points)),
    )


def retimed(entry: CaseWithGold, later: Callable[[datetime], datetime]) -> CaseWithGold:
    """Move every time of *entry*."""

    def moved(at: datetime | None) -> datetime | None:
        return None if at is None else later(at)

    remade = _mapped(
        entry,
        lambda old: replace(old, at=moved(old.at)),
        lambda old: replace(old, asked_at=moved(old.asked_at)),
        lambda old: old,
    )
    sessions = tuple(replace(session, at=moved(session.at)) for session in remade.conversation.sessions)
    return with_sessions(remade, sessions)


def with_sessions(entry: CaseWithGold, sessions: tuple[Session, ...]) -> CaseWithGold:
    """Put other sessions in the place of those of *entry*."""
    conversation = replace(entry.conversation, sessions=sessions)
    return replace(entry, case=replace(entry.case, conversation=conversation))


def _mapped(
    entry: CaseWithGold,
    turn: Callable[[Turn], Turn],
    question: Callable[[Question], Question],
    gold: Callable[[Gold], Gold],
) -> CaseWithGold:
    sessions = tuple(
        replace(session, turns=tuple(map(turn, session.turns))) for session in entry.conversation.sessions
    )
    case = Case(replace(entry.conversation, sessions=sessions), tuple(map(question, entry.case.questions)))
    return CaseWithGold(case, tuple(map(gold, entry.golds)))
