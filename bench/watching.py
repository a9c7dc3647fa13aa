"""What `memgauge.watch` costs beside a call: `python -m bench.watching`, in a few minutes.

Every shape is asked 100,000 times, plain and watched by turns, so that what else the machine does meets both.
Times of calls, and of the search beside them, are the processor's, of all threads. A search returns ten of 2,000
memories of eighty letters, or ten that it never returned before; a write is of a new name. Rows are written to a
disk in memory and to the folder for temporary files.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, gettempdir
from time import perf_counter_ns, process_time_ns
from typing import TYPE_CHECKING, Any

from memgauge.records import Hit, Memory, Ranking, Receipt, Scope
from memgauge.watch import counted, watch

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS = 100_000
_TEXTS = [
    f"On day {n} Ada said that the cafe at the harbour opens at {n % 24} and her cat is {n}." for n in range(2000)
]
_QUERIES = [f"When does the cafe open that Ada spoke of on day {n}?" for n in range(5000)]
_USERS = [f"user-{n}" for n in range(500)]


class _Own:
    """A memory of our own protocol that does nothing but return."""

    def __init__(self) -> None:
        self.rankings = [
            Ranking(tuple(Hit(Memory(f"m{k % 2000}", _TEXTS[k % 2000]), 1 / (1 + k)) for k in range(n, n + 10)))
            for n in range(2000)
        ]

    def search(self, query: str, scope: Scope, k: int) -> Ranking:
        return self.rankings[len(query) * len(scope.user) * k % 2000]

    def ingest(self, *_: Any) -> Receipt:
        return Receipt()

    dump = reset = ingest


class _Unseen(_Own):
    """The same, but that no search returns what another one returned."""

    def __init__(self) -> None:
        self.numbers = count()

    def search(self, query: str, scope: Scope, k: int) -> Ranking:
        del query, scope
        names = islice(self.numbers, k)
        return Ranking(tuple(Hit(Memory(f"m{n}", f"{n}: {_TEXTS[n % 2000]}"), 1 / (1 + n % 2000)) for n in names))


class _Mem0:
    """A memory with mem0's methods that does nothing but return."""

    def __init__(self) -> None:
        rows = [{"id": f"m{n}", "memory": text, "score": 1 / (1 + n)} for n, text in enumerate(_TEXTS * 2)]
        self.results = [{"results": rows[n : n + 10]} for n in range(2000)]

    def search(self, query: str, *, filters: dict[str, str], top_k: int) -> dict[str, Any]:
        return self.results[len(query) * len(filters["user_id"]) * top_k % 2000]

    def add(self, *_: Any, **__: Any) -> None:
        """Do nothing."""

    get_all = update = delete = delete_all = add


@dataclass
class _Item:
    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    score: float


class _ListedStore:
    """A store with LangGraph's methods that does nothing but return."""

    def __init__(self) -> None:
        items = [_Item(("memories", "ada"), f"m{n}", {"text": text}, 0.5) for n, text in enumerate(_TEXTS * 2)]
        self.items = [items[n : n + 10] for n in range(2000)]

    def search(self, namespace: tuple[str, ...], /, *, query: str, limit: int) -> list[_Item]:
        return self.items[len(query) * len(namespace) * limit % 2000]

    def put(self, *_: Any) -> None:
        """Do nothing."""

    get = delete = put


Ask = "Callable[[Any, int], Any]"
_ASKED: dict[str, tuple[Any, Any]] = {
    "memgauge": (_Own, lambda memory, n: memory.search(_QUERIES[n % 5000], Scope(_USERS[n % 500]), 10)),
    "memgauge, unseen": (_Unseen, lambda memory, n: memory.search(_QUERIES[n % 5000], Scope(_USERS[n % 500]), 10)),
    "mem0": (
        _Mem0,
        lambda memory, n: memory.search(_QUERIES[n % 5000], filters={"user_id": _USERS[n % 500]}, top_k=10),
    ),
    "langgraph": (
        _ListedStore,
        lambda memory, n: memory.search(("memories", _USERS[n % 500]), query=_QUERIES[n % 5000], limit=10),
    ),
    "langgraph put": (
        _ListedStore,
        lambda memory, n: memory.put(("memories", "ada"), f"m{n}", {"text": _TEXTS[n % 2000]}),
    ),
}


def _beside(ask: Callable[[Any, int], Any], plain: Any, watched: Any) -> tuple[float, float, float]:
    """Return the median and the 99th of a hundred of what watching adds, and the median of the call, in µs."""
    times: tuple[list[int], list[int]] = [], []
    for n in range(CALLS):
        for memory, taken in zip((plain, watched), times, strict=True):
            began = process_time_ns()
            ask(memory, n)
            taken.append(process_time_ns() - began)
    call = median(times[0])
    added = sorted(taken - call for taken in times[1])
    return added[CALLS // 2] / 1000, added[CALLS * 99 // 100] / 1000, call / 1000


def _vector_search_us() -> float:
    """Return the median of an exact search among 100,000 vectors of 384 numbers by one matrix product, in µs.

    A store whose search is exact does no less; one that searches a graph of neighbours takes a fraction of it.
    """
    import numpy as np

    vectors = np.random.default_rng(0).standard_normal((100_000, 384), dtype=np.float32)
    taken = []
    for n in range(40):
        began = process_time_ns()
        scores = vectors @ vectors[n]
        np.argpartition(scores, -10)[-10:]
        taken.append(process_time_ns() - began)
    return median(taken) / 1000


def _started_ms(program: str) -> float:
    """Return the least milliseconds in which a Python ran *program*, of twenty."""
    taken = []
    for _ in range(20):
        began = perf_counter_ns()
        subprocess.run([sys.executable, "-c", program], check=True)
        taken.append(perf_counter_ns() - began)
    return min(taken) / 1e6


def main() -> None:
    """Print what watching costs."""
    exact = _vector_search_us()
    print(f"an exact search among 100,000 vectors of 384 numbers: {exact:,.0f} µs")
    for place in ("/dev/shm", gettempdir()):  # noqa: S108 - the disk in memory, to tell the kernel's work from ours
        with TemporaryDirectory(dir=place) as folder:
            for name, (kind, ask) in _ASKED.items():
                watched = watch(kind(), Path(folder) / name, salt="s")
                middle, late, call = _beside(ask, kind(), watched)
                print(
                    f"{place} {name}: +{middle:.1f} µs median, +{late:.1f} µs p99 ({call:.1f} µs plain); "
                    f"{middle / exact:.2%} of that search; {counted(watched)}"
                )
    nothing = _started_ms("pass")
    usual = _started_ms("import json, hashlib, hmac, re, dataclasses, threading, functools")
    ours = _started_ms("import memgauge.watch")
    print(f"a start of Python: {nothing:.1f} ms, with modules of its own: {usual:.1f} ms, watching: {ours:.1f} ms")


if __name__ == "__main__":
    main()
