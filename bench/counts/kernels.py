"""The kernels that are counted, at small sizes, since counting slows them down fiftyfold.

Usage: python -m bench.counts.kernels KERNEL TIMES
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = Callable[[], object]


def score(_: Path) -> Kernel:
    """Judge and value 200 rankings of 20 hits."""
    from bench.made import Rankings
    from bench.rows.scoring import columns
    from memgauge.measures import judge, parse
    from memgauge.records import Credit

    trace, descent, evidence = columns(Rankings.made(200, 20))
    measures = [parse(text) for text in ("nDCG@20", "MRR@20", "Recall@20")]

    def run() -> None:
        judged = judge(trace, descent, evidence, k=20, credit=Credit.ANCHOR)
        for measure in measures:
            measure.rows(judged)

    return run


def bm25(_: Path) -> Kernel:
    """Cut, fit and search 300 texts with 50 questions."""
    from bench.made import sentences
    from memgauge.retrieval.bm25 import BM25
    from memgauge.retrieval.terms import TermMatrix

    texts, asked = list(sentences(300)), list(sentences(50, 6, seed=9))
    return lambda: BM25(TermMatrix.build(texts)).search_many(asked, 20)


def dense(_: Path) -> Kernel:
    """Search 500 vectors of 64 numbers with 50 questions."""
    from bench.made import vectors
    from memgauge.retrieval.dense import DenseIndex

    items, asked = vectors(500, 64), vectors(50, 64, seed=6)
    return lambda: DenseIndex(items).search_many(asked, 20)


def bootstrap(_: Path) -> Kernel:
    """Draw 500 resamples of 100 values and take the intervals of five columns."""
    from memgauge.stats import Resamples

    table = np.random.default_rng(2).random((100, 5))
    return lambda: Resamples.draw(100, seed=1, draws=500).intervals(table)


def load(folder: Path) -> Kernel:
    """Load the hits of a sealed run of 200 questions."""
    from bench.bulk import Bulk, make_run
    from memgauge.runs.record.store import load as open_run

    made = make_run(folder, "recency", Bulk(2, 60, 200))
    return lambda: open_run(made).hits


KERNELS: dict[str, Callable[[Path], Kernel]] = {
    "score a run": score,
    "BM25 search": bm25,
    "dense search": dense,
    "bootstrap": bootstrap,
    "load a run": load,
}


def main() -> None:
    """Prepare a kernel and run it so many times, after once to warm it up."""
    name, times = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="memgauge-counts-") as temporary:
        kernel = KERNELS[name](Path(temporary))
        for _ in range(1 + int(times)):
            kernel()


if __name__ == "__main__":
    main()
