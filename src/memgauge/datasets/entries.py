"""Conversations with their questions and gold, one at a time: what every benchmark of several files is read as."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Protocol

from memgauge.datasets.tally import tally
from memgauge.records import Case, Gold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.datasets.base import DatasetIdentity

Entry = tuple[Case, tuple[Gold, ...]]
"""A conversation with its questions, and the gold of each."""


class EntryStream(Protocol):
    """A dataset that reads entry by entry, anew for every iteration, and counts what it finds odd."""

    identity: DatasetIdentity

    @abstractmethod
    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:
        """Yield every entry, and add to *oddities* what a reader should know of it."""

    def cases(self) -> Iterator[Case]:
        """Yield every conversation with its questions."""
        return (case for case, _ in self.entries(Counter()))

    def gold(self) -> Iterator[Gold]:
        """Yield the gold of every question."""
        return (gold for _, golds in self.entries(Counter()) for gold in golds)

    def describe(self) -> Mapping[str, object]:
        """Count everything, in one reading."""
        oddities = Counter[str]()
        counts = tally(self.entries(oddities), self.identity)
        return {**counts, **dict(sorted(oddities.items()))}
