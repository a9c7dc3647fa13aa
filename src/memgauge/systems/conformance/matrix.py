"""Cards of systems beside each other, with the rows that follow from each; a card alone is a matrix of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import MalformedDataError
from memgauge.results import result
from memgauge.systems.conformance.aspects import Aspect, aspects, costs
from memgauge.systems.conformance.card import SystemCard
from memgauge.systems.conformance.kinds import MATRIX
from memgauge.systems.conformance.known import FailureEvidence, failures
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@result
@dataclass(frozen=True, slots=True)
class CardReading:
    """A card, and what follows from it."""

    card: SystemCard
    aspects: tuple[Aspect, ...]
    costs: Mapping[str, str]
    """What writing costs, as far as it is known."""


@result
@dataclass(frozen=True, slots=True)
class SystemsMatrix:
    """Systems beside each other, and the known failures that were looked for on their cards."""

    systems: tuple[CardReading, ...]
    failures: tuple[FailureEvidence, ...]


def matrix_of(cards: Iterable[SystemCard]) -> SystemsMatrix:
    """Read cards beside each other."""
    listed = tuple(cards)
    readings = tuple(CardReading(card, aspects(card), dict(costs(card))) for card in listed)
    return SystemsMatrix(readings, failures(listed))


def read_cards(path: Path) -> tuple[SystemCard, ...]:
    """Read the cards of a saved matrix; what followed from them is found again.

    Raises:
        MalformedDataError: There is none, or it is not one.
    """
    try:
        data = json_of(path.read_bytes())
    except OSError as error:
        raise MalformedDataError(f"Cannot read {path}: {error.strerror}.", _REMEDY) from error
    except ValueError as error:
        raise MalformedDataError(f"{path} is no card: {error}.", _REMEDY) from error
    return tuple(reading.card for reading in MATRIX.read(data, str(path)).systems)


_REMEDY = f"`{MATRIX.made_by}` makes one."
