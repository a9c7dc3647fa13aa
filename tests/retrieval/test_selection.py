"""Selections over one view."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.retrieval.selection import NOWHERE, SELECTIONS, QuestionView, best, dense, fusion, gated, hsr, raptor

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=30)


def view(sims: list[float], **parts: object) -> QuestionView:
    """Make a view of items of one session, none of them in the tree."""
    n = len(sims)
    whole: dict[str, object] = {
        "filed": np.zeros(n, dtype=np.int64),
        "sessions": np.array([0]),
        "summary_sims": np.array([1.0]),
        "reached": np.zeros(n, dtype=np.bool_),
        "vectors": np.array(sims[::-1]),
    }
    return QuestionView(np.array(sims), **(whole | parts))  # type: ignore[arg-type]


@given(SCORES, st.integers(1, 10))
def test_the_best_are_the_best(scores: list[float], k: int) -> None:
    """The choice is that of a full sort by score, the later item first among equals."""
    expected = sorted(range(len(scores)), key=lambda n: (-scores[n], -n))[:k]
    assert best(np.array(scores), k).tolist() == expected


@pytest.mark.parametrize("name", sorted(SELECTIONS))
@given(scores=SCORES, k=st.integers(1, 10))
def test_every_selection_returns_distinct_items_best_first(name: str, scores: list[float], k: int) -> None:
    """At most k items, none twice, in the order of their scores."""
    places, values = SELECTIONS[name](view(scores), k)
    assert len(places) == len(values) <= min(k, len(scores))
    assert len(set(places.tolist())) == len(places)
    assert values.tolist() == sorted(values.tolist(), reverse=True)


def test_gate_sessions_tree_and_age_each_do_their_part() -> None:
    """One item of each kind shows what a selection looks at."""
    assert gated(view([0.1, 0.19]), 5)[0].tolist() == []
    assert gated(view([0.1, 0.19]), 5, gate=0.15)[0].tolist() == [1, 0]
    filed = np.array([0, 1, NOWHERE])
    two = view([0.1, 0.2, 0.9], filed=filed, sessions=np.array([0, 1]), summary_sims=np.array([0.3, 0.1]))
    assert hsr(two, 5, summaries=1)[0].tolist() == [0]
    assert hsr(two, 5)[0].tolist() == [1, 0]
    reached = np.array([True, False, False])
    assert raptor(view([0.5, 0.9, 0.1], reached=reached), 5, buffer=1)[0].tolist() == [0, 2]
    places, scores = fusion(view([1.0, 1.0], reached=np.ones(2, dtype=np.bool_)), 5, tau=1.0)
    assert places.tolist() == [1, 0]
    assert scores.tolist() == pytest.approx([1.0, 0.5 + 0.5 * np.exp(-1)])
    assert dense(view([0.1, 0.9]), 1)[0].tolist() == [0]


def test_dense_needs_vectors() -> None:
    """Without sentence vectors there is nothing to select by."""
    with pytest.raises(ValueError, match="sentence vectors"):
        dense(view([0.1], vectors=None), 1)
