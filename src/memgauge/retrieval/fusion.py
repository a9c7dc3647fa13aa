"""Fusion of rankings by rank alone, in which equals share a rank."""

from __future__ import annotations

from collections import defaultdict
from math import fsum, inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Scored = tuple[int, float]
    """An item and its score."""


def reciprocal_rank_fusion(
    rankings: Iterable[Sequence[int | Scored]],
    *,
    c: float = 60,
    tie_ranks: Sequence[int] | Mapping[int, int] | None = None,
) -> list[Scored]:
    """Merge *rankings* of item indices by the sum of ``1 / (c + rank)``, ranks counted from 1.

    Items that come with scores have the rank 1 + the number of those that score higher (1, 1, 3), which no id, no
    order of equals and nothing further down can change. Ties of the sum are broken by the smaller of *tie_ranks*
    (one for each item; default: the later item first). The result does not depend on the order of the rankings.
    Source: Cormack, Clarke, Büttcher, SIGIR 2009, which knows no ties; shared ranks as SQL's ``RANK``.

    Returns:
        Items with their fused scores, best first.
    """
    parts: defaultdict[int, list[float]] = defaultdict(list)
    for ranking in rankings:
        rank, last = 0, None
        for place, entry in enumerate(ranking, start=1):
            item, score = entry if isinstance(entry, tuple) else (entry, None)
            if score is None or score != last:
                rank, last = place, score
            parts[item].append(1 / (c + rank))
    scored = [(item, fsum(shares)) for item, shares in parts.items()]
    return sorted(scored, key=lambda pair: (-pair[1], -pair[0] if tie_ranks is None else tie_ranks[pair[0]]))


def ranked_to(depth: int, search: Callable[[int], Sequence[Scored]]) -> Sequence[Scored]:
    """Return what *search*, asked for so many, gives a rank up to *depth*, and so all that share the last."""
    width = 2 * depth
    while len(ranking := search(width)) == width and ranking[-1][1] == ranking[depth - 1][1]:
        width *= 4
    least = ranking[depth - 1][1] if len(ranking) >= depth else -inf
    return [pair for pair in ranking if pair[1] >= least]
