"""What was said: turns, sessions, conversations. Nothing here knows gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
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


@dataclass(frozen=True, slots=True)
class Session:
    """Consecutive turns of one sitting."""

    id: str
    at: datetime | None
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """All sessions of one user (or pair), in time order."""

    id: str
    sessions: tuple[Session, ...]

    def turns(self) -> Iterator[Turn]:
        """Yield every turn in order."""
        for session in self.sessions:
            yield from session.turns
