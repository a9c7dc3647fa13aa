"""In which order a board lists its runs, worked out without making the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.scoring.findable import nothing_to_find
from memgauge.scoring.standing import standing
from memgauge.stats.clusters import means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.measures import Measure
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.score import Settings

_ROLES = ("system", "ceiling", "floor")


def place_on_board(
    role: str, value: float | None, label: str, measure: Measure, *, ranked: bool
) -> tuple[int, bool, float, str]:
    """Order ranked systems first, then the others, then ceilings, then floors, each best first."""
    worth = (value or 0.0) * (-1 if measure.formula.lower else 1)
    return _ROLES.index(role), not ranked, -worth, label


def in_order(runs: Sequence[JudgedRun], settings: Settings) -> tuple[JudgedRun, ...]:
    """Put runs that differ in their system alone into the order of their board."""
    if len(runs) < 2:
        return tuple(runs)
    primary = settings.parsed[0]
    asked = np.logical_or.reduce([each.scored for each in runs])
    standings = [standing(each, asked, None) for each in runs]
    roles = [str(each.run.manifest.system.capabilities.get("role", "system")) for each in runs]
    rows = [each.rows(primary) for each in runs]
    values = np.stack([each.values for each in rows], axis=1)
    defined = np.stack([each.defined for each in rows], axis=1)
    barred = [role != "system" or bool(each.bars) for role, each in zip(roles, standings, strict=True)]
    ranked = defined.any(axis=0) & ~np.array(barred)
    barring = settings.contract.why_no_ranks or primary.why_no_ranks or nothing_to_find(runs, rows, settings)
    if barring or not defined[:, ranked].all(axis=1).any():
        ranked[:] = False
    places = [
        place_on_board(
            role, None if stands.incomplete or np.isnan(mean) else mean, each.run.label, primary, ranked=has_rank
        )
        for each, role, stands, mean, has_rank in zip(
            runs, roles, standings, means(values, defined).tolist(), ranked.tolist(), strict=True
        )
    ]
    return tuple(runs[number] for number in sorted(range(len(runs)), key=places.__getitem__))
