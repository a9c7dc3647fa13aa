"""The measures of "Evaluating Agent Memory Beyond Context Length" as its code defines them, flaws included.

Kept so that its numbers can be had again and set beside better ones. Where the document has a function and a class
that differ, both are here. ``docs/quality-interface.md`` lists the flaws.
"""

from __future__ import annotations

from itertools import combinations
from math import nan
from typing import TYPE_CHECKING, Any, Protocol

from memgauge.measures.formula import Formula, Reads

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence


class PublishedEntry(Protocol):
    """What the document's class reads of a returned memory."""

    @property
    def content(self) -> str:
        """The text."""

    @property
    def topic(self) -> str | None:
        """The label under which entries are compared."""

    @property
    def timestamp(self) -> Any:
        """When it was stored; only compared with those of other entries."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Holds its ``id``."""


class PublishedCase(Protocol):
    """What the document's class reads of a case."""

    @property
    def relevant_ids(self) -> Collection[str]:
        """What should be found."""

    @property
    def topic(self) -> str | None:
        """The label of what is asked about."""

    @property
    def temporal_ground_truth(self) -> str | None:
        """The content that is current."""


def precision_at_k_as_published(retrieved: Sequence[str | None], relevant: Collection[str], k: int) -> float:
    """Divide the relevant among the first *k* by k: short lists are punished, repeated ids count again."""
    return _hits(retrieved[:k], relevant) / k


def recall_at_k_as_published(retrieved: Sequence[str | None], relevant: Collection[str], k: int) -> float:
    """Divide the relevant among the first *k* by all relevant: over 1 where ids repeat, 0 with nothing to find."""
    return _hits(retrieved[:k], relevant) / len(relevant) if relevant else 0.0


def temporal_accuracy_as_published(
    retrieved: Iterable[Mapping[str, Any]], ground_truth: Mapping[str, Any]
) -> float:
    """Score 1 when the newest memory of the topic has the content of the truth, wherever it ranks."""
    on_topic = [memory for memory in retrieved if memory["topic"] == ground_truth["topic"]]
    if not on_topic:
        return 0.0
    newest = max(on_topic, key=lambda memory: memory["timestamp"])
    return float(newest["content"] == ground_truth["content"])


def temporal_accuracy_of_case_as_published(retrieved: Iterable[PublishedEntry], case: PublishedCase) -> float:
    """Score the same over entries, and 1 for every case without a truth."""
    if not case.temporal_ground_truth:
        return 1.0
    on_topic = [entry for entry in retrieved if entry.topic == case.topic]
    if not on_topic:
        return 0.0
    newest = max(on_topic, key=lambda entry: entry.timestamp)
    return float(newest.content == case.temporal_ground_truth)


def contradiction_rate_as_published(retrieved: Iterable[Mapping[str, Any]]) -> float:
    """Divide the pairs of a topic with unlike contents by all pairs of a topic; skip memories without a topic."""
    return _unlike_pairs((memory["topic"], memory.get("content")) for memory in retrieved if memory.get("topic"))


def contradiction_rate_of_entries_as_published(retrieved: Iterable[PublishedEntry]) -> float:
    """Divide in the same way over entries; those without a topic are a topic of their own."""
    return _unlike_pairs((entry.topic, entry.content) for entry in retrieved)


def case_as_published(retrieved: Sequence[PublishedEntry], case: PublishedCase) -> dict[str, float]:
    """Value a case by everything that the document's class has; NaN where its code raises."""
    ids, relevant = [entry.metadata.get("id") for entry in retrieved], set(case.relevant_ids)
    return {
        "precision_at_3": precision_at_k_as_published(ids, relevant, 3),
        "precision_at_5": precision_at_k_as_published(ids, relevant, 5),
        "recall_at_5": recall_at_k_as_published(ids, relevant, 5),
        "recall_at_10": recall_at_k_as_published(ids, relevant, 10),
        "temporal_accuracy": _or_nan(lambda: temporal_accuracy_of_case_as_published(retrieved, case)),
        "contradiction_rate": _or_nan(lambda: contradiction_rate_of_entries_as_published(retrieved)),
    }


def _or_nan(definition: Callable[[], float]) -> float:
    try:
        return definition()
    except TypeError:  # times with and without a zone, or topics that are no keys
        return nan


def _hits(ids: Iterable[str | None], relevant: Collection[str]) -> int:
    return sum(identifier in relevant for identifier in ids)


def _unlike_pairs(memories: Iterable[tuple[object, object]]) -> float:
    """Return the share of pairs with one label whose contents differ, 0 without any pair."""
    topics: dict[object, list[object]] = {}
    for topic, content in memories:
        topics.setdefault(topic, []).append(content)
    pairs = [a != b for contents in topics.values() for a, b in combinations(contents, 2)]
    return sum(pairs) / len(pairs) if pairs else 0.0


def _published(compute: Callable[..., float], *, cutoff: bool | None = None, lower: bool = False) -> Formula:
    return Formula(
        compute,
        cutoff=cutoff,
        reads=Reads.HANDED,
        lower=lower,
        undefined="nothing: its code returns 0",
        source="Evaluating Agent Memory Beyond Context Length, its code",
    )


PRECISION_AS_PUBLISHED = _published(precision_at_k_as_published, cutoff=True)
RECALL_AS_PUBLISHED = _published(recall_at_k_as_published, cutoff=True)
TEMPORAL_AS_PUBLISHED = _published(temporal_accuracy_as_published)
CONTRADICTION_AS_PUBLISHED = _published(contradiction_rate_as_published, lower=True)
