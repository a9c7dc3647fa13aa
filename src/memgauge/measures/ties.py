"""How much of a value is owed to the order within equal scores, which no system promises anything about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgauge.measures.credit import Judged
    from memgauge.measures.formula import Rows
    from memgauge.measures.measure import Measure


@dataclass(frozen=True, eq=False)
class TieBounds:
    """The values of a measure under the worst and the best order within ties."""

    low: Rows
    high: Rows


def tie_sensitivity(measure: Measure, judged: Judged, scores: NDArray[np.float64]) -> TieBounds:
    """Bound *measure* over all orders of neighbouring hits with equal *scores* (Q, K; NaN is equal to nothing).

    The ranking itself is never re-sorted: only runs of equal scores are permuted. The bounds are reached when no
    two hits of one run share an evidence turn; where two do, under ``credit=anchor``, an order may stay inside
    them. Gains are taken as they fell, so a run in which one memory descends from several evidence turns that
    others of the run share may leave them. Within a token budget each rank keeps its length.

    Raises:
        ValueError: *scores* is not of the shape of the gains.
    """
    if scores.shape != judged.gains.shape:
        raise ValueError(f"Scores of shape {scores.shape} beside gains of shape {judged.gains.shape}.")
    is_returned = np.arange(judged.depth) < judged.returned[:, None]
    returned_scores = np.where(is_returned, scores, np.nan)
    runs = np.zeros(returned_scores.shape, dtype=np.int64)
    runs[:, 1:] = (returned_scores[:, 1:] != returned_scores[:, :-1]).cumsum(axis=1)
    return TieBounds(measure.rows(_ordered(judged, runs, 1)), measure.rows(_ordered(judged, runs, -1)))


def _ordered(judged: Judged, runs: NDArray[np.int64], sign: int) -> Judged:
    """Sort gains within runs, ascending for *sign* 1, descending for -1."""
    by_gain, by_cover = (np.lexsort((sign * column, runs), axis=-1) for column in (judged.gains, judged.covered))
    return replace(
        judged,
        gains=np.take_along_axis(judged.gains, by_gain, axis=-1),
        covered=np.take_along_axis(judged.covered, by_cover, axis=-1),
        share=None if judged.share is None else np.take_along_axis(judged.share, by_gain, axis=-1),
    )
