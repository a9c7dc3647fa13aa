"""Fusion of rankings by rank alone, in which equals share a rank."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from math import fsum, inf
from operator import itemgetter
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

    Items that come with scores share the mean of the places that they and their equals take (1.5, 1.5, 3). No id,
    no order of equals and nothing that scores less changes it, and a ranking that tells nothing apart has no more
    weight than another: by the best of these places, each of a hundred equals would have the vote of a first. Ties
    of the sum are broken by the smaller of *tie_ranks* (one for each item; default: the later item first). The
    result does not depend on the order of the rankings. Sources: Cormack, Clarke, Büttcher, SIGIR 2009, who know
    no ties; for mean ranks, Kendall, Biometrika 1945.

    Returns:
        Items with their fused scores, best first.
    """
    parts: defaultdict[int, list[float]] = defaultdict(list)
    for ranking in rankings:
        entries = [entry if isinstance(entry, tuple) else (entry, -place) for place, entry in enumerate(ranking)]
        ranked_before = 0
        for _, group in groupby(entries, key=itemgetter(1)):
            equals = [item for item, _ in group]
            for item in equals:
                parts[item].append(1 / (c + ranked_before + (len(equals) + 1) / 2))
            ranked_before += len(equals)
    scores = [(item, fsum(shares)) for item, shares in parts.items()]
    return sorted(scores, key=lambda pair: (-pair[1], -pair[0] if tie_ranks is None else tie_ranks[pair[0]]))


def ranked_to(depth: int, search: Callable[[int], Sequence[Scored]]) -> Sequence[Scored]:
    """Return what *search*, asked for so many, ranks up to *depth*, and all equals of the last."""
    width = 2 * depth
    while len(ranking := search(width)) == width and ranking[-1][1] == ranking[depth - 1][1]:
        width *= 4
    lowest = ranking[depth - 1][1] if len(ranking) >= depth else -inf
    return [pair for pair in ranking if pair[1] >= lowest]
