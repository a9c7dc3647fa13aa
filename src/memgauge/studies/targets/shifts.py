"""What changes when only the target does: scores, questions, hits, first ranks (tables 2, 4, 7, 15, figure 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import Target
from memgauge.results import result
from memgauge.stats import Interval, estimates
from memgauge.studies.targets.lineup import TARGETS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.studies.targets.lineup import Audited, Lineup

PAIRS = ((Target.RAW, Target.SOURCE), (Target.RAW, Target.CANONICAL), (Target.SOURCE, Target.CANONICAL))
CHANGED = 1e-12
"""How far a value must move to count as changed (targets.md, section 2)."""
LARGE = 0.1
BINS = (0.0, CHANGED, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Edges of the distribution of absolute changes; the first bin holds what did not change."""


@result
@dataclass(frozen=True)
class Shift:
    """One run under the three targets, on the questions that all of them can score."""

    label: str
    n: int
    means: Mapping[str, float | None]
    """By target; ``None`` where the run holds nothing of that form."""
    canonical_minus_raw: Interval
    canonical_minus_source: Interval
    source_minus_raw: Interval


@result
@dataclass(frozen=True)
class TargetFlips:
    """How many questions change between two targets."""

    label: str
    pair: str
    n: int
    hit: int
    """Questions that are a hit under one and a miss under the other."""
    top: int
    """The same at rank 1."""
    changed: int
    rate: float | None
    mean_change: float | None
    """Mean absolute change of the ranking metric."""
    large: float | None
    """Share of questions that move by 0.1 or more."""
    distribution: tuple[int, ...]
    """Questions by absolute change, in the bins of :data:`BINS`."""


@result
@dataclass(frozen=True)
class Transfer:
    """One run over all of its questions: each target on those that it can score itself."""

    label: str
    n: Mapping[str, int]
    values: Mapping[str, Mapping[str, float | None]]
    """By metric and target."""
    order: Mapping[str, str]
    """By metric: the targets, best first."""


def shifts(lineup: Lineup) -> list[Shift]:
    """Score every run under the three targets on one set of questions."""
    mask = lineup.shared(*TARGETS)
    return [_shift(lineup, audited, mask) for audited in lineup.runs]


def _shift(lineup: Lineup, audited: Audited, mask: NDArray[np.bool_]) -> Shift:
    serves = {target: audited.serves(target) for target in TARGETS}
    rows = {target: audited.rows(target).values for target in TARGETS}
    pairs = [(Target.CANONICAL, Target.RAW), (Target.CANONICAL, Target.SOURCE), (Target.SOURCE, Target.RAW)]
    values = np.stack([rows[a] - rows[b] for a, b in pairs], axis=1)
    pair_defined = np.stack([mask & serves[a] & serves[b] for a, b in pairs], axis=1)
    intervals = [estimate.interval for estimate in estimates(values, lineup.clusters, pair_defined)]
    means = {str(t): float(rows[t][mask].mean()) if serves[t] and mask.any() else None for t in TARGETS}
    return Shift(audited.label, int(mask.sum()), means, *intervals)


def flips(lineup: Lineup) -> list[TargetFlips]:
    """Count changed questions for every run and pair of targets, on the questions that both can score."""
    masks = {pair: lineup.shared(*pair) for pair in PAIRS}
    return [
        _flips(audited, *pair, masks[pair]) for audited in lineup.runs for pair in PAIRS if audited.serves(*pair)
    ]


def _flips(audited: Audited, a: Target, b: Target, mask: NDArray[np.bool_]) -> TargetFlips:
    def apart(metric: str) -> NDArray[np.float64]:
        values_a, values_b = (audited.rows(target, metric).values[mask] for target in (a, b))
        return np.abs(values_a - values_b)

    change, hit_change, top_change = map(apart, (audited.spec.metrics[0], f"Hit@{audited.spec.k}", "Hit@1"))
    n, n_changed = int(mask.sum()), int((change > CHANGED).sum())
    return TargetFlips(
        label=audited.label,
        pair=f"{a} to {b}",
        n=n,
        hit=int((hit_change > 0).sum()),
        top=int((top_change > 0).sum()),
        changed=n_changed,
        rate=n_changed / n if n else None,
        mean_change=float(change.mean()) if n else None,
        large=float((change >= LARGE).mean()) if n else None,
        distribution=tuple(np.histogram(np.minimum(change, 1.0), bins=BINS)[0].tolist()),
    )


def transfers(lineup: Lineup) -> list[Transfer]:
    """Score every run over all questions that each target can score (table 7): the orders need not agree."""
    return [_transfer(lineup, audited) for audited in lineup.runs]


def _transfer(lineup: Lineup, audited: Audited) -> Transfer:
    values: dict[str, dict[str, float | None]] = {}
    n: dict[str, int] = {}
    for metric in (f"Recall@{lineup.spec.k}", f"MRR@{lineup.spec.k}", lineup.spec.metrics[0]):
        values[metric] = {}
        for target in TARGETS:
            rows = audited.rows(target, metric)
            is_counted = rows.defined & lineup.inside
            n[str(target)] = int(is_counted.sum())
            values[metric][str(target)] = float(rows.values[is_counted].mean()) if is_counted.any() else None
    orders = {metric: order_of(by_target) for metric, by_target in values.items()}
    return Transfer(audited.label, n, values, orders)


def order_of(means: Mapping[str, float | None]) -> str:
    """Write the order of targets, best first, by their initials; what is equal is said to be."""
    ranked = sorted(((value, name) for name, value in means.items() if value is not None), reverse=True)
    words = [name[0].upper() for _, name in ranked[:1]]
    for (above, _), (value, name) in pairwise(ranked):
        words += ["=" if above - value <= CHANGED else ">", name[0].upper()]
    return " ".join(words)
