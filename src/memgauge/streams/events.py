"""A conversation as an ordered stream of events; protocols are pure stream → stream functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from memgauge.records import Case, Question, Turn


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


@dataclass(frozen=True, slots=True)
class Reset:
    """Forget everything; what is to be known afterwards is written again."""


Event = Write | SessionEnd | Clock | Ask | Reset
Stream = tuple[Event, ...]


@dataclass(frozen=True)
class StreamProtocol:
    """How conversations become streams, with the name and the parameters that a run records of it."""

    name: str
    order: Callable[[Case], Stream]
    parameters: Mapping[str, str] = field(default_factory=dict)
