"""Where targets matter: by category of question, and whether covered questions are easier than others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import Target
from memgauge.stats import Interval
from memgauge.studies.targets.shifts import CHANGED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.studies.targets.lineup import Lineup

NOTHING = Interval(None, None, None, 0, "no canonical memory")


@dataclass(frozen=True)
class CategoryRow:
    """One run on one category, Raw beside Canonical."""

    label: str
    category: str
    n: int
    rate: float
    """Share of questions that change."""
    canonical_minus_raw: float


@dataclass(frozen=True)
class CoverageBias:
    """Raw on the questions with canonical memories minus Raw on the others."""

    label: str
    covered: int
    uncovered: int
    difference: Interval


def by_category(lineup: Lineup) -> list[CategoryRow]:
    """Split the change between Raw and Canonical by category."""
    mask = lineup.shared(Target.RAW, Target.CANONICAL)
    categories = np.array([question.category for question in lineup.gold.questions])
    rows = []
    for number, audited in enumerate(lineup.runs):
        if not lineup.serves(number, Target.CANONICAL):
            continue
        change = lineup.rows(number, Target.CANONICAL).values - lineup.rows(number, Target.RAW).values
        for category in sorted(set(categories[mask].tolist())):
            part = change[mask & (categories == category)]
            moved = float((np.abs(part) > CHANGED).mean())
            rows.append(CategoryRow(audited.label, category, len(part), moved, float(part.mean())))
    return rows


def coverage_bias(lineup: Lineup) -> list[CoverageBias]:
    """Compare Raw where canonical memories exist with Raw where they do not."""
    base, covered = lineup.shared(Target.RAW, Target.SOURCE), lineup.shared(Target.CANONICAL) & lineup.inside
    with_, without = base & covered, base & ~covered
    return [
        CoverageBias(
            audited.label,
            int(with_.sum()),
            int(without.sum()),
            _unpaired(lineup, lineup.rows(number, Target.RAW).values, with_, without),
        )
        for number, audited in enumerate(lineup.runs)
        if lineup.serves(number, Target.CANONICAL)
    ]


def _unpaired(lineup: Lineup, values: NDArray[np.float64], a: NDArray[np.bool_], b: NDArray[np.bool_]) -> Interval:
    """Return the interval of the difference of two means over different questions of the same resamples."""
    if not a.any() or not b.any():
        return Interval(None, None, None, 0, "all questions, or none, are covered")
    means = lineup.resamples.means(np.stack([values, values], axis=1), np.stack([a, b], axis=1))
    drawn = means[:, 0] - means[:, 1]
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    mean = float(values[a].mean() - values[b].mean())
    return Interval(mean, float(low), float(high), int(a.sum() + b.sum()))
