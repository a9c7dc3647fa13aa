"""One side of a comparison: what its questions are worth, and where its lists end at k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.measures import parse
from memgauge.scoring.accepted import AcceptedRun
from memgauge.scoring.align import JudgedRun, align
from memgauge.scoring.ended import short_lists

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.measures import Rows
    from memgauge.runs.record.store import Run
    from memgauge.scoring.ended import ShortLists
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import Settings


@dataclass(frozen=True, eq=False)
class ComparedSide:
    """What a run is worth in a comparison."""

    rows: Mapping[str, Rows]
    """Of every question, by measure."""
    short: Mapping[str, ShortLists] | None
    """The measures within budgets that k leaves too empty; ``None`` where nobody wrote that down."""
    k: int
    """The memories of a search that were kept and judged at most."""

    @classmethod
    def of(cls, side: Run | JudgedRun | AcceptedRun, gold: GoldTable, settings: Settings) -> ComparedSide:
        """Value every question of one side."""
        run = side.run if isinstance(side, JudgedRun) else side
        k = min(run.manifest.limits.k, settings.depth)
        if isinstance(run, AcceptedRun):
            return cls(run.rows(gold, settings), run.scored.short, k)
        judged = side if isinstance(side, JudgedRun) else align(run, gold, settings.contract, settings.depth)
        rows = {str(measure): judged.rows(measure) for measure in settings.parsed}
        return cls(rows, short_lists(judged, settings.parsed), k)

    def short_by(self, measure: str) -> ShortLists | None:
        """Return how its lists end before the budget of *measure* is full, as far as that is known."""
        return None if self.short is None else self.short.get(measure)

    @property
    def unknown_ends(self) -> tuple[str, ...]:
        """Name the measures of which it is not known whether lists end at k before their budget."""
        return tuple(name for name in self.rows if parse(name).budgets) if self.short is None else ()
