"""Whether two sides did the same work: their results, compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Verdict:
    """How far two results agree."""

    same: bool
    said: str


class Agreement(Protocol):
    """A way to compare results."""

    def __call__(self, ours: NDArray[Any], theirs: NDArray[Any]) -> Verdict:
        """Compare."""
        ...


@dataclass(frozen=True)
class Values:
    """The same numbers, up to a difference."""

    within: float

    def __call__(self, ours: NDArray[Any], theirs: NDArray[Any]) -> Verdict:
        """Compare number by number."""
        if ours.shape != theirs.shape:
            return Verdict(same=False, said=f"{theirs.size:,} values, not {ours.size:,}")
        apart = float(np.abs(ours.astype(np.float64) - theirs.astype(np.float64)).max(initial=0.0))
        same = apart <= self.within
        exact = "equal" if apart == 0 else f"within {apart:.0e}"
        return Verdict(same, exact if same else f"differ by {apart:.2g}")


@dataclass(frozen=True)
class Cosines:
    """The same directions, row by row."""

    at_least: float

    def __call__(self, ours: NDArray[Any], theirs: NDArray[Any]) -> Verdict:
        """Compare row by row; the two that are furthest apart decide."""
        if ours.shape != theirs.shape:
            return Verdict(same=False, said=f"vectors {theirs.shape}, not {ours.shape}")
        lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
        least = float(((ours * theirs).sum(axis=1, dtype=np.float64) / lengths).min(initial=1.0))
        return Verdict(least >= self.at_least, f"cosines of {least:.5f} and more")


@dataclass(frozen=True)
class Overlap:
    """The same items among the best of every query, in any order; -1 is none."""

    at_least: float

    def __call__(self, ours: NDArray[Any], theirs: NDArray[Any]) -> Verdict:
        """Compare row by row."""
        if ours.shape != theirs.shape:
            return Verdict(same=False, said=f"rankings {theirs.shape}, not {ours.shape}")
        shares = [
            len(mine & set(row[row >= 0].tolist())) / len(mine)
            for wanted, row in zip(ours, theirs, strict=True)
            if (mine := set(wanted[wanted >= 0].tolist()))
        ]
        share = float(np.mean(shares)) if shares else 1.0
        return Verdict(share >= self.at_least, f"{share:.1%} of the best {ours.shape[1]} in common")
