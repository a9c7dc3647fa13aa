"""Whether one number over all targets escapes the choice: means over targets, agreement filtering (table 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from memgauge.results import result
from memgauge.studies.targets.lineup import TARGETS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from memgauge.studies.targets.lineup import Lineup

COMBINE: Mapping[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "arithmetic": lambda three: three.mean(axis=0),
    "geometric": lambda three: np.cbrt(three.prod(axis=0)),
    "minimum": lambda three: three.min(axis=0),
}
"""Ways to make one value a question out of three."""


@result
@dataclass(frozen=True)
class EnsembleRow:
    """One way to score, with the order of runs that it gives."""

    way: str
    means: Mapping[str, float]
    """By run."""
    order: tuple[str, ...]
    """Runs, best first."""
    discordant: int
    """Pairs of runs ordered otherwise than under Raw: Kendall's distance."""
    novel: bool
    """Whether no single target gives this order."""


@result
@dataclass(frozen=True)
class TargetAgreement:
    """What is left where all targets agree on hit or miss."""

    label: str
    kept: float
    """Share of questions."""
    spread: float | None
    """Mean distance between a question's best and worst target among them."""


def ensembles(lineup: Lineup) -> list[EnsembleRow]:
    """Rank the runs that hold all forms under each target and each combination of them."""
    mask, full_runs = lineup.shared(*TARGETS), lineup.serving(*TARGETS)
    if len(full_runs) < 2:
        return []
    values = np.array([[audited.rows(target).values[mask] for target in TARGETS] for audited in full_runs])
    labels = [audited.label for audited in full_runs]
    ways = {str(target): values[:, place] for place, target in enumerate(TARGETS)}
    ways |= {name: np.stack([combine(run) for run in values]) for name, combine in COMBINE.items()}
    means = {way: each.mean(axis=1) for way, each in ways.items()}
    orders = {
        way: tuple(labels[place] for place in np.argsort(-mean, kind="stable")) for way, mean in means.items()
    }
    single = {orders[str(target)] for target in TARGETS}
    raw = means[str(TARGETS[0])]
    return [
        EnsembleRow(
            way,
            dict(zip(labels, mean.tolist(), strict=True)),
            orders[way],
            sum(bool((raw[a] - raw[b]) * (mean[a] - mean[b]) < 0) for a, b in combinations(range(len(labels)), 2)),
            orders[way] not in single,
        )
        for way, mean in means.items()
    ]


def agreement(lineup: Lineup) -> list[TargetAgreement]:
    """Keep the questions on which all targets agree whether they were hit."""
    mask = lineup.shared(*TARGETS)
    rows = []
    for audited in lineup.serving(*TARGETS):
        hits = np.stack([audited.rows(target, f"Hit@{lineup.spec.k}").values[mask] for target in TARGETS])
        values = np.stack([audited.rows(target).values[mask] for target in TARGETS])
        agreed = (hits == hits[0]).all(axis=0)
        ranges = np.ptp(values, axis=0)[agreed]
        share = float(agreed.mean()) if len(agreed) else 0.0
        rows.append(TargetAgreement(audited.label, share, float(ranges.mean()) if len(ranges) else None))
    return rows
