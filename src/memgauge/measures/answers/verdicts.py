"""Measures of what judges decided about one answer: the rows that a layer of verdicts has for it."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from memgauge.measures.answers.beam import event_order, rubric_score_as_published
from memgauge.measures.formula import Formula, Reads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.records import Gold

    Value = float | str
    """A value, or why there is none."""
    VerdictCompute = Callable[[Sequence[Mapping[str, Any]], Gold], Value]

POINT: Final = "point"
WORTH: Final[Mapping[str, Mapping[str, float]]] = {
    "fact": {"correct": 1.0, "incorrect": 0.0},
    "declining": {"correct": 1.0, "incorrect": 0.0},
    "outcome": {"correct": 1.0, "hallucination": 0.0, "omission": 0.0},
    POINT: {"full": 1.0, "partly": 0.5, "missing": 0.0},
}
"""What a grade is worth, by rubric; an order and claims are scored otherwise."""


@dataclass(frozen=True)
class VerdictFormula(Formula):
    """A measure of verdicts, and of which."""

    rubrics: frozenset[str] = frozenset()
    """The rubrics whose grades it reads."""


def worth(rows: Sequence[Mapping[str, Any]], _: Gold) -> Value:
    """Return the mean worth of an answer's grades."""
    return fmean(WORTH[row["rubric"]][row["grade"]] for row in rows)


def as_published(rows: Sequence[Mapping[str, Any]], _: Gold) -> Value:
    """Return the mean worth of an answer's points, every half lost."""
    return rubric_score_as_published([WORTH[POINT][row["grade"]] for row in rows])


def order(rows: Sequence[Mapping[str, Any]], gold: Gold) -> Value:
    """Return tau-b of the order in which an answer names the events."""
    ordered_rows = sorted(rows, key=lambda row: int(row["key"].rpartition("#")[2]) if "#" in row["key"] else 0)
    events = [str(n) for n in range(1, len(gold.points) + 1)]
    agreement = event_order([row["grade"] for row in ordered_rows], events)
    return agreement.reason if agreement.value is None else agreement.value


def _measure(
    compute: VerdictCompute,
    *rubrics: str,
    lower: bool = False,
    unit: str = "share",
    source: str = "",
    says: str = "",
) -> VerdictFormula:
    return VerdictFormula(
        compute,
        cutoff=None,
        reads=Reads.VERDICTS,
        lower=lower,
        unit=unit,
        undefined="no majority of judges decided",
        source=source,
        says=says,
        rubrics=frozenset(rubrics),
    )


def _share(grade: str, rubric: str, noun: str, *, lower: bool, source: str = "") -> VerdictFormula:
    def share(rows: Sequence[Mapping[str, Any]], _: Gold) -> Value:
        return fmean(row["grade"] == grade for row in rows)

    says = f"Return the share of {noun} that judges grade {grade}."
    return _measure(share, rubric, lower=lower, source=source, says=says)


JUDGED = _measure(worth, *WORTH)
JUDGED_AS_PUBLISHED = _measure(as_published, POINT, source="BEAM's own code")
EVENT_ORDER = _measure(order, "place", unit="tau-b", source="BEAM")
HALLUCINATION = _share("hallucination", "outcome", "answers", lower=True, source="HaluMem")
OMISSION = _share("omission", "outcome", "answers", lower=True, source="HaluMem")
SUPPORTED = _share("supported", "claim", "an answer's claims", lower=False)
CONTRADICTED = _share("contradicted", "claim", "an answer's claims", lower=True)
UNSUPPORTED = _share("unsupported", "claim", "an answer's claims", lower=True)
