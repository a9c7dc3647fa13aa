"""Score 500 cells under 40 measures with intervals over questions and over conversations."""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING

import numpy as np

from bench.row import Job, Row, floor, ours

if TYPE_CHECKING:
    from pathlib import Path

CELLS, QUESTIONS, CONVERSATIONS, TURNS = 500, 1977, 10, 588
SYSTEMS = ("random:seed=1", "random:seed=2", "recency", "random:seed=3")
KS = (1, 3, 5, 10, 20, 40, 60)
MEASURES = tuple(f"{name}@{k}" for name in ("nDCG", "Recall", "Hit", "Complete", "MAP") for k in KS) + tuple(
    f"MRR@{k}" for k in (1, 5, 10, 20, 60)
)


def memgauge(folder: Path) -> Job:
    """Load every run from disk, lay it beside the gold, value the measures, resample."""
    from bench.bulk import Bulk, make_run
    from memgauge.records import Contract
    from memgauge.runs.record.store import load
    from memgauge.scoring.align import align
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import DatasetSampling, Settings, column, summarise

    bulk = Bulk(CONVERSATIONS, TURNS, QUESTIONS)
    runs = [make_run(folder / "cells", ref, bulk) for ref in SYSTEMS]
    gold, settings = GoldTable.read(bulk), Settings(Contract(), MEASURES)

    def run() -> float:
        measures, sampling = settings.parsed, DatasetSampling.of(gold)
        total = 0.0
        for path in islice(cycle(runs), CELLS):
            judged = align(load(path), gold, settings.contract, settings.depth)
            scores = summarise([column(judged, measure) for measure in measures], sampling)
            total += scores[0].value or 0.0
        return total

    return Job(run)


def product(_: Path) -> Job:
    """Weigh 40 columns by 3,000 resamples, 25 times."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, (3000, QUESTIONS)).astype(np.float64)
    table = rng.random((QUESTIONS, len(MEASURES)))
    return Job(lambda: [counts @ table for _ in range(CELLS // 20)])


ROW = Row(
    "500 cells x 40 measures of 1,977 questions, with intervals",
    unit="s",
    limit=20,
    repeats=1,
    above="Reading 500 runs from disk, judging their hits and sorting 40,000 columns of resamples come on top.",
    sides=(
        ours(memgauge, note="from runs on disk; intervals over questions and over conversations"),
        floor("500 products of counts and values", product, times=20),
    ),
)
