"""The document's table and what arithmetic says about it."""

from __future__ import annotations

import pytest

from memgauge.studies.quality.published import SUITE, TABLE, audit_table, precision_ceiling, temporal_floor


def test_no_system_can_have_the_published_precision() -> None:
    """On the document's own suite the ceiling is .24, below every figure of its column."""
    assert precision_ceiling(SUITE, 5) == pytest.approx(0.24)
    assert precision_ceiling(SUITE, 3) == pytest.approx(0.4)
    found = [one for one in audit_table() if one.column == "Precision@5"]
    assert {one.system for one in found} == set(TABLE)
    assert all(one.verdict == "impossible" and one.bound == pytest.approx(0.24) for one in found)
    assert "4.45 relevant memories" in found[-1].why


def test_returning_nothing_beats_most_of_the_published_temporal_accuracy() -> None:
    """Four cases of five score 1.0 without ground truth; only the last system's figure lies above that floor."""
    assert temporal_floor(5, 4) == 0.8
    assert {one.system for one in audit_table() if one.column == "Temporal accuracy"} == set(TABLE) - {
        "full pipeline"
    }


def test_what_is_not_defined_cannot_be_compared() -> None:
    """The last column has no definition, and a system that retrieves nothing has no contradictions."""
    verdicts = {(one.column, one.verdict) for one in audit_table()}
    assert ("Multi-session F1", "not comparable") in verdicts
    assert ("Contradiction rate", "unsupported") in verdicts
