"""The formulas of ranked retrieval over judged gains.

Every one is undefined where there is nothing to find. A hit is *credited* when its gain is positive; under
``credit=anchor`` that excludes a second memory about evidence that a better rank already gave. Where a contract
asks for a witness, a hit is credited as far as its text bears the evidence, and counts for no more than that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.measures.formula import Formula, Rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from memgauge.measures.credit import Judged


def hit(judged: Judged, _: Mapping[str, str]) -> Rows:
    """Score 1 when any hit is credited."""
    return _rows(judged, judged.credited.max(axis=1, initial=0.0))


def recall(judged: Judged, _: Mapping[str, str]) -> Rows:
    """Divide what was found by what there is to find."""
    return _rows(judged, judged.gains.sum(axis=1) / np.maximum(judged.relevant, 1.0))


def capped_recall(judged: Judged, _: Mapping[str, str]) -> Rows:
    """Divide what was found by what k hits can find at most.

    Of memories that each stand for one evidence turn that is hits in k / min(relevant, k).
    """
    possible = judged.ideal.sum(axis=1)
    value = judged.gains.sum(axis=1) / np.where(possible > 0, possible, 1.0)
    return _rows(judged, np.minimum(value, 1.0))


def complete(judged: Judged, _: Mapping[str, str]) -> Rows:
    """Score 1 when every evidence turn was found, those without a member of the target included.

    Of turns that are borne in part it is what is left of 1 when everything that is missing is taken off.
    """
    return _rows(judged, np.clip(judged.covered.sum(axis=1) - judged.anchors + 1.0, 0.0, 1.0))


def precision(judged: Judged, params: Mapping[str, str]) -> Rows:
    """Divide the credited hits by k (``conv=k``), by min(k, returned) or by min(k, what there is to find).

    ``conv=returned`` is undefined where nothing was returned; ``conv=cap`` has the ceiling 1 for every question.
    """
    by = {
        "k": np.full(len(judged.returned), float(judged.depth)),
        "returned": judged.returned.astype(np.float64),
        "cap": np.minimum(judged.relevant, judged.depth),
    }[params["conv"]]
    rows = _rows(judged, judged.credited.sum(axis=1) / np.maximum(by, 1.0))
    return Rows(rows.values, rows.defined & (by > 0))


def reciprocal_rank(judged: Judged, _: Mapping[str, str]) -> Rows:
    """Return 1 / rank of the first credited hit, 0 without one."""
    if judged.share is None and judged.place is None and judged.depth:
        is_credited = judged.gains > 0
        first_ranks = is_credited.argmax(axis=1)
        return _rows(judged, is_credited[np.arange(len(first_ranks)), first_ranks] / (first_ranks + 1.0))
    return _rows(judged, (judged.credited / judged.places).max(axis=1, initial=0.0))


def ndcg(judged: Judged, _: Mapping[str, str]) -> Rows:
    """Discount gain by 1/log2(rank + 1) and divide by the same sum over the ideal ranking.

    Source: Järvelin and Kekäläinen 2002 with the discount of the literature (rank 2 is discounted). The ideal of
    memories with several evidence turns is a greedy cover, which a ranking may beat; the value is capped at 1.
    """
    discount = 1.0 / np.log2(np.arange(2.0, judged.depth + 2.0))
    ideal_gains = judged.ideal @ discount
    gained = judged.gains @ discount
    if judged.place is not None:
        gained = (judged.gains / np.log2(judged.place + 1.0)).sum(axis=1)
    value = gained / np.where(ideal_gains > 0, ideal_gains, 1.0)
    return _rows(judged, np.minimum(value, 1.0))


def average_precision(judged: Judged, _: Mapping[str, str]) -> Rows:
    """Average, over what there is to find, the precision at the rank where it was found; never found is 0.

    Σ gain_i · (credited hits among the first i) / i, divided by what there is to find (not by min of it and k):
    trec_eval's convention for gains of 0 and 1.
    """
    ranks = np.arange(1.0, judged.depth + 1.0)
    at_rank = judged.credited.cumsum(axis=1) / ranks
    # Added rank by rank: a sum whose order depends on the number of ranks could lose a bit by looking further.
    gained = (judged.gains * at_rank).cumsum(axis=1)[:, -1]
    return _rows(judged, gained / np.maximum(judged.relevant, 1.0))


def _rows(judged: Judged, values: NDArray[np.float64] | NDArray[np.bool_]) -> Rows:
    """Mark as undefined the questions with nothing to find."""
    is_defined = judged.relevant > 0
    return Rows(np.where(is_defined, values, 0.0), is_defined)


TIAP = "Scoring targets (TIAP)"
COMPLETE = Formula(complete, tokens=True, source=TIAP)
CURVE = Formula(
    recall, cutoff=False, ladder=True, says="Average Recall over budgets of tokens, on a logarithmic scale."
)
HIT = Formula(hit, tokens=True, source=TIAP)
MAP = Formula(average_precision, source="trec_eval, for gains of 0 and 1")
MRR = Formula(reciprocal_rank, cutoff=False, tokens=True, source="Voorhees 1999", unit="1 / rank")
NDCG = Formula(ndcg, tokens=True, grows=False, source="Järvelin and Kekäläinen 2002")
"""Its ideal has as many ranks as are judged: where more is to be found, judging more of them raises it."""
PRECISION = Formula(
    precision,
    options={"conv": ("k", "returned", "cap")},
    undefined="nothing to find; conv=returned: nothing returned",
)
RECALL = Formula(recall, tokens=True)
R_CAP = Formula(capped_recall, source="LMEB (arXiv 2603.12572)")
