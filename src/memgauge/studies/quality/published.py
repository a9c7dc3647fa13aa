"""The third document's table, as data, and what arithmetic says about it.

The table calls itself illustrative. A validator that only knows the document's own definitions and its own suite
of cases can say which of its figures no system could reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.results import ResultKind, result

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

COLUMNS = ("Precision@5", "Temporal accuracy", "Contradiction rate", "Recall@10", "Multi-session F1")
TABLE: Mapping[str, tuple[float, ...]] = {
    "context only": (0.31, 0.12, 0.45, 0.22, 0.18),
    "vector store": (0.54, 0.28, 0.38, 0.41, 0.35),
    "chunks + reranking": (0.67, 0.35, 0.30, 0.52, 0.48),
    "hybrid": (0.78, 0.51, 0.18, 0.65, 0.61),
    "hybrid + temporal": (0.82, 0.73, 0.12, 0.69, 0.66),
    "full pipeline": (0.89, 0.85, 0.06, 0.78, 0.74),
}
"""Source: "Evaluating Agent Memory Beyond Context Length", benchmark comparison table."""
SUITE: tuple[int, ...] = (1, 1, 2, 1, 1)
"""Relevant memories of each case of the document's own suite."""
SUITE_WITHOUT_TRUTH = 4
"""Of these cases, how many have no temporal ground truth, which scores 1.0 there."""


@result
@dataclass(frozen=True)
class FigureDoubt:
    """Why one published figure cannot be what it says."""

    system: str
    column: str
    published: float
    bound: float | None
    """The most, or the least, that the document's definitions allow on its own suite."""
    verdict: str
    """``impossible``, ``unsupported`` or ``not comparable``."""
    why: str


@result
@dataclass(frozen=True)
class PublishedAudit:
    """What arithmetic says of the whole table."""

    doubts: tuple[FigureDoubt, ...]


PUBLISHED = ResultKind(
    "quality audit-table", 1, PublishedAudit, "memgauge study quality audit-table --out FILE.json"
)


def precision_ceiling(relevant: Sequence[int], k: int) -> float:
    """Return the highest mean precision@k, divided by k as published, that any system can have on a suite."""
    return sum(min(n, k) / k for n in relevant) / len(relevant)


def temporal_floor(cases: int, without_truth: int) -> float:
    """Return the temporal accuracy, as published, of a system that returns nothing."""
    return without_truth / cases


def audit_table() -> list[FigureDoubt]:
    """Check every figure of the table against what the document's definitions allow on its own suite."""
    return [finding for name, figures in TABLE.items() for finding in _audit(name, figures)]


def _audit(name: str, figures: Sequence[float]) -> Iterator[FigureDoubt]:
    precision, temporal, contradiction, _, multi = figures
    ceiling, floor = precision_ceiling(SUITE, 5), temporal_floor(len(SUITE), SUITE_WITHOUT_TRUTH)
    if precision > ceiling:
        reason = (
            f"on the suite no system can exceed {ceiling:.2f}; it takes {5 * precision:.2f} relevant memories a "
            f"case, and the suite has {sum(SUITE) / len(SUITE):.1f}"
        )
        yield FigureDoubt(name, "Precision@5", precision, ceiling, "impossible", reason)
    if temporal < floor:
        reason = (
            f"{SUITE_WITHOUT_TRUTH} of {len(SUITE)} cases have no ground truth and score 1.0, so that a system "
            f"that returns nothing has {floor:.1f}"
        )
        yield FigureDoubt(name, "Temporal accuracy", temporal, floor, "impossible", reason)
    if name == "context only":
        reason = "fewer than two retrieved memories score 0.0 as published, and nothing is retrieved here"
        yield FigureDoubt(name, "Contradiction rate", contradiction, 0.0, "unsupported", reason)
    reason = "the column is never defined in the document"
    yield FigureDoubt(name, "Multi-session F1", multi, None, "not comparable", reason)
