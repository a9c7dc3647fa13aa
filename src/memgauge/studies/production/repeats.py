"""Whether the same question gets the same list again, with and without a write in between."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.studies.production.columns import HealthUnit, MeasuredColumn, MeasureSpec, Summary
from memgauge.studies.production.earlier import EarlierEvents
from memgauge.studies.production.hits import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.hits import HitArrays

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

_PAIRS = 20_000
"""Pairs whose lists are held at a time."""
PATIENCE = 0.9
"""Of rank-biased overlap: what the next place counts for, as a share of the one before."""


def repeats(traffic: TrafficArrays) -> Iterator[MeasuredColumn]:
    """Compare every search with the one before it of the same query, scope and store."""
    before, after = _pairs(traffic)
    changing = np.flatnonzero(~traffic.searches & traffic.valid)
    changes = EarlierEvents(traffic.scope[changing], traffic.ended[changing])
    scope = traffic.scope[after]
    between = changes.count(scope, traffic.began[after]) - changes.count(scope, traffic.began[before])
    jaccard, overlap = _overlaps_of(traffic, before, after)
    for key, name, values, quiet in (
        ("stable", "repeated query, nothing written between: Jaccard", jaccard, between == 0),
        ("stable order", "the same: rank-biased overlap", overlap, between == 0),
        ("stable written", "repeated query, something written between: Jaccard", jaccard, between > 0),
    ):
        spec = MeasureSpec(
            key, "repeats", name, "repeated queries of one scope, records captured",
            "no scope repeated a query", Summary.MEAN, HealthUnit.PLAIN,
            bounds=(0.0, 1.0),
        )  # fmt: skip
        yield MeasuredColumn(spec, values[quiet], after[quiet])


def _pairs(traffic: TrafficArrays) -> tuple[Integers, Integers]:
    """Return rows of searches, and of the searches that repeat them."""
    rows = np.flatnonzero(
        traffic.searches
        & traffic.valid
        & traffic.captured
        & (traffic.query != UNKNOWN)
        & (traffic.scope != UNKNOWN)
    )
    names = traffic.scope[rows], traffic.store[rows], traffic.query[rows]
    order = np.lexsort((rows, *names))
    is_same = np.ones(max(len(rows) - 1, 0), dtype=np.bool_)
    for name in names:
        is_same &= np.diff(name[order]) == 0
    before, after = rows[order][:-1][is_same], rows[order][1:][is_same]
    in_time = np.argsort(after)
    return before[in_time], after[in_time]


def _overlaps_of(traffic: TrafficArrays, before: Integers, after: Integers) -> tuple[Floats, Floats]:
    """Compare pairs, reading the lists of some of them at a time."""
    parts = []
    for start in range(0, max(len(after), 1), _PAIRS):
        portion = slice(start, start + _PAIRS)
        rows, place = np.unique(np.concatenate([before[portion], after[portion]]), return_inverse=True)
        first, second = np.split(place.astype(np.int64, copy=False), 2)
        parts.append(overlaps(numbered(traffic.source.of(rows), rows), first, second, len(rows)))
    jaccard, overlap = (np.concatenate(overlap_parts) for overlap_parts in zip(*parts, strict=True))
    return jaccard, overlap


def numbered(hits: HitArrays, rows: Integers) -> HitArrays:
    """Number the operations of hits by their places among *rows*."""
    return replace(hits, operation=np.searchsorted(rows, hits.operation))


def overlaps(hits: HitArrays, before: Integers, after: Integers, n: int) -> tuple[Floats, Floats]:
    """Return Jaccard's index, and rank-biased overlap (Webber et al. 2010) cut at the longer list, of pairs.

    A memory in both lists adds to the agreement at every depth from its lower place on; two empty lists agree.
    *hits* are of lists that are numbered below *n*; each of *after* is in one pair only.
    """
    counts = np.bincount(hits.operation, minlength=n)
    pair = np.full(n, -1, dtype=np.int64)
    pair[after] = np.arange(len(after))
    later_hits = hits.where(pair[hits.operation] >= 0)
    names, coded = np.unique(hits.memory, return_inverse=True)
    keys = hits.operation * len(names) + coded
    order = np.argsort(keys, kind="stable")
    earlier_keys = before[pair[later_hits.operation]] * len(names) + np.searchsorted(names, later_hits.memory)
    place = np.minimum(np.searchsorted(keys[order], earlier_keys), max(len(keys) - 1, 0))
    in_both = keys[order][place] == earlier_keys if len(keys) else np.zeros(0, dtype=np.bool_)
    of = pair[later_hits.operation[in_both]]
    common = np.bincount(of, minlength=len(after))
    union = counts[before] + counts[after] - common
    jaccard = np.where(union > 0, common / np.maximum(union, 1), 1.0)
    depth = np.maximum(counts[before], counts[after])
    longest = int(depth.max(initial=0))
    weights = PATIENCE ** np.arange(longest)
    by_depth = np.concatenate([[0.0], np.cumsum(weights / np.arange(1, longest + 1))])
    total_weights = np.concatenate([[0.0], np.cumsum(weights)])
    lower_rank = np.maximum(later_hits.rank[in_both], hits.rank[order[place[in_both]]])
    gained = by_depth[depth[of]] - by_depth[np.minimum(lower_rank, depth[of]) - 1]
    overlap = np.bincount(of, gained, minlength=len(after)) / np.maximum(total_weights[depth], 1e-12)
    return jaccard, np.where(depth > 0, overlap, 1.0)
