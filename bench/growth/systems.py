"""A board over the number of its systems: load, lay beside the gold, score with intervals, group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.clock import Clock
from bench.growth.curve import Curve

if TYPE_CHECKING:
    from pathlib import Path

QUESTIONS, CONVERSATIONS, TURNS, DISTINCT = 50, 5, 20, 8


def work(n: int, folder: Path) -> dict[str, float]:
    """Rank *n* systems; on disk they are a few runs, each read under many names."""
    from bench.bulk import Bulk, make_run
    from memgauge.records import Contract
    from memgauge.runs.record.store import load
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.judged_runs import judge_runs
    from memgauge.scoring.leaderboard import leaderboard
    from memgauge.scoring.score import Settings

    bulk, clock = Bulk(CONVERSATIONS, TURNS, QUESTIONS), Clock()
    made = [make_run(folder / "made", f"random:seed={number}", bulk) for number in range(min(n, DISTINCT))]
    named = folder / "runs"
    named.mkdir()
    for place in range(n):
        (named / f"{place:06d}").symlink_to(made[place % len(made)])
    gold, settings = GoldTable.read(bulk), Settings(Contract(), ("nDCG@10", "Hit@5"), k=10)
    with clock.part("load and judge"):
        runs = [load(path) for path in sorted(named.iterdir())]
        judged = judge_runs(runs, gold, settings).judged
    with clock.part("rank"):
        leaderboard(judged, gold, settings)
    return clock.parts


CURVE = Curve(
    "a board: load, score, intervals, groups", "systems", (1, 10, 10**2, 10**3, 10**4), work, large=10**4
)
