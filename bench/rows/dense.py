"""Exact search of vectors: 1,977 questions among 5,882 of 384 numbers, the best 60."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.agree import Overlap
from bench.made import vectors
from bench.row import Job, Row, floor, ours, peer

if TYPE_CHECKING:
    from pathlib import Path

N, ASKED, K = 5882, 1977, 60


def memgauge(_: Path) -> Job:
    """Multiply in float32, add exactly what can be among the best, ties by a stated order."""
    from memgauge.retrieval.dense import DenseIndex

    items, asked = vectors(N), vectors(ASKED, seed=6)
    return Job(lambda: DenseIndex(items).search_many(asked, K)[0], lambda found: found)


def faiss(_: Path) -> Job:
    """Multiply and rank in float32."""
    import faiss as library

    library.omp_set_num_threads(1)
    items, asked = vectors(N), vectors(ASKED, seed=6)

    def run() -> object:
        index = library.IndexFlatIP(items.shape[1])
        index.add(items)
        return index.search(asked, K)[1]

    return Job(run, lambda found: found)


def product(_: Path) -> Job:
    """Multiply in float32, and rank nothing."""
    items, asked = vectors(N), vectors(ASKED, seed=6)
    return Job(lambda: asked @ items.T)


ROW = Row(
    "exact dense search, 1,977 x 5,882 x 384, best 60",
    limit=250,
    agreement=Overlap(0.999),
    above=(
        "Looking for what can be among the best, whatever float32 rounds off, and adding its products exactly in "
        "float64 is the rest: the ranking is the same on every machine."
    ),
    sides=(
        ours(memgauge),
        peer(
            "faiss",
            faiss,
            note="IndexFlatIP, in float32",
            why=(
                "It ranks what float32 gives, so that nearly equal items are ordered by how a product is split. "
                "Ours adds again whatever could change places."
            ),
        ),
        floor("one product in float32", product),
    ),
)
