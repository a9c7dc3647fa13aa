"""Searches that succeeded only when they were tried again, as the record counts their tries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.records import Outcome

if TYPE_CHECKING:
    from memgauge.runs.record.store import Columns


@dataclass(frozen=True)
class RetriedSearches:
    """The searches of a run that failed first and succeeded then, of all."""

    total: int
    again: int
    """Searches that succeeded at a later call, or in a later attempt at their conversation."""

    @classmethod
    def of(cls, questions: Columns) -> RetriedSearches:
        """Count them among the questions of a run."""
        first = (questions["tries"] <= 1) & (questions["attempt"] <= 1)
        later = questions["outcome"][~first].tolist()
        return cls(len(first), sum(Outcome(outcome).valid for outcome in later))

    @property
    def sentence(self) -> str:
        """Say it; empty where every search that succeeded did so at once."""
        if not self.again:
            return ""
        return f"{self.again:,} of {self.total:,} searches succeeded only when they were tried again."
