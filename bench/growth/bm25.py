"""The lexical policy `bm25` as a run uses it, in memory: write turns, then search."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from bench.clock import Clock
from bench.growth.curve import LOG_LINEAR, Curve
from bench.growth.haystack import SEARCHES, K
from bench.made import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def work(n: int, _: Path) -> dict[str, float]:
    """Write *n* turns into one memory and search it 100 times."""
    from memgauge.records import Scope, Turn
    from memgauge.systems.catalogue import open_system

    def turns(size: int = 5_000) -> Iterator[list[Turn]]:
        texts, at = sentences(n, block=size), 0
        while portion := list(islice(texts, size)):
            yield [Turn(f"t{at + place}", "Ada", text, "s") for place, text in enumerate(portion)]
            at += len(portion)

    clock, scope = Clock(), Scope(user="ada")
    system: Any = open_system("bm25")
    with clock.part("ingest"):
        for turn in clock.feed(turns()):
            system.ingest([turn], scope)
    asked = list(sentences(SEARCHES, 6, seed=9))
    with clock.part("fit and first search"):
        system.search("index", scope, K, None)
    with clock.part("100 searches"):
        for query in asked:
            system.search(query, scope, K, None)
    return clock.parts


CURVE = Curve(
    "the policy bm25 in memory: ingest, fit, 100 searches",
    "turns",
    (10**3, 10**4, 10**5, 10**6),
    work,
    at_most=LOG_LINEAR,
)
