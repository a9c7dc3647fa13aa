"""A conversation as an ordered stream of events; protocols are pure stream → stream functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from memgauge.records import Question, Turn


@dataclass(frozen=True, slots=True)
class Write:
    """Hand these turns, all of one session, to the memory in one call."""

    turns: tuple[Turn, ...]


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


Event = Write | SessionEnd | Clock | Ask
Stream = tuple[Event, ...]
