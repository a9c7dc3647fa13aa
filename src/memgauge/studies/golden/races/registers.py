"""Whether what was read of one value is explained by some order of its writes: linearisability, in small."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.golden.races.record import RaceCall, RaceToken

MOST = 14
"""Calls of one value that are ordered; the number of orders grows too fast beyond."""


@dataclass(frozen=True)
class RegisterCall:
    """A write of a value, or a read that returned it."""

    begun: float
    ended: float
    value: str
    reads: bool = False
    optional: bool = False
    """Whether it may never have happened: a write that raised."""


def register_of(versions: Sequence[RaceToken], looks: Sequence[RaceCall]) -> tuple[RegisterCall, ...]:
    """Return the calls of one value; looks that brought back several versions, or none, say nothing here."""
    writes = [
        RegisterCall(
            birth.begun, math.inf if birth.raised else birth.ended, version.name, optional=bool(birth.raised)
        )
        for version in versions
        for birth in version.births
    ]
    names = {version.name for version in versions}
    reads = []
    for look in looks:
        shown = names.intersection(look.shown)
        if len(shown) == 1:
            reads.append(RegisterCall(look.begun, look.ended, shown.pop(), reads=True))
    calls = (*writes, *reads)
    return calls if reads and len(calls) <= MOST else ()


def orderable(calls: Sequence[RegisterCall]) -> bool:
    """Whether there is an order that keeps to time, in which each read returns what was written last."""
    dead: set[tuple[frozenset[int], str]] = set()

    def search(left: frozenset[int], value: str) -> bool:
        needed = [calls[place] for place in left if not calls[place].optional]
        if not needed:
            return True
        if (left, value) in dead:
            return False
        first_end = min(call.ended for call in needed)
        for place in sorted(left):
            call = calls[place]
            if call.begun > first_end or (call.reads and call.value != value):
                continue
            if search(left - {place}, call.value):
                return True
        dead.add((left, value))
        return False

    return search(frozenset(range(len(calls))), "")
