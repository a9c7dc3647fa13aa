"""The formulas: equality with the field's own implementation, and laws."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.measures import Anchors, Descent, Judged, Trace, judge, parse
from memgauge.records import Credit

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALL = (
    "Hit",
    "Recall",
    "Precision",
    "Precision(conv=returned)",
    "Precision(conv=cap)",
    "Complete",
    "MRR",
    "nDCG",
    "MAP",
)


def binary(gains: list[list[int]], relevant: list[int], returned: list[int] | None = None) -> Judged:
    """Judge by hand: gains of 0 and 1 at each rank, and how much there is to find."""
    table = np.array(gains, dtype=np.float64)
    found = np.array(relevant, dtype=np.float64)
    ideal = (np.arange(table.shape[1]) < found[:, None]).astype(np.float64)
    count = np.array(returned or [table.shape[1]] * len(table), dtype=np.int32)
    return Judged(table, ideal, found, found.astype(np.int32), count, table)


def value(text: str, judged: Judged) -> float | None:
    """Return the value of the first question, ``None`` where undefined."""
    rows = parse(text).rows(judged)
    return float(rows.values[0]) if rows.defined[0] else None


@st.composite
def judgements(draw: st.DrawFn) -> Judged:
    """Draw binary gains of one question with at least one thing to find."""
    gains = draw(st.lists(st.integers(0, 1), min_size=2, max_size=12))
    relevant = max(sum(gains), 1) + draw(st.integers(0, 4))
    last = max([i + 1 for i, g in enumerate(gains) if g], default=0)
    return binary([gains], [relevant], [draw(st.integers(last, len(gains)))])


ORACLES = {
    "nDCG": ir_measures.nDCG,
    "Recall": ir_measures.R,
    "Precision": ir_measures.P,
    "MAP": ir_measures.AP,
    "Hit": ir_measures.Success,
}


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from(sorted(ORACLES)))
@settings(max_examples=60)
def test_formulas_equal_ir_measures(seed: int, cutoff: int, name: str) -> None:
    """Give ir_measures' values, question by question, on data without ties."""
    rng = np.random.default_rng(seed)
    questions, documents, depth = 5, 20, 12
    hits = np.concatenate([rng.permutation(documents)[:depth] for _ in range(questions)]).astype(np.int32)
    query = np.repeat(np.arange(questions, dtype=np.int32), depth)
    relevant = rng.random((questions, documents)) < 0.2
    relevant[:, 0] = True
    anchors = Anchors(*(axis.astype(np.int32) for axis in np.nonzero(relevant)))
    store = Descent(np.arange(documents + 1), np.arange(documents, dtype=np.int32))
    everything = np.ones(documents, np.bool_)
    judged = judge(Trace(query, hits, questions), store, anchors, k=12, credited=everything, credit=Credit.ID)
    run = {str(q): {str(hits[q * depth + i]): float(depth - i) for i in range(depth)} for q in range(questions)}
    qrels = {str(q): {str(d): int(relevant[q, d]) for d in range(documents)} for q in range(questions)}
    for text, oracle in ((f"{name}@{cutoff}", ORACLES[name] @ cutoff), ("MRR", ir_measures.RR)):
        theirs = {m.query_id: m.value for m in oracle.iter_calc(qrels, run)}
        assert parse(text).rows(judged).values == pytest.approx([theirs[str(q)] for q in range(questions)])


@given(judgements(), st.sampled_from(ALL), st.integers(1, 12))
def test_values_lie_between_0_and_1(judged: Judged, name: str, cutoff: int) -> None:
    """Keep every measure within [0, 1] at every cutoff."""
    rows = parse(f"{name}@{min(cutoff, judged.depth)}").rows(judged)
    assert (rows.values >= 0).all()
    assert (rows.values <= 1).all()


@given(judgements(), st.sampled_from(["Hit", "Recall", "Complete", "MRR", "MAP"]))
def test_more_ranks_never_hurt(judged: Judged, name: str) -> None:
    """Never lose by looking at one rank more."""
    values = [float(parse(f"{name}@{k}").rows(judged).values[0]) for k in range(1, judged.depth + 1)]
    assert values == sorted(values)


@given(judgements(), st.sampled_from(ALL), st.data())
def test_moving_a_relevant_hit_up_never_hurts(judged: Judged, name: str, data: st.DataObject) -> None:
    """Never lose when a credited hit changes places with a worthless one above it."""
    high, low = sorted(data.draw(st.tuples(*[st.integers(0, judged.depth - 1)] * 2)))
    gains: NDArray[np.float64] = judged.gains.copy()
    gains[0, [high, low]] = np.sort(gains[0, [high, low]])[::-1]
    moved = replace(judged, gains=gains, covered=gains)
    for cutoff in range(1, judged.depth + 1):
        measure = parse(f"{name}@{cutoff}")
        assert measure.rows(moved).values[0] >= measure.rows(judged).values[0] - 1e-12


def test_precision_conventions_differ() -> None:
    """Divide one relevant hit of one returned at k=5 by 5, by 1 returned, by 2 there are to find."""
    judged = binary([[1, 0, 0, 0, 0]], [2], [1])
    assert value("Precision@5", judged) == pytest.approx(0.2)
    assert value("Precision(conv=returned)@5", judged) == pytest.approx(1.0)
    assert value("Precision(conv=cap)@5", judged) == pytest.approx(0.5)


def test_precision_of_nothing_returned() -> None:
    """Leave precision of the returned undefined when nothing was, and score 0 by k."""
    judged = binary([[0, 0]], [1], [0])
    assert value("Precision(conv=returned)@2", judged) is None
    assert value("Precision@2", judged) == pytest.approx(0.0)


@pytest.mark.parametrize("name", ALL)
def test_nothing_to_find_is_undefined(name: str) -> None:
    """Leave every measure undefined where there is nothing to find."""
    assert value(f"{name}@2", binary([[0, 0]], [0])) is None


def test_complete_counts_evidence_out_of_reach() -> None:
    """Refuse completeness when one of two evidence turns has no member of the target."""
    reached = binary([[1, 0]], [1])
    assert value("Complete@2", reached) == pytest.approx(1.0)
    assert value("Complete@2", replace(reached, anchors=np.array([2], dtype=np.int32))) == pytest.approx(0.0)


def test_ndcg_is_capped_where_greedy_is_beaten() -> None:
    """Cap nDCG at 1 when a ranking beats the greedy ideal."""
    judged = binary([[1, 1]], [2])
    assert value("nDCG@2", replace(judged, ideal=np.array([[1.0, 0.0]]))) == pytest.approx(1.0)


@given(judged=judgements())
def test_capped_recall_is_what_k_hits_could_find(judged: Judged) -> None:
    """R_cap is hits in k over the smaller of k and what there is to find."""
    hits, relevant = float(judged.gains[0].sum()), float(judged.relevant[0])
    assert value(f"R_cap@{judged.depth}", judged) == pytest.approx(hits / min(relevant, judged.depth))


def test_capped_recall_forgives_what_does_not_fit() -> None:
    """Two of five relevant documents fill a list of two: recall is 0.4, capped recall is 1."""
    judged = binary([[1, 1]], [5])
    assert value("R_cap@2", judged) == 1.0
    assert value("Recall@2", judged) == pytest.approx(0.4)
    assert value("R_cap@2", binary([[0, 0]], [0])) is None
