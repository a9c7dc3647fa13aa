"""How retrieval comes back after a shift: pure functions of hits, asked in segments that begin at a boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures.formula import Formula, Reads

if TYPE_CHECKING:
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]
    Ints = npt.NDArray[np.int32]
    Floats = npt.NDArray[np.float64]


def pooled(post_shift: Mask, order: Ints, horizon: int) -> Mask:
    """Mark the questions that Recovery@T pools: the first *horizon* of every segment after a boundary."""
    return post_shift & (order <= horizon)


def recovery(hits: Mask, post_shift: Mask, order: Ints, horizon: int) -> float | None:
    """Return the share of hits among the first *horizon* questions of all segments after a boundary, pooled.

    ``None`` where nothing is asked after a boundary. Source: ShiftBench, section 2, as published.
    """
    in_pool = pooled(post_shift, order, horizon)
    return float(hits[in_pool].mean()) if in_pool.any() else None


def recovery_by_segment(hits: Mask, post_shift: Mask, order: Ints, segment: Ints, horizon: int) -> float | None:
    """Return the mean over segments of each segment's own share: every shift counts the same."""
    in_pool = pooled(post_shift, order, horizon)
    if not in_pool.any():
        return None
    _, segment_places = np.unique(segment[in_pool], return_inverse=True)
    return float((np.bincount(segment_places, weights=hits[in_pool]) / np.bincount(segment_places)).mean())


def curve(hits: Mask, post_shift: Mask, order: Ints, horizon: int) -> list[float | None]:
    """Return Recovery@T for T = 1 … *horizon*."""
    return [recovery(hits, post_shift, order, t) for t in range(1, horizon + 1)]


def deficit(clean: list[float | None], shifted: list[float | None]) -> float | None:
    """Return the area between two curves: hits lost per question, summed over T."""
    pairs = [(a, b) for a, b in zip(clean, shifted, strict=True) if a is not None and b is not None]
    return float(sum(a - b for a, b in pairs)) if pairs else None


@dataclass(frozen=True, slots=True)
class Recovered:
    """When a curve is back; without a time *reason* says why."""

    at: int | None
    reason: str = ""


def time_to_recover(clean: list[float | None], shifted: list[float | None], epsilon: float) -> Recovered:
    """Return the first T from which on the interrupted curve stays within *epsilon* of the clean one.

    A curve that only begins there, since neither finds anything yet, is not back.
    """
    back: int | None = None
    for t, (a, b) in enumerate(zip(clean, shifted, strict=True), 1):
        if a is None or b is None:
            continue
        if b < a - epsilon:
            back = None
        elif back is None:
            back = t
    return Recovered(back, "" if back else f"not within {epsilon:g} of its clean level by T={len(clean)}")


_NOT_ASKED = "nothing is asked after a shift"
_SHIFTBENCH = "ShiftBench, section 2"
RECOVERY = Formula(recovery, reads=Reads.SHIFTS, undefined=_NOT_ASKED, source=f"{_SHIFTBENCH}, as published")
RECOVERY_BY_SEGMENT = Formula(recovery_by_segment, reads=Reads.SHIFTS, undefined=_NOT_ASKED)
DEFICIT = Formula(deficit, reads=Reads.SHIFTS, lower=True, unit="hits", undefined=_NOT_ASKED)
TIME_TO_RECOVER = Formula(
    time_to_recover,
    reads=Reads.SHIFTS,
    lower=True,
    unit="questions",
    undefined="not near its clean level within T",
)
