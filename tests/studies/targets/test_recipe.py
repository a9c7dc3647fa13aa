"""The figures of the study, computed again."""

from __future__ import annotations

import pytest

from memgauge.reproduce import Status, reproduce
from support import real_data


@pytest.mark.slow
@pytest.mark.data
def test_every_figure_comes_out_as_claimed() -> None:
    """Counts, scores, flips and orders of four stores of LoCoMo."""
    real_data("locomo/locomo10.json")
    rows = reproduce(["targets"])
    assert {row.name: row.measured for row in rows if row.status is not Status.OK} == {}
