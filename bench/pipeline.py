"""Measure one search of the full pipeline: 100,000 memories in one scope beside 10,000 other scopes.

Usage: python -m bench.pipeline [--memories N] [--scopes N] [--searches N] [--json]

Words alone, since sentence vectors take the time of their model. Words are drawn by Zipf's law, so that a query
has frequent ones; every fiftieth turn states a fact. The exit code is 1 where the 95th percentile passes 20 ms.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from datetime import datetime, timedelta
from itertools import accumulate, product
from statistics import quantiles
from typing import TYPE_CHECKING

from memgauge.records import Scope, Turn
from memgauge.systems.pipeline.system import Pipeline

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT_MS = 20.0
PORTION = 1_000
START = datetime(2024, 1, 1)  # noqa: DTZ001 - turns carry naive local times
SLOTS = ("home city", "employer", "manager", "bank", "car", "dentist", "landlord", "code editor")
ASKED = ("What is my bank?", "Who was my manager on 5 January 2024?", "How many times has my employer changed?")
WORDS = [
    "".join(parts) for parts in product("bdfglmnprstv", "aeiou", ("ren", "lok", "mit", "sul", "dan", "vor"), "ay")
]
FREQUENCIES = list(accumulate(1 / (rank + 1) for rank in range(len(WORDS))))


def words(rng: random.Random, fewest: int, most: int) -> str:
    """Draw so many words."""
    return " ".join(rng.choices(WORDS, cum_weights=FREQUENCIES, k=rng.randint(fewest, most)))


def turns(rng: random.Random, number: int) -> Iterator[Turn]:
    """Make turns a minute apart."""
    for n in range(number):
        fact = f"My {rng.choice(SLOTS)} is {rng.choice(WORDS).capitalize()}."
        text = words(rng, 8, 20) if n % 50 else fact
        yield Turn(f"t{n}", "Ada", text, "s", START + timedelta(minutes=n))


def measure(memories: int, scopes: int, searches: int) -> dict[str, float]:
    """Fill a memory and search it; return milliseconds, and seconds where the name says so."""
    rng = random.Random(0)  # noqa: S311 - a workload, no secret
    system, big = Pipeline(embedder="none"), Scope("big")
    said = list(turns(rng, memories))
    began = time.perf_counter()
    for start in range(0, memories, PORTION):
        system.ingest(said[start : start + PORTION], big)
    filled = time.perf_counter()
    for user in range(scopes):
        system.ingest([Turn("t0", "Bob", words(rng, 8, 20), "s", START)], Scope(f"u{user}"))
    now = START + timedelta(minutes=memories)
    indexed = time.perf_counter()
    system.search("index", big, 10, now)
    took = [time.perf_counter() - indexed]
    for n in range(searches):
        query = ASKED[n % len(ASKED)] if n % 10 == 0 else words(rng, 3, 8)
        start_s = time.perf_counter()
        system.search(query, big, 10, now)
        took.append(time.perf_counter() - start_s)
    cuts = quantiles(took[1:], n=100)
    return {
        "write_ms": 1000 * (filled - began) / memories,
        "first_search_s": took[0],
        "p50_ms": 1000 * cuts[49],
        "p95_ms": 1000 * cuts[94],
        "max_ms": 1000 * max(took[1:]),
    }


def main() -> int:
    """Print what a search takes."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--scopes", type=int, default=10_000)
    parser.add_argument("--searches", type=int, default=500)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found = measure(given.memories, given.scopes, given.searches)
    lines = (f"{name:<16}{value:>10.3f}" for name, value in found.items())
    print(json.dumps(found) if given.json else "\n".join(lines))
    return int(found["p95_ms"] > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
