"""Anomalies: which follows from which, and which promise each breaks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.golden.anomalies import BREAKS, IMPLIED, LADDER, Anomaly, Model, roots, weakest_violated

FOUND = st.sets(st.sampled_from(Anomaly))


def test_every_anomaly_breaks_a_promise() -> None:
    """No kind is left out, and none stands for itself."""
    assert set(BREAKS) == set(Anomaly)
    assert all(kind not in implied for kind, implied in IMPLIED.items())


@given(FOUND)
def test_roots_are_what_nothing_else_explains(found: set[Anomaly]) -> None:
    """Roots were found, each once, in the order of the names; what is left out follows from one of them."""
    kept = roots(found)
    assert list(kept) == [kind for kind in Anomaly if kind in kept]
    assert set(kept) <= found
    assert all(any(kind in IMPLIED.get(root, ()) for root in found) for kind in found - set(kept))
    assert bool(kept) == bool(found)


def test_what_follows_is_left_out() -> None:
    """A value that came back after it was erased was read although it was erased."""
    assert roots([Anomaly.ERASED_READ, Anomaly.RESURRECTION]) == (Anomaly.RESURRECTION,)
    assert roots([Anomaly.OMISSION, Anomaly.STALE_READ]) == (Anomaly.STALE_READ, Anomaly.OMISSION)


@given(FOUND)
def test_the_weakest_broken_promise_takes_the_stronger_ones_with_it(found: set[Anomaly]) -> None:
    """Every promise that is broken is named, and all above the weakest one of the ladder."""
    weakest, others = weakest_violated(found)
    broken = {BREAKS[kind] for kind in found}
    assert broken <= {weakest, *others}
    assert (weakest is None) == (not broken & set(LADDER))
    if weakest is not None:
        assert set(LADDER[LADDER.index(weakest) + 1 :]) <= set(others)
    assert len(set(others)) == len(others)


def test_promises_beside_the_ladder_stand_alone() -> None:
    """A leak says nothing of how current a memory is."""
    assert weakest_violated([Anomaly.CROSS_USER_LEAK]) == (None, (Model.ISOLATED,))
    assert weakest_violated([]) == (None, ())
    assert weakest_violated([Anomaly.FALSE_SUPERSESSION]) == (Model.COEXISTING, (Model.BITEMPORAL,))
