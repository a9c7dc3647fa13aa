"""Policies that do not read the query: the floors, the reader of everything, and recency."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

from memgauge.systems.policies.policy import Policy
from memgauge.systems.policies.writing import TURNS
from memgauge.systems.protocol import Role
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge import ranges
    from memgauge.records import Memory, Scope
    from memgauge.systems.policies.store import Shelf

    Ranked = Iterable[tuple[Memory, float | None]]


class Nothing(Policy):
    """Stores every turn and returns none: the floor under every score."""

    name = "none"
    role = Role.FLOOR

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Ranked:  # noqa: ARG002 - protocol
        return ()


@dataclass(kw_only=True, eq=False)
class Random(Policy):
    """Returns turns in a random order that depends on seed, scope, query and turn id alone: the chance level.

    Tie rule: none needed; the order is that of a 128-bit hash.
    """

    name = "random"
    role = Role.FLOOR

    seed: ranges.Seed = 0
    store: str = field(default=TURNS, init=False)

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Ranked:  # noqa: ARG002 - protocol
        drawn = hashlib.blake2b(_bytes(repr((self.seed, repr(scope), query))), digest_size=16).copy
        keys: list[bytes] = []
        for name in shelf.memories:
            own = drawn()
            own.update(_bytes(name))
            keys.append(own.digest())
        memories = list(shelf.memories.values())
        places = sorted(range(len(keys)), key=keys.__getitem__)
        return ((memories[place], None) for place in places)


class Recency(Policy):
    """Returns the latest turns first, whatever is asked. Tie rule: none needed; no two turns came at once."""

    name = "recency"

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Ranked:  # noqa: ARG002 - protocol
        return ((memory, None) for memory in reversed(shelf.memories.values()))


@dataclass(kw_only=True, eq=False)
class Full(Policy):
    """Returns the whole conversation, oldest first: what an agent without a memory reads, cut by k.

    Where k is larger than the conversation this is full context; cut, it is a floor that no memory may fall below.
    With a budget it is the latest part that fits, as a window that is full drops what was said first.
    """

    name = "full"
    role = Role.FLOOR

    budget: ranges.Number = 0
    """Tokens of the window; 0 has room for everything."""

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Ranked:  # noqa: ARG002 - protocol
        memories = tuple(shelf.memories.values())
        fitting = self._fitting(reversed(memories), k) if self.budget else 0
        return ((memory, None) for memory in memories[-fitting if fitting else 0 :])

    def _fitting(self, latest: Iterable[Memory], k: int) -> int:
        """Count the latest memories that fit the window; the last one is there in any case."""
        sizes = accumulate(count_tokens(memory.text) for memory in latest)
        return min(k, max(1, sum(1 for _ in takewhile(lambda size: size <= self.budget, sizes))))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
