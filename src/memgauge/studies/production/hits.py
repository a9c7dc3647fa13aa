"""What searches returned, as arrays of numbers: whole where it is small, by portions where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Mask = NDArray[np.bool_]

UNKNOWN: Final = -1
"""The code of a scope, a query or a text that nobody recorded."""


@dataclass(frozen=True, eq=False)
class HitArrays:
    """One row for each record of an operation, by operation and rank; names are codes."""

    operation: Integers
    rank: Integers
    memory: Integers
    """Code of (store, memory)."""
    text: Integers
    """Code of the hash of its text."""
    characters: Floats
    score: Floats
    version: Integers
    named: Mask
    """Whether its name is more than its text."""
    run: Floats
    """Words of the longest run that it shares with an answer of its trace; NaN where no answer was recorded."""
    likeness: Floats
    """Likeness to an earlier record of its list by shingles, 0 unless near; NaN where no text is known or read."""

    def where(self, mask: Mask | Integers) -> HitArrays:
        """Keep some rows."""
        return HitArrays(**{name: column[mask] for name, column in vars(self).items()})

    @classmethod
    def together(cls, parts: Sequence[HitArrays]) -> HitArrays:
        """Put parts, of which there is one at least, behind each other."""
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])})


class HitSource(Protocol):
    """Gives what searches that succeeded returned."""

    def portions(self, *, likeness: bool = False) -> Iterator[HitArrays]:
        """Yield all of it, whole lists at a time, in the order of operations; once at least.

        For *likeness* texts are read.
        """
        ...

    def of(self, rows: Integers) -> HitArrays:
        """Return what some searches returned; *rows* ascend."""
        ...


@dataclass(frozen=True, eq=False)
class HeldHits:
    """Hits that are all in memory."""

    hits: HitArrays

    def portions(self, *, likeness: bool = False) -> Iterator[HitArrays]:  # noqa: ARG002 - it is there anyway
        """Yield all of it at once."""
        yield self.hits

    def of(self, rows: Integers) -> HitArrays:
        """Return what some searches returned."""
        return self.hits.where(np.isin(self.hits.operation, rows))
