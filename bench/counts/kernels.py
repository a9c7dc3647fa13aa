"""The kernels that are counted, at small sizes, since counting slows them down fiftyfold.

Usage: python -m bench.counts.kernels KERNEL TIMES
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    Call = Callable[[], object]


@dataclass(frozen=True)
class Kernel:
    """Work that is counted."""

    prepare: Callable[[Path], Call]
    times: int = 40
    """Calls that are counted together."""
    tolerance: float | None = None
    """By how much more it may need than was counted, where that is more than for other work."""


def score(_: Path) -> Call:
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


def bm25(_: Path) -> Call:
    """Cut, fit and search 300 texts with 50 questions."""
    from bench.made import sentences
    from memgauge.retrieval.bm25 import BM25
    from memgauge.retrieval.terms import TermMatrix

    texts, asked = list(sentences(300)), list(sentences(50, 6, seed=9))
    return lambda: BM25(TermMatrix.build(texts)).search_many(asked, 20)


def dense(_: Path) -> Call:
    """Search 500 vectors of 64 numbers with 50 questions."""
    from bench.made import vectors
    from memgauge.retrieval.dense import DenseIndex

    items, asked = vectors(500, 64), vectors(50, 64, seed=6)
    return lambda: DenseIndex(items).search_many(asked, 20)


def bootstrap(_: Path) -> Call:
    """Draw 500 resamples of 100 values and take the intervals of five columns."""
    from memgauge.stats import Resamples

    table = np.random.default_rng(2).random((100, 5))
    return lambda: Resamples.draw(100, seed=1, draws=500).intervals(table)


def load(folder: Path) -> Call:
    """Load the hits of a sealed run of 200 questions."""
    from bench.bulk import Bulk, make_run
    from memgauge.runs.record.store import load as open_run

    made = make_run(folder, "recency", Bulk(2, 60, 200))
    return lambda: open_run(made).hits


def fit(_: Path) -> Call:
    """Cut and fit 300 texts."""
    from bench.made import sentences
    from memgauge.retrieval.bm25 import BM25
    from memgauge.retrieval.terms import TermMatrix

    texts = list(sentences(300))
    return lambda: BM25(TermMatrix.build(texts))


def one_column(_: Path) -> Call:
    """Draw 500 resamples of 100 values and take the interval of one column."""
    from memgauge.stats import Resamples

    values = np.random.default_rng(2).random((100, 1))
    return lambda: Resamples.draw(100, seed=1, draws=500).intervals(values)


def pairs(_: Path) -> Call:
    """Take the differences of six systems on ten columns, with intervals over ten conversations."""
    from itertools import combinations

    from memgauge.stats import Clusters, estimates, holm

    rng, places = np.random.default_rng(3), np.array(list(combinations(range(6), 2)))
    table, labels = rng.random((200, 6, 10)), np.arange(200) * 10 // 200

    def run() -> None:
        clusters = Clusters.of(labels)
        estimates(table.reshape(200, -1), clusters)
        compared = estimates((table[:, places[:, 0]] - table[:, places[:, 1]]).reshape(200, -1), clusters)
        holm([each.p for each in compared if each.p is not None])

    return run


def small_run(folder: Path) -> Call:
    """Play two conversations of 60 turns and 20 questions in this process, journal, seal, load and score."""
    from bench.bulk import Bulk, make_run
    from memgauge.records.contracts import Contract
    from memgauge.runs.play.executors.inline import Inline
    from memgauge.runs.record.store import load as open_run
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import Settings, write_scores

    out, bulk = folder / "run", Bulk(2, 60, 20)

    def run() -> None:
        shutil.rmtree(out, ignore_errors=True)
        write_scores(open_run(make_run(out, "bm25", bulk, Inline())), GoldTable.read(bulk), Settings(Contract()))

    return run


KERNELS: dict[str, Kernel] = {
    "score a run": Kernel(score),
    "BM25 search": Kernel(bm25),
    "BM25 fit": Kernel(fit),
    "dense search": Kernel(dense),
    "bootstrap": Kernel(bootstrap),
    "bootstrap of one column": Kernel(one_column),
    "differences over conversations": Kernel(pairs),
    "load a run": Kernel(load),
    "a whole small run": Kernel(small_run, times=10, tolerance=0.1),
}


def main() -> None:
    """Prepare a kernel and run it so many times, after once to warm it up."""
    name, times = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="memgauge-counts-") as temporary:
        kernel = KERNELS[name].prepare(Path(temporary))
        for _ in range(1 + int(times)):
            kernel()


if __name__ == "__main__":
    main()
