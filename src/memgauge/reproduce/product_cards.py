"""One product in the attribution study, from the card that the study wrote of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.errors import RunError
from memgauge.runs.record.files import small
from memgauge.studies.attribution.cards import CARDS
from memgauge.studies.attribution.rates import End
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from memgauge.stats import Interval
    from memgauge.studies.attribution.rates import ReaderRates
    from memgauge.studies.attribution.study import Attribution

MEMORY: Final = "memory"
RATES: Final[Mapping[str, Callable[[ReaderRates], Interval]]] = {
    "right": lambda rates: rates.accuracy.share,
    "from memory": lambda rates: rates.attributed_accuracy.share,
    "wrong reason": lambda rates: rates.right_for_wrong_reason.share,
    "follows a change": lambda rates: rates.follows[MEMORY].share,
    "silent without": lambda rates: rates.abstention.share,
}
"""What columns are called on the page."""
_ENDINGS: Final = {
    End.ABSTAINED: "It finds nothing for",
    End.WRONG: "It is wrong in",
    End.FAILED: "Calls fail in",
}


def attributed(path: Path) -> tuple[Mapping[str, Interval], tuple[str, ...]]:
    """Read the shares of a card, and say what the product could not do.

    Raises:
        RunError: The file holds another number of cards than one, or counts that do not add up.
    """
    card = card_of(path)
    return shares_of(card), tuple(_unable(card))


def card_of(path: Path) -> Attribution:
    """Read the one card of a file.

    Raises:
        RunError: The file holds another number of cards than one, or counts that do not add up.
    """
    cards = CARDS.read(json_of(small(path)), str(path)).cards
    if len(cards) != 1 or sum(cards[0].ends.values()) != cards[0].questions:
        raise RunError(f"{path} does not hold the card of one product.", "Write it again with --out.")
    return cards[0]


def shares_of(card: Attribution) -> Mapping[str, Interval]:
    """Return the columns of the page."""
    return {name: share(card.rates) for name, share in RATES.items()}


def _unable(card: Attribution) -> Iterator[str]:
    for end, sentence in _ENDINGS.items():
        if card.ends.get(str(end)):
            yield f"{sentence} {card.ends[str(end)]} of {card.questions} questions."
    yield from (f"It breaks a check: {check}." for check in card.broken)
