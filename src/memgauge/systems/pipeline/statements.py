"""How a turn is read by a memory that keeps facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import date

    from memgauge.records import Turn
    from memgauge.records.statements import Statement


@dataclass(frozen=True, slots=True)
class TurnReading:
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

    def read(self, turn: Turn) -> TurnReading:
        """Say what *turn* states."""
