"""A history of cards: one line each, appended, so that a reason that changes between builds is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from memgauge.results import result
from memgauge.show.safety import name_line
from memgauge.studies.history import HistoryFormat, RecordKind

if TYPE_CHECKING:
    from memgauge.studies.attribution.share import CountedShare
    from memgauge.studies.attribution.study import Attribution

Point: TypeAlias = tuple[float | None, float | None, float | None, int]
"""A share, its interval and its count."""
RATES: Final = (
    "right where all agree",
    "right and dependent on memory",
    "right for the wrong reason",
    "follows a changed memory",
    "guesses where nothing is held",
    "guesses against memory",
    "citations that move the answer",
)
"""What a history keeps of a card."""


@result
@dataclass(frozen=True, slots=True)
class CardRecord:
    """One card."""

    at: str
    """When, as the caller says."""
    reader: str
    build: str
    """What its maker calls it: a commit, a model, a prompt."""
    design: str
    """What was asked: entries of unlike designs are no trend."""
    rates: Mapping[str, Point]
    broken: tuple[str, ...]

    @property
    def label(self) -> str:
        """Name it on an axis."""
        return name_line(self.build or self.at)


HISTORY: Final = HistoryFormat[CardRecord](
    (RecordKind("attribution card", 1, f"{__name__}:CardRecord", "memgauge study attribution run", "reader"),)
)
"""The file that cards are appended to."""
is_history = HISTORY.recognises


def entry(card: Attribution, at: str, build: str = "", seed: int = 0) -> CardRecord:
    """Return what a history keeps of a card."""
    rates = card.rates
    shares: tuple[CountedShare, ...] = (
        rates.accuracy,
        rates.attributed_accuracy,
        rates.right_for_wrong_reason,
        rates.follows["memory"],
        rates.parametric,
        rates.lure,
        card.citations.faithfulness,
    )
    layer = card.details.get("layer", "")
    design = f"{card.questions} questions, {card.repeats} repeats, seed {seed}{f', {layer}' if layer else ''}"
    points = {
        name: (rate.share.mean, rate.share.low, rate.share.high, rate.share.n)
        for name, rate in zip(RATES, shares, strict=True)
    }
    broken = tuple(fault.partition(":")[0] for fault in card.broken)
    return CardRecord(at, card.reader, build, design, points, broken)


def of(history: tuple[CardRecord, ...], last: CardRecord) -> tuple[CardRecord, ...]:
    """Return the entries of one reader under one design."""
    return tuple(card for card in history if (card.reader, card.design) == (last.reader, last.design))
