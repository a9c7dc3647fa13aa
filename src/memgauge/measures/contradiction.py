"""Contradiction: two values of something that has one at a time, returned as if both held."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping
    from collections.abc import Set as AbstractSet


@dataclass(frozen=True, slots=True)
class Voice:
    """One value of one slot, as some hit says it."""

    slot: Hashable
    """Whose, and what: values of different slots never contradict each other."""
    value: str
    functional: bool = True
    """Whether the slot has one value at a time; members of a list do not contradict each other."""
    marked: bool = False
    """Whether the system says that it is no longer valid."""


@dataclass(frozen=True, slots=True)
class Contradictions:
    """What the returned memories say about functional slots."""

    expressed: int
    """Slots of which any value is said as if it held."""
    contradicted: int
    """Of these, slots of which two values are."""

    @property
    def rate(self) -> float | None:
        """Share of the expressed slots; undefined where none is expressed, so that silence is not perfection."""
        return self.contradicted / self.expressed if self.expressed else None

    @property
    def any(self) -> bool | None:
        """Whether any slot is contradicted; undefined where none is expressed."""
        return self.contradicted > 0 if self.expressed else None


def contradictions(voices: Iterable[Voice]) -> Contradictions:
    """Count the slots that are expressed and those that are contradicted."""
    values_by_slot = values(voices)
    return Contradictions(len(values_by_slot), sum(len(spoken) > 1 for spoken in values_by_slot.values()))


def values(voices: Iterable[Voice]) -> Mapping[Hashable, AbstractSet[str]]:
    """Collect the values that are said to hold, by functional slot."""
    values_by_slot: defaultdict[Hashable, set[str]] = defaultdict(set)
    for voice in voices:
        if voice.functional and not voice.marked:
            values_by_slot[voice.slot].add(voice.value)
    return values_by_slot


def unresolved(surfaced: Iterable[Voice], stored: Mapping[Hashable, AbstractSet[str]]) -> float | None:
    """Return the share of conflicts in the store that a result leaves open.

    Of the functional slots that are expressed and of which *stored* knows several values, those of which several
    are returned as if they held; undefined where no such slot is expressed.
    """
    surfaced_values = {slot: spoken for slot, spoken in values(surfaced).items() if len(stored.get(slot, ())) > 1}
    return (
        sum(len(spoken) > 1 for spoken in surfaced_values.values()) / len(surfaced_values)
        if surfaced_values
        else None
    )
