"""A small quality study, as measuring would hand it over."""

from __future__ import annotations

from memgauge.datasets.base import DatasetIdentity
from memgauge.records import Denominator
from memgauge.scoring.board import Score
from memgauge.scoring.compare import Difference
from memgauge.scoring.conclusions import Conclusion
from memgauge.studies.quality.published import TABLE, audit_table
from memgauge.studies.quality.study import (
    HOLDS,
    OPEN,
    PUBLISHED_AS,
    REVERSED,
    ClaimedOrder,
    Quality,
    SystemQuality,
)
from memgauge.studies.quality.tables import MORE

NAMES = ("vector store", "hybrid")


def score(measure: str, value: float | None) -> Score:
    """Make a score, with an interval where there is a value."""
    low, high = (None, None) if value is None else (value - 0.05, value + 0.05)
    reason = "no question has it" if value is None else ""
    return Score(measure, value, low, high, None, None, Denominator(8, 5, {"no truth": 3}), reason)


def difference(measure: str, change: float, verdict: str) -> Difference:
    """Make a difference over two conversations."""
    low, high = change - 0.1, change + 0.1
    return Difference(
        measure, 0.5, 0.5 + change, change, low, high, None, None, 5, 2, 1, "t", 0.5, 0.5, 0.2, Conclusion(verdict)
    )


def measured(names: tuple[str, ...] = NAMES) -> Quality:
    """Measure systems that are equally far apart on everything; the last is best."""
    measures = (*PUBLISHED_AS.values(), *MORE)
    rows = tuple(
        SystemQuality(
            name,
            f"{name}:k=1",
            f"runs/{place}",
            {each: score(each, None if each == "AsOf@5" else 0.2 + place / 10) for each in measures},
            dict(zip(PUBLISHED_AS, TABLE.get(name, ()), strict=False)),
        )
        for place, name in enumerate(names)
    )
    orders = tuple(
        ClaimedOrder(column, *NAMES, difference("a | b", 0.1, "better"), verdict)
        for column, verdict in zip(PUBLISHED_AS, (HOLDS, HOLDS, REVERSED, OPEN, OPEN), strict=True)
    )
    dataset = DatasetIdentity("synthetic:tiny", "synthetic", "f" * 64)
    doubts = tuple(audit_table())
    return Quality(dataset, 2, 8, rows, *((orders, doubts) if names == NAMES else ((), ())))
