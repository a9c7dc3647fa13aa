"""Interventions: which of three sources holds which value, and the designs that are made of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class AnswerSource(StrEnum):
    """What an answer may come from, beside a guess."""

    MEMORY = "memory"
    DOCUMENT = "document"
    STATE = "state"


PLACES: Mapping[AnswerSource, int] = {source: place for place, source in enumerate(AnswerSource)}


class Held(StrEnum):
    """What a source holds in a cell."""

    ABSENT = "absent"
    BASE = "base"
    """The truth of the question, the same in every source that holds it."""
    OWN = "own"
    """A value that no other source holds."""
    SHARED = "shared"
    """A value that is not the truth and that another source holds too."""


@dataclass(frozen=True, slots=True)
class Intervention:
    """One intervention: what each source holds, in the order of :class:`AnswerSource`."""

    name: str
    held: tuple[Held, Held, Held]

    def of(self, source: AnswerSource) -> Held:
        """Return what *source* holds."""
        return self.held[PLACES[source]]

    @property
    def changed(self) -> frozenset[AnswerSource]:
        """The sources that the cell is about: given another value, or taken away while others keep the truth."""
        lost = {Held.ABSENT} if Held.BASE in self.held else set()
        return frozenset(s for s in AnswerSource if self.of(s) in {Held.OWN, Held.SHARED} | lost)

    def for_reader(self, carries: frozenset[AnswerSource]) -> Intervention | None:
        """Return what is left of it for a reader that can be given only some sources.

        ``None`` where the cell is about a source that it cannot be given.
        """
        if not self.changed <= carries:
            return None
        first, second, third = (self.of(s) if s in carries else Held.ABSENT for s in AnswerSource)
        return Intervention(self.name, (first, second, third))


def _cell(name: str, rest: Held, **held: Held) -> Intervention:
    first, second, third = (held.get(str(source), rest) for source in AnswerSource)
    return Intervention(name, (first, second, third))


def _pairs(name: str, rest: Held, value: Held) -> tuple[Intervention, ...]:
    return tuple(_cell(f"{name}-{a}-{b}", rest, **{a: value, b: value}) for a, b in combinations(AnswerSource, 2))


AGREE = _cell("agree", Held.BASE)
SWAPS = tuple(_cell(f"swap-{s}", Held.BASE, **{s: Held.OWN}) for s in AnswerSource)
PAIR_SWAPS = _pairs("swap", Held.BASE, Held.OWN)
CONFLICT = _cell("conflict", Held.OWN)
ALONE = tuple(_cell(f"only-{s}", Held.ABSENT, **{s: Held.OWN}) for s in AnswerSource)
ABSENT = _cell("absent", Held.ABSENT)
JOINT = _pairs("joint", Held.BASE, Held.SHARED)
FIFTEEN = (AGREE, *SWAPS, *PAIR_SWAPS, CONFLICT, *ALONE, ABSENT, *JOINT)
"""What is asked of every reader."""
WITHOUT = tuple(_cell(f"without-{s}", Held.BASE, **{s: Held.ABSENT}) for s in AnswerSource)
"""Leave one out: asked too, because whether a source was needed is part of what dependence means."""
CONFLICTS = tuple(_cell(f"conflict-without-{s}", Held.OWN, **{s: Held.ABSENT}) for s in AnswerSource)
"""Two sources against each other: asked where an order of precedence is declared."""
ALL = (*FIFTEEN, *WITHOUT, *CONFLICTS)
BY_NAME: Mapping[str, Intervention] = {cell.name: cell for cell in ALL}

_THREE = (Held.BASE, Held.OWN, Held.ABSENT)
_TERNARY = tuple(Intervention("/".join(held), held) for held in product(_THREE, _THREE, _THREE))
DESIGNS: Mapping[str, tuple[Intervention, ...]] = {
    "accuracy only": (AGREE,),
    "leave one out": (AGREE, *WITHOUT),
    "single swaps": (AGREE, *SWAPS),
    "2^3 swaps": (AGREE, *SWAPS, *PAIR_SWAPS, CONFLICT),
    "12 cells": (AGREE, *SWAPS, *PAIR_SWAPS, CONFLICT, *ALONE, ABSENT),
    "3^3 agree, swap, absent": _TERNARY,
    "15 cells": FIFTEEN,
}
"""Designs that are in use or were proposed, from the least to the most that they can tell."""
