"""What a turn says, as a memory that keeps facts understands it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import date

    from memgauge.records import Turn

ME = "user"
"""The subject of what users say of themselves."""


class Act(StrEnum):
    """What a statement does to what is known."""

    HOLD = "hold"
    END = "end"
    """It no longer holds; what was, is history."""
    ERASE = "erase"
    """It is to be forgotten, history included."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a turn says of a slot of a subject."""

    slot: str
    value: str = ""
    """Empty ends or erases whatever the slot has."""
    subject: str = ME
    act: Act = Act.HOLD
    functional: bool = True
    """Whether a new value takes the place of the old one."""
    until: date | None = None
    """The last day on which it holds."""
    over: bool = False
    """Whether it is told of the past; it never takes the place of anything."""

    @property
    def text(self) -> str:
        """Word it plainly, as it is stored and found."""
        whose = "my" if self.subject == ME else f"{self.subject}'s"
        verb = "is" if self.functional else "includes"
        return f"{whose} {self.slot} {verb} {self.value}"


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that one turn says."""

    statements: tuple[Statement, ...] = ()
    until: date | None = None
    """The last day on which the turn itself is worth remembering."""
    rest: str = ""
    """What it says beside its statements, in its own words; empty where they say everything."""
    void: bool = False
    """Whether it says something of the user that is not meant: it is kept, and not returned as if it were."""


class Extractor(Protocol):
    """Reads turns; it is shown nothing else."""

    @property
    def name(self) -> str:
        """Name what reads, for reports."""
        ...

    def read(self, turn: Turn) -> Reading:
        """Say what *turn* states."""
        ...
