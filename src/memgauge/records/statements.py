"""What is said of somebody: a slot, a value, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

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
    since: date | None = None
    """The first day on which it holds; without one it holds from when it is said."""

    @property
    def thing(self) -> str:
        """Name what it is about: the slot, and whose it is unless the user's."""
        return self.slot if self.subject == ME else f"{self.subject}'s {self.slot}"

    @property
    def text(self) -> str:
        """Word it plainly, as it is stored and found."""
        thing = f"my {self.thing}" if self.subject == ME else self.thing
        verb = "is" if self.functional else "includes"
        return f"{thing} {verb} {self.value}"
