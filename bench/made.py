"""Inputs that every side makes for itself from the same seed: rankings, words, vectors. Needs numpy alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

QUESTIONS, DEPTH, STORE, CONVERSATIONS = 2000, 60, 600, 10


@dataclass(frozen=True, eq=False)
class Rankings:
    """Which of the memories of its own conversation each question got, and which it should have got."""

    hits: NDArray[np.int32]
    """(questions, depth) numbers of memories over all conversations."""
    wanted: tuple[NDArray[np.int64], ...]
    """The evidence of each question, by the same numbers."""

    @classmethod
    def made(cls, questions: int = QUESTIONS, depth: int = DEPTH, seed: int = 1) -> Rankings:
        """Draw them."""
        rng = np.random.default_rng(seed)
        before = np.arange(questions) % CONVERSATIONS * STORE
        hits = np.stack([rng.permutation(STORE)[:depth] for _ in range(questions)]) + before[:, None]
        sizes = rng.integers(1, 4, questions).tolist()
        wanted = (rng.choice(STORE, n, replace=False) + b for n, b in zip(sizes, before.tolist(), strict=True))
        return cls(hits.astype(np.int32), tuple(wanted))

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """Return the rankings as the dictionaries that libraries of evaluation want."""
        depth = self.hits.shape[1]
        scores = [float(depth - place) for place in range(depth)]
        return {
            f"q{question}": dict(zip(map("d{}".format, row), scores, strict=True))
            for question, row in enumerate(self.hits.tolist())
        }

    @property
    def judgements(self) -> dict[str, dict[str, int]]:
        """Return the evidence in that form."""
        return {f"q{q}": {f"d{d}": 1 for d in each.tolist()} for q, each in enumerate(self.wanted)}


@cache
def words() -> list[str]:
    """Make a vocabulary, frequent words first."""
    middles, ends = ("ren", "lok", "mit", "sul", "dan", "vor"), ("ay", "e", "in", "o")
    parts = product("bdfglmnprstv", "aeiou", middles, ends, ("", "ka", "ti", "be"))
    made = ["".join(part) for part in parts]
    order = np.random.default_rng(0).permutation(len(made))
    return [made[place] for place in order.tolist()]


def sentences(n: int, length: int = 12, seed: int = 3, block: int = 50_000) -> Iterator[str]:
    """Yield *n* texts of *length* words drawn by Zipf's law."""
    rng, known = np.random.default_rng(seed), words()
    chances = np.cumsum(1 / np.arange(1, len(known) + 1))
    for start in range(0, n, block):
        drawn = np.searchsorted(chances, rng.random((min(block, n - start), length)) * chances[-1])
        for row in drawn.tolist():
            yield " ".join([known[word] for word in row])


def vectors(n: int, dim: int = 384, seed: int = 5) -> NDArray[Any]:
    """Draw unit vectors."""
    table = np.random.default_rng(seed).standard_normal((n, dim), dtype=np.float32)
    unit: NDArray[Any] = table / np.linalg.norm(table, axis=1, keepdims=True)
    return unit
