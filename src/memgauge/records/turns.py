"""What was said: turns, sessions, conversations. Nothing here knows gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance, as a memory system receives it."""

    id: str
    """Unique within its conversation; carries no label."""
    speaker: str
    text: str
    """Everything said, with image captions already appended where the dataset option asks for it."""
    session: str
    at: datetime | None = None
    """Naive local time of the conversation; sessions usually share one."""
    role: str = "user"
    """``user``, ``assistant``, ``tool`` or whatever the dataset distinguishes."""

    def __reduce__(self) -> tuple[type[Turn], tuple[object, ...]]:
        """Travel as what it is made of: in a third of the time that a dataclass takes."""
        return type(self), (self.id, self.speaker, self.text, self.session, self.at, self.role)


@dataclass(frozen=True, slots=True)
class Session:
    """Consecutive turns of one sitting."""

    id: str
    at: datetime | None
    turns: Sequence[Turn]
    """A tuple, or, of a conversation that is long, a view of a file."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """All sessions of one user (or pair), in time order."""

    id: str
    sessions: tuple[Session, ...]

    def turns(self) -> Iterator[Turn]:
        """Yield every turn in order."""
        for session in self.sessions:
            yield from session.turns
