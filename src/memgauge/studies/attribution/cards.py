"""The cards of one run of the study, with what a reader needs to make them again and the past of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memgauge.results import ResultKind, result
from memgauge.studies.attribution.study import Attribution
from memgauge.studies.attribution.trend import CardRecord


@result
@dataclass(frozen=True)
class CardSet:
    """What one run measured, reader by reader."""

    cards: tuple[Attribution, ...]
    questions: int
    seed: int
    declared: tuple[str, ...] = ()
    """The order in which sources should win."""
    history: tuple[tuple[CardRecord, ...], ...] = ()
    """Of each reader under this design, this run included, oldest first; empty where none is kept."""
    spent: Mapping[str, Any] = field(default_factory=dict)
    """By model: what was taken."""

    @property
    def pasts(self) -> tuple[tuple[CardRecord, ...], ...]:
        """Return a history for each card; an empty one where none is kept."""
        return self.history or ((),) * len(self.cards)


CARDS = ResultKind("attribution", 1, CardSet, "memgauge study attribution run --out FOLDER")
