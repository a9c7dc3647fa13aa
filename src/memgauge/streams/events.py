"""A conversation as an ordered stream of events; protocols are pure stream → stream functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from memgauge.records import Case, Question, Turn


class Removal(StrEnum):
    """How a memory is asked to remove what it stored."""

    SCOPE = "erase the scope"
    MEMORIES = "delete every memory"


@dataclass(frozen=True, slots=True)
class Write:
    """Hand these turns, all of one session, to the memory in one call."""

    turns: tuple[Turn, ...]
    user: str = ""
    """Whose they are; empty is the user of the conversation, in whose name questions are asked."""

    def __reduce__(self) -> tuple[type[Write], tuple[object, ...]]:
        """Travel as a turn does."""
        return type(self), (self.turns, self.user)


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """The session is over; everything written so far must become searchable."""

    session: str


@dataclass(frozen=True, slots=True)
class Clock:
    """Time moves on to *at* without anything being said."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask one question now."""

    question: Question


@dataclass(frozen=True, slots=True)
class Reset:
    """Forget everything; what is to be known afterwards is written again."""


@dataclass(frozen=True, slots=True)
class Remove:
    """Have the memory remove everything of the user itself, in one of the ways that it may offer."""

    how: Removal


Event = Write | SessionEnd | Clock | Ask | Reset | Remove
Stream = Sequence[Event]
"""Gone through in order; a tuple, or, of a conversation that is long, a sequence in a file."""


@dataclass(frozen=True)
class StreamProtocol:
    """How conversations become streams, with the name and the parameters that a run records of it."""

    name: str
    order: Callable[[Case], Stream]
    parameters: Mapping[str, str] = field(default_factory=dict)
    vary: Callable[..., StreamProtocol] | None = None
    """Makes the protocol with other parameters, where it has any; each has a default."""
