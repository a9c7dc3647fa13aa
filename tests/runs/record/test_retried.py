"""Searches that succeeded only when they were tried again."""

from __future__ import annotations

import numpy as np

from memgauge.runs.record.retried import RetriedSearches


def test_only_what_succeeded_after_a_failure_was_retried() -> None:
    """What failed to the end is a failure, and what succeeded at once needs no word."""
    rows = {
        "outcome": np.array(["ok", "empty", "ok", "error", "ok"]),
        "tries": np.array([1, 2, 3, 3, 1]),
        "attempt": np.array([1, 1, 1, 1, 2]),
    }
    searches = RetriedSearches.of(rows)
    assert (searches.total, searches.again) == (5, 3)
    assert searches.sentence == "3 of 5 searches succeeded only when they were tried again."
    at_once = RetriedSearches.of({name: column[:1] for name, column in rows.items()})
    assert (at_once.again, at_once.sentence) == (0, "")
