"""Which designs tell the eight wirings apart, and which wiring a reader behaves like."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from memgauge.results import ResultKind, result
from memgauge.studies.attribution.cells import BY_NAME, DESIGNS
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.question import make_questions
from memgauge.studies.attribution.readers import WiredReader
from memgauge.studies.attribution.run import observe
from memgauge.studies.attribution.share import clustered
from memgauge.systems.reference.wired import WIRINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.stats import Interval
    from memgauge.studies.attribution.cells import Intervention
    from memgauge.studies.attribution.run import Observed

UNREAD = frozenset({FollowedSource.FAILED, FollowedSource.UNDECIDED})
"""Ends of a cell that say nothing about a source."""


@result
@dataclass(frozen=True)
class Separation:
    """What one design sees of the wirings."""

    design: str
    cells: int
    """Asks a question."""
    groups: tuple[tuple[str, ...], ...]
    """Wirings that answer alike in every cell stand together."""
    separates: int
    """How many it can tell apart."""


@result
@dataclass(frozen=True)
class DesignPower:
    """What every design sees of the wirings."""

    guessable: bool
    """Whether the truth is what anybody would guess."""
    separations: tuple[Separation, ...]


DESIGN_POWER = ResultKind("attribution designs", 1, DesignPower, "memgauge study attribution designs --out FOLDER")


def separation(design: str, *, guessable: bool = True) -> Separation:
    """Group the wirings by what they answer under a design.

    *guessable*: the truth is what anybody would guess, as it mostly is where memories are tried out.
    """
    cells = DESIGNS[design]
    groups: dict[tuple[str, ...], list[str]] = {}
    for name in WIRINGS:
        groups.setdefault(_signature(name, cells, guessable), []).append(name)
    return Separation(design, len(cells), tuple(tuple(group) for group in groups.values()), len(groups))


def power(*, guessable: bool = True) -> DesignPower:
    """Try every design on the wirings."""
    return DesignPower(guessable, tuple(separation(name, guessable=guessable) for name in DESIGNS))


@cache
def _signature(wiring: str, cells: tuple[Intervention, ...], guessable: bool) -> tuple[str, ...]:
    """Return what a wiring answers in each cell, by value: that is all that an experimenter sees."""
    questions = [question for question in make_questions(2) if question.guessable is guessable]
    observed = observe(WiredReader(wiring), questions, cells)
    return tuple(observed.seen[question.id, cell.name].value for question in questions for cell in cells)


def likeness(observed: Observed) -> Mapping[str, Interval]:
    """Say how often each wiring, asked the same, answers as the reader did; intervals over slots."""
    shares, slots = {}, {question.id: question.slot for question in observed.questions}
    for name in WIRINGS:
        cells = [BY_NAME[cell.name] for cell in observed.distinct]
        wired = observe(WiredReader(name, carries=observed.carries), observed.questions, cells)
        rows = [
            (answer.value == observed.seen[key].value, slots[key[0]])
            for key, answer in wired.seen.items()
            if observed.seen[key].follows not in UNREAD
        ]
        shares[name] = clustered(rows, "nothing was answered").share
    return shares
