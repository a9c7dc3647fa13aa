"""Sets that belong together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.sets import answerability_f1, f1_of_sets

sets = st.frozensets(st.integers(0, 9))


@given(sets, sets)
def test_f1_is_the_harmonic_mean(found: frozenset[int], wanted: frozenset[int]) -> None:
    """It equals 2PR / (P + R), is 1 for the set itself, and undefined where nothing is wanted."""
    f1 = f1_of_sets(found, wanted)
    if not wanted:
        assert f1 is None
        return
    assert f1_of_sets(wanted, wanted) == 1
    hit = len(found & wanted)
    assert f1 is not None
    if hit:
        precision, recall = hit / len(found), hit / len(wanted)
        assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
    else:
        assert f1 == 0


def test_silence_has_an_f1_too() -> None:
    """Staying silent always, never, or only where there is no answer."""
    assert answerability_f1(silent=10, silent_rightly=2, unanswerable=2) == pytest.approx(1 / 3)
    assert answerability_f1(silent=0, silent_rightly=0, unanswerable=2) == 0
    assert answerability_f1(silent=2, silent_rightly=2, unanswerable=2) == 1
    assert answerability_f1(silent=2, silent_rightly=0, unanswerable=0) is None
