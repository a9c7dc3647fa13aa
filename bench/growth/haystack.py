"""BM25 over turns on disk: ingest from a stream, index in parts, search."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from bench.clock import Clock
from bench.growth.curve import LOG_LINEAR, Curve
from bench.made import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEARCHES, K = 100, 10


def portions(n: int, size: int = 5_000) -> Iterator[list[str]]:
    """Make texts."""
    texts = sentences(n, block=size)
    while portion := list(islice(texts, size)):
        yield portion


def work(n: int, folder: Path) -> dict[str, float]:
    """Build an index of *n* turns and search it 100 times."""
    from memgauge.retrieval.haystack import HaystackIndex

    clock, asked = Clock(), list(sentences(SEARCHES, 6, seed=9))
    with clock.part("ingest and fit"):
        made = HaystackIndex(folder / "index")
        for portion in clock.feed([texts] for texts in portions(n)):
            made.extend(portion)
    with clock.part("100 searches"):
        made.search_many(asked, K)
    return clock.parts


CURVE = Curve(
    "BM25 on disk: ingest, fit, 100 searches",
    "turns",
    (10**3, 10**4, 10**5, 10**6, 10**7),
    work,
    at_most=LOG_LINEAR,
)
