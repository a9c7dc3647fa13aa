"""Whether two systems are equal within a margin: a claim of its own, never the lack of a difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memgauge.stats.clusters import Estimate


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two one-sided tests of a mean against both ends of a margin (Schuirmann 1987)."""

    margin: float
    p: float | None
    """The larger of both: small where the mean lies within the margin. ``None`` with a reason."""
    reason: str = ""


def equivalent(estimate: Estimate, margin: float, reach: float = 1.0) -> Equivalence:
    """Test whether the mean of *estimate* lies within *margin* of 0, by t on the same error over clusters.

    Rows that are all alike leave no error. They would be so by chance, were the mean beyond the margin, if no row
    was drawn of the share that has to differ for that: of independent rows that differ by at most *reach*. And one
    of 2^units ways to flip the signs of the clusters is as far inside.

    Raises:
        ValueError: A margin that is not positive.
    """
    if not margin > 0:
        raise ValueError(f"A margin within which things are equal is positive, not {margin}.")
    if estimate.mean is None or estimate.se is None or estimate.df is None:
        return Equivalence(margin, None, estimate.reason)
    slack = margin - abs(estimate.mean)
    if estimate.se == 0:
        share_unseen = 1.0 - min(max(slack, 0.0) / (reach + abs(estimate.mean)), 1.0)
        return Equivalence(margin, max(0.5**estimate.units, share_unseen**estimate.n) if slack > 0 else 1.0)
    from scipy.special import stdtr

    return Equivalence(margin, float(stdtr(estimate.df, -slack / estimate.se)))
