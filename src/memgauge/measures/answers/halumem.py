"""HaluMem's scores: the arithmetic of labels that somebody has given, with its denominators and with fixed ones.

Published, an update point for which a system returns nothing leaves the test of updates, so returning nothing
makes that test easier; here every update point stays in it, as an omission. Source: the benchmark's own code.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.measures.formula import Formula, Reads
from memgauge.records import Denominator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class HaluMemLabel(StrEnum):
    """How an update or an answer was judged."""

    CORRECT = "correct"
    HALLUCINATION = "hallucination"
    OMISSION = "omission"
    OTHER = "other"


@dataclass(frozen=True)
class LabelShares:
    """The share of each label; ``None`` where nothing was judged."""

    rates: Mapping[HaluMemLabel, float | None]
    denominator: Denominator


@dataclass(frozen=True)
class UpdatePoint:
    """One update point."""

    returned: int
    """Memories that a search for it returned."""
    label: HaluMemLabel | None
    """``None`` where it was not judged."""


def answers(labels: Sequence[HaluMemLabel]) -> LabelShares:
    """Return the rates of judged answers."""
    return _rates(labels, {})


def updates(points: Sequence[UpdatePoint]) -> LabelShares:
    """Return the rates of update points over all of them: what was not returned was omitted."""
    labels = [HaluMemLabel.OMISSION if not point.returned else point.label for point in points]
    judged_labels = [label for label in labels if label is not None]
    return _rates(judged_labels, {"not judged": len(labels) - len(judged_labels)})


def updates_as_published(points: Sequence[UpdatePoint]) -> LabelShares:
    """Return the rates over the points for which something was returned: the denominator depends on the system."""
    returned_points = [point for point in points if point.returned]
    judged_labels = [point.label for point in returned_points if point.label is not None]
    exclusions = {
        "nothing returned": len(points) - len(returned_points),
        "not judged": len(returned_points) - len(judged_labels),
    }
    return _rates(judged_labels, exclusions)


def integrity(scores: Sequence[int], importance: Sequence[float] | None = None) -> float | None:
    """Return the share of gold points that were extracted whole (2 of 0, 1, 2), perhaps weighed by importance.

    ``None`` without points. Interference points are traps and do not belong here.
    """
    weights = [1.0] * len(scores) if importance is None else list(importance)
    total = sum(weights)
    if not total:
        return None
    return sum(weight for score, weight in zip(scores, weights, strict=True) if score == 2) / total


def accuracy(scores: Sequence[int]) -> float | None:
    """Return the share of extracted memories that are wholly true (2 of 0, 1, 2); ``None`` without any."""
    return sum(score == 2 for score in scores) / len(scores) if scores else None


def extraction_f1(recall: float | None, precision: float | None) -> float | None:
    """Return the harmonic mean of integrity and accuracy; ``None`` where either is undefined."""
    if recall is None or precision is None:
        return None
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def interference_resistance(scores: Sequence[int], extracted: int) -> float | None:
    """Return the share of interference points that were not taken for facts (score 0).

    ``None`` where nothing at all was extracted: published, an empty memory resists everything.
    """
    return sum(score == 0 for score in scores) / len(scores) if scores and extracted else None


def _rates(labels: Sequence[HaluMemLabel], excluded: Mapping[str, int]) -> LabelShares:
    counts, n = Counter(labels), len(labels)
    exclusions = {reason: count for reason, count in excluded.items() if count}
    rates = {label: counts[label] / n if n else None for label in HaluMemLabel}
    return LabelShares(rates, Denominator(n + sum(exclusions.values()), n, exclusions))


def _of_store(
    compute: Callable[..., float | LabelShares | None], says: str = "", undefined: str = "nothing was judged"
) -> Formula:
    return Formula(
        compute,
        cutoff=None,
        reads=Reads.WRITES,
        undefined=undefined,
        source="HaluMem's own code",
        says=says,
    )


INTEGRITY = _of_store(integrity, "Return the share of gold points that were stored whole.", "no point was judged")
INTEGRITY_WEIGHTED = _of_store(
    integrity, "Return the same, points weighed by their importance.", "no point was judged"
)
ACCURACY = _of_store(accuracy, "Return the share of stored memories that are wholly true.", "nothing was stored")
EXTRACTION_F1 = _of_store(extraction_f1, "Return the harmonic mean of Integrity and Accuracy.")
RESISTANCE = _of_store(
    interference_resistance, "Return the share of traps that were not stored.", "nothing was stored at all"
)
UPDATES = _of_store(updates, "Return the share of update points that were judged correct, of all of them.")
UPDATES_AS_PUBLISHED = _of_store(
    updates_as_published,
    "Return the same of the points for which anything was returned: the system chooses of how many.",
)
