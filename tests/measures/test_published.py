"""The third document's measures give what its code gives."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import isnan
from typing import Any

import pytest

from memgauge.measures.published import (
    case_as_published,
    contradiction_rate_as_published,
    contradiction_rate_of_entries_as_published,
    precision_at_k_as_published,
    recall_at_k_as_published,
    temporal_accuracy_as_published,
    temporal_accuracy_of_case_as_published,
)

NAIVE = datetime.fromisoformat("2025-03-01T12:00:00")
R_SIZES = (1, 1, 2, 1, 1)
"""How many ids are relevant in each case of the document's suite."""


@dataclass(frozen=True)
class Seen:
    """What a store returned, as an object."""

    content: str
    topic: str | None
    timestamp: Any = 0
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """What is asked about."""

    topic: str
    temporal_ground_truth: str | None = None
    relevant_ids: tuple[str, ...] = ()


def memory(content: str, topic: str | None = "job", timestamp: int = 0) -> dict[str, Any]:
    """Write what a store returned as a mapping."""
    return {"content": content, "topic": topic, "timestamp": timestamp}


def both_contradictions(memories: list[dict[str, Any]]) -> tuple[float, float]:
    """Ask the function and the class."""
    entries = [Seen(m["content"], m["topic"]) for m in memories]
    return contradiction_rate_as_published(memories), contradiction_rate_of_entries_as_published(entries)


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "precision", "recall"),
    [
        (["a"], {"a"}, 5, 0.2, 1.0),
        (["a"] * 5, {"a"}, 5, 1.0, 5.0),
        ([], set(), 5, 0.0, 0.0),
        (["x", "a"], {"a", "b"}, 2, 0.5, 0.5),
        (["x", "a"], {"a"}, 1, 0.0, 0.0),
        ([None, "a"], {"a"}, 2, 0.5, 1.0),
    ],
)
def test_ids_as_published(
    retrieved: list[str | None], relevant: set[str], k: int, precision: float, recall: float
) -> None:
    """Short lists are punished, repeated ids count again (recall 5), questions without an answer score 0."""
    assert precision_at_k_as_published(retrieved, relevant, k) == pytest.approx(precision)
    assert recall_at_k_as_published(retrieved, relevant, k) == pytest.approx(recall)


@pytest.mark.parametrize(("k", "ceiling"), [(3, 0.4), (5, 0.24)])
def test_the_suite_has_a_ceiling_far_below_the_table(k: int, ceiling: float) -> None:
    """Every relevant id first, and still .400 and .240; the table claims .89."""
    ideal = [[f"m{n}" for n in range(size)] for size in R_SIZES]
    values = [precision_at_k_as_published([*ids, *"vwxyz"], set(ids), k) for ids in ideal]
    assert sum(values) / len(values) == pytest.approx(ceiling)


def test_the_table_needs_more_relevant_ids_than_the_suite_has() -> None:
    """At k=5 a mean of .89 takes 4.45 relevant ids a case; the suite has 1.2."""
    needed = 0.89 * 5
    assert needed == pytest.approx(4.45)
    assert sum(R_SIZES) / len(R_SIZES) < needed


STAFF = "Staff Engineer"
OLD, NEW = memory("Senior Engineer", timestamp=1), memory(STAFF, timestamp=2)


@pytest.mark.parametrize(
    ("retrieved", "published"),
    [
        pytest.param([OLD, NEW], 1.0, id="old and new: harm is not seen"),
        pytest.param([OLD] * 9 + [NEW], 1.0, id="new at rank 10 behind nine old ones"),
        pytest.param([NEW, memory("Got a 5 % raise", timestamp=3)], 0.0, id="a later fact on another slot"),
        pytest.param([memory("I am a staff engineer", timestamp=2)], 0.0, id="a paraphrase of the truth"),
        pytest.param([NEW, memory("Senior Engineer", timestamp=3)], 0.0, id="an old fact that came in later"),
        pytest.param([], 0.0, id="nothing"),
        pytest.param([OLD], 0.0, id="the wrong version scores as nothing does"),
        pytest.param([memory(STAFF, "other", 9)], 0.0, id="under another topic"),
        pytest.param([NEW, memory("Senior Engineer", timestamp=2)], 1.0, id="a tie goes to the first"),
    ],
)
def test_time_as_published(retrieved: list[dict[str, Any]], published: float) -> None:
    """The newest of the topic has to equal the truth letter by letter, in the function and in the class."""
    entries = [Seen(m["content"], m["topic"], m["timestamp"]) for m in retrieved]
    assert temporal_accuracy_as_published(retrieved, {"topic": "job", "content": STAFF}) == published
    assert temporal_accuracy_of_case_as_published(entries, Asked("job", STAFF)) == published


def test_the_class_gives_full_marks_where_nothing_is_asked() -> None:
    """Four of five cases without a truth lift the mean of a store that returns nothing to .8."""
    cases = [Asked("a"), Asked("job", STAFF), Asked("b"), Asked("c"), Asked("d")]
    values = [temporal_accuracy_of_case_as_published([], case) for case in cases]
    assert sum(values) / len(values) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("memories", "published"),
    [
        pytest.param([memory("likes tea"), memory("tea is what she likes")], 1.0, id="paraphrases"),
        pytest.param([memory("favourite colour blue"), memory("uses dark mode")], 1.0, id="two slots, one topic"),
        pytest.param([memory("a child, Mia"), memory("a child, Tom")], 1.0, id="two children"),
        pytest.param([memory("dark mode", "ui"), memory("light mode", "theme")], 0.0, id="two labels"),
        pytest.param([memory("dark mode, no, light mode")], 0.0, id="both values in one memory"),
        pytest.param([memory("stale"), memory("new")], 1.0, id="1 stale of 2"),
        pytest.param([memory("stale"), *[memory("new")] * 4], 0.4, id="1 stale of 5"),
        pytest.param([memory("stale"), *[memory("new")] * 9], 0.2, id="1 stale of 10"),
        pytest.param([], 0.0, id="nothing returned looks perfect"),
        pytest.param([memory("stale")], 0.0, id="one memory looks perfect"),
    ],
)
def test_contradiction_as_published(memories: list[dict[str, Any]], published: float) -> None:
    """Any two unlike texts under one label contradict each other, and nothing else does."""
    assert both_contradictions(memories) == pytest.approx((published, published))


def test_without_a_topic_function_and_class_disagree() -> None:
    """The function skips what has no topic; the class makes one topic of it."""
    assert both_contradictions([memory("dark mode", None), memory("two cats", None)]) == (0.0, 1.0)
    assert contradiction_rate_as_published([{"content": "dark mode"}, {"content": "two cats"}]) == 0.0


def test_a_case_is_valued_by_the_class_and_nan_where_it_raises() -> None:
    """All six at once; times that cannot be compared end the document's code, and are NaN here."""
    found = [Seen("Senior Engineer", "job", 1, {"id": "a"}), Seen(STAFF, "job", 2, {"id": "b"})]
    case = Asked("job", STAFF, ("b",))
    assert case_as_published(found, case) == {
        "precision_at_3": pytest.approx(1 / 3),
        "precision_at_5": 0.2,
        "recall_at_5": 1.0,
        "recall_at_10": 1.0,
        "temporal_accuracy": 1.0,
        "contradiction_rate": 1.0,
    }
    mixed = [replace(found[0], timestamp=NAIVE), replace(found[1], timestamp=NAIVE.replace(tzinfo=UTC))]
    assert isnan(case_as_published(mixed, case)["temporal_accuracy"])
