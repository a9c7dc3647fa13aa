"""Whether anything can be found under a contract: where nothing can, an order would be one of names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.measures.formula import Reads
from memgauge.scoring.targets import credited

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.measures import Rows
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.score import Settings


def nothing_to_find(judged: Sequence[JudgedRun], rows: Iterable[Rows], settings: Settings) -> str:
    """Say that nobody finds anything because there is nothing to be found, and how that is known; else nothing.

    Args:
        judged: Every run of a board.
        rows: What the questions of each are worth by the first measure.
        settings: Of the board.
    """
    formula, target = settings.parsed[0].formula, settings.contract.target
    worth = list(rows)
    if formula.lower or formula.reads is not Reads.RANKINGS or any(each.values.any() for each in worth):
        return ""
    if not any(each.defined.any() for each in worth):
        return ""
    nothing = f"nothing can be found under target {target}"
    if not any((marks := credited(each.run, target)) is None or marks.any() for each in judged):
        return f"{nothing}, because no run has stored a memory that it credits"
    ceilings = (each for each in judged if each.run.manifest.system.capabilities.get("role") == "ceiling")
    best = next(ceilings, None)
    return f"{nothing}, not even by the ceiling {best.run.label}" if best is not None else ""
