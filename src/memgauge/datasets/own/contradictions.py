"""What no labels of one question may say together."""

from __future__ import annotations

from datetime import time
from typing import TYPE_CHECKING, Protocol

from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime


class SaidTurn(Protocol):
    """A turn, of which the time matters here."""

    @property
    def at(self) -> datetime | None:
        """When it was said, if that is known."""


class LabelledQuestion(Protocol):
    """A question with what is right, as it is written in a worksheet and in ``questions.jsonl``."""

    @property
    def answers(self) -> tuple[str, ...]:
        """Every answer that would be right."""

    @property
    def evidence(self) -> tuple[str, ...]:
        """The turns that are enough to answer."""

    @property
    def stale(self) -> tuple[str, ...] | None:
        """The turns that state what does not hold."""

    @property
    def abstain(self) -> bool:
        """Whether the right reply is that nothing was said about it."""

    @property
    def asked_at(self) -> datetime | None:
        """When it is asked; ``None``: after everything was said."""

    @property
    def trap(self) -> str | None:
        """An answer that would be wrong on purpose."""


def contradictions(question: LabelledQuestion, turns: Mapping[str, SaidTurn]) -> Iterator[tuple[str, str]]:
    """Yield the fields of *question* that contradict another, each with how; *turns* is what was said, by id."""
    if question.abstain:
        for field in ("answers", "evidence"):
            if getattr(question, field):
                yield field, "there is some, and abstain says that nothing was said about it"
    for position, turn in enumerate(question.stale or ()):
        if turn in question.evidence:
            yield f"stale[{position}]", f"turn {turn} is evidence too"
    for turn in question.evidence:
        at = turns[turn].at if turn in turns else None
        if question.asked_at and at and _is_before(question.asked_at, at):
            yield "asked_at", f"its evidence {turn} is said later, at {at.isoformat()}"
            return


def useless_trap(question: LabelledQuestion) -> Iterator[tuple[str, str]]:
    """Yield the trap of a question that is right; in worlds that are drawn, what was wrong may hold again."""
    if question.trap and fold(question.trap) in map(fold, question.answers):
        yield "trap", "it is an answer that is right"


def _is_before(asked_at: datetime, said_at: datetime) -> bool:
    """Whether a question is asked before something was said; a bare date is all of that day."""
    return asked_at.date() < said_at.date() if asked_at.time() == time.min else asked_at < said_at
