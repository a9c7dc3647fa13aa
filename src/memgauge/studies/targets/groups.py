"""Where targets matter: by category of question, and whether covered questions are easier than others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import Target
from memgauge.results import result
from memgauge.stats import Interval
from memgauge.stats.clusters import difference_of_parts
from memgauge.studies.targets.shifts import CHANGED

if TYPE_CHECKING:
    from memgauge.studies.targets.lineup import Lineup

NOTHING = Interval(None, None, None, 0, "no canonical memory")


@result
@dataclass(frozen=True)
class CategoryRow:
    """One run on one category, Raw beside Canonical."""

    label: str
    category: str
    n: int
    rate: float
    """Share of questions that change."""
    canonical_minus_raw: float


@result
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
    for audited in lineup.serving(Target.CANONICAL):
        change = audited.rows(Target.CANONICAL).values - audited.rows(Target.RAW).values
        for category in sorted(set(categories[mask].tolist())):
            part = change[mask & (categories == category)]
            changed_share = float((np.abs(part) > CHANGED).mean())
            rows.append(CategoryRow(audited.label, category, len(part), changed_share, float(part.mean())))
    return rows


def coverage_bias(lineup: Lineup) -> list[CoverageBias]:
    """Compare Raw where canonical memories exist with Raw where they do not."""
    base, is_covered = lineup.shared(Target.RAW, Target.SOURCE), lineup.shared(Target.CANONICAL) & lineup.inside
    with_, without = base & is_covered, base & ~is_covered
    return [
        CoverageBias(
            audited.label,
            int(with_.sum()),
            int(without.sum()),
            difference_of_parts(audited.rows(Target.RAW).values, lineup.clusters, with_, without),
        )
        for audited in lineup.serving(Target.CANONICAL)
    ]
