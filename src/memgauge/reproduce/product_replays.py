"""Cards of products in the attribution study, asked again where the product is at hand in the same version."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.errors import UserError
from memgauge.reproduce import ExplainedFigures
from memgauge.reproduce.product_cards import card_of, shares_of
from memgauge.reproduce.products import measured
from memgauge.studies.attribution.memories import Remembering
from memgauge.studies.attribution.question import make_questions
from memgauge.studies.attribution.study import attribute
from memgauge.systems.catalogue import open_system

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from memgauge.stats import Interval
    from memgauge.studies.attribution.study import Attribution

CLOSE: Final = 1e-5
"""How far apart two shares may lie: cards keep six digits."""


@dataclass(frozen=True)
class ReplayedCard:
    """One card beside what the same asks say now."""

    key: str
    cells: int = 0
    differing: tuple[str, ...] = ()
    """Columns that come out otherwise."""
    absent: str = ""
    """Why it was not played; empty where it was."""


def replays() -> Mapping[str, float]:
    """Play every card again whose product is at hand, and count what comes out as it stands on the page."""
    (table,) = (candidate for candidate in measured().described.tables if candidate.key == "attribution")
    folder = measured().folder.parent
    return counted(replayed(row.key, folder / row.file) for row in table.rows)


def counted(cards: Iterable[ReplayedCard]) -> Mapping[str, float]:
    """Count cells, and say whose were not played and why."""
    all_cards = list(cards)
    replayed_cards = [card for card in all_cards if not card.absent]
    figures = {
        "cards": len(all_cards),
        "cards_replayed": len(replayed_cards),
        "cells_replayed": sum(card.cells for card in replayed_cards),
        "cells_that_differ": sum(len(card.differing) for card in replayed_cards),
    }
    reasons = {
        "cards_replayed": " ".join(f"{card.key}: {card.absent}" for card in all_cards if card.absent),
        "cells_that_differ": "; ".join(
            f"{card.key}: {', '.join(card.differing)}" for card in replayed_cards if card.differing
        ),
    }
    return ExplainedFigures({name: float(count) for name, count in figures.items()}, reasons)


def replayed(key: str, path: Path) -> ReplayedCard:
    """Ask a product again what its card was asked; one that is not here in that version is not asked."""
    card = card_of(path)
    try:
        memory = open_system(card.reader)
    except UserError as error:
        return ReplayedCard(key, absent=str(error))
    version, card_version = memory.version, str(card.details["version"])
    with closing(
        Remembering.of(memory, str(card.details["layer"]), k=int(card.details["k"]), ref=card.reader)
    ) as system:
        if version != card_version:
            return ReplayedCard(key, absent=f"{version} is installed here, and its card is of {card_version}.")
        attribution = attribute(system, make_questions(card.questions))
    return compared(key, card, attribution)


def compared(key: str, card: Attribution, attribution: Attribution) -> ReplayedCard:
    """Hold the shares of two cards against each other."""
    pairs = [(name, share, shares_of(attribution)[name]) for name, share in shares_of(card).items()]
    return ReplayedCard(key, len(pairs), tuple(name for name, old, new in pairs if not _same(old, new)))


def _same(old: Interval, new: Interval) -> bool:
    if old.mean is None or new.mean is None:
        return old.mean is new.mean
    return old.n == new.n and abs(old.mean - new.mean) <= CLOSE
