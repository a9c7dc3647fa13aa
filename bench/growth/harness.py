"""A whole run over the number of questions: play, freeze, journal, seal, load, score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.clock import Clock
from bench.growth.curve import Curve

if TYPE_CHECKING:
    from pathlib import Path


def work(n: int, folder: Path) -> dict[str, float]:
    """Run and score a memory on *n* questions; a conversation has 100 turns and 100 questions."""
    from bench.bulk import Bulk, make_run
    from memgauge.records import Contract
    from memgauge.runs.record.store import load
    from memgauge.scoring.align import align
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import Settings, column

    clock, bulk = Clock(), Bulk(max(n // 100, 1), 100, n)
    with clock.part("run and seal"):
        made = make_run(folder / "run", "recency", bulk)
    with clock.part("load and score"):
        gold, settings = GoldTable.read(bulk), Settings(Contract())
        judged = align(load(made), gold, settings.contract, settings.depth)
        for measure in settings.parsed:
            column(judged, measure)
    return clock.parts


CURVE = Curve(
    "a whole run: play, seal, load, score", "questions", (10, 10**2, 10**3, 10**4, 10**5), work, large=10**5
)
