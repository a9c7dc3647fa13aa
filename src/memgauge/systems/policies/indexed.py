"""Policies that search an index: it is kept in step with its shelf, lazily and in batches."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from memgauge.systems.locking import locked
from memgauge.systems.policies.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Memory, Scope
    from memgauge.systems.policies.store import Shelf


class Index(Protocol):
    """Searches a growing list of memories, which it numbers as they come."""

    def extend(self, memories: Sequence[Memory]) -> None:
        """Add *memories* at the end."""

    def search(self, query: str, k: int) -> Sequence[tuple[int, float]]:
        """Return places and scores of the best *k*, best first."""


@dataclass(frozen=True)
class _Covered:
    """An index and what it covers: a shelf at one revision, up to so many memories."""

    shelf: Shelf
    revision: int
    memories: list[Memory]
    index: Index


class IndexedPolicy(Policy):
    """Rank by an index of each scope; a change other than an addition builds it anew."""

    def __post_init__(self) -> None:
        """Index nothing yet."""
        super().__post_init__()
        self._covered: dict[Scope, _Covered] = {}

    @abstractmethod
    def _new_index(self, scope: Scope) -> Index:
        """Make an empty index for one scope."""

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Iterator[tuple[Memory, float | None]]:
        covered = self._cover(scope, shelf)
        return ((covered.memories[place], score) for place, score in covered.index.search(query, k))

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Index what was written; a search would do it too."""
        super().flush(scope, timeout_s)
        self._cover(scope, self._shelf(scope))

    @locked
    def erase(self, scope: Scope) -> None:
        """Forget *scope*, its index included."""
        super().erase(scope)
        self._covered.pop(scope, None)

    def reset(self) -> None:
        """Forget everything, indexes included."""
        super().reset()
        self._covered.clear()

    def _cover(self, scope: Scope, shelf: Shelf) -> _Covered:
        covered = self._covered.get(scope)
        if covered is None or covered.shelf is not shelf or covered.revision != shelf.revision:
            covered = self._covered[scope] = _Covered(shelf, shelf.revision, [], self._new_index(scope))
        new = tuple(islice(shelf.memories.values(), len(covered.memories), None))
        if new:
            covered.index.extend(new)
            covered.memories.extend(new)
        return covered
