"""Policies that do not read the query: the floors, the reader of everything, and recency."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.systems.policies.policy import Policy
from memgauge.systems.policies.writing import TURNS
from memgauge.systems.protocol import Role

if TYPE_CHECKING:
    from collections.abc import Iterable

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

    seed: int = 0
    store: str = field(default=TURNS, init=False)

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Ranked:  # noqa: ARG002 - protocol
        drawn = hashlib.blake2b(_bytes(repr((self.seed, repr(scope), query))), digest_size=16)

        def key(memory: Memory) -> bytes:
            own = drawn.copy()
            own.update(_bytes(memory.id))
            return own.digest()

        return ((memory, None) for memory in sorted(shelf.memories.values(), key=key))


class Recency(Policy):
    """Returns the latest turns first, whatever is asked. Tie rule: none needed; no two turns came at once."""

    name = "recency"

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Ranked:  # noqa: ARG002 - protocol
        return ((memory, None) for memory in reversed(shelf.memories.values()))


class Full(Policy):
    """Returns the whole conversation, oldest first: what an agent without a memory reads, cut by k.

    Where k is larger than the conversation this is full context; cut, it is a floor that no memory may fall below.
    """

    name = "full"
    role = Role.FLOOR

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Ranked:  # noqa: ARG002 - protocol
        return ((memory, None) for memory in shelf.memories.values())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
