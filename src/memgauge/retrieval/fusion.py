"""Fusion of rankings by rank alone."""

from __future__ import annotations

from collections import defaultdict
from math import fsum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def reciprocal_rank_fusion(
    rankings: Iterable[Sequence[int]],
    *,
    c: float = 60,
    tie_ranks: Sequence[int] | Mapping[int, int] | None = None,
) -> list[tuple[int, float]]:
    """Merge *rankings* of item indices by the sum of ``1 / (c + rank)``, ranks counted from 1.

    Ties are broken by the smaller of *tie_ranks* (one for each item; default: the later item first). The result
    does not depend on the order of the rankings. Source: Cormack, Clarke, Büttcher, SIGIR 2009.

    Returns:
        Items with their fused scores, best first.
    """
    parts: defaultdict[int, list[float]] = defaultdict(list)
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            parts[item].append(1 / (c + rank))
    scored = [(item, fsum(shares)) for item, shares in parts.items()]
    return sorted(scored, key=lambda pair: (-pair[1], -pair[0] if tie_ranks is None else tie_ranks[pair[0]]))
