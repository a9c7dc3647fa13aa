"""A simulated service says the same in memory and from sealed files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.health import health_rows
from memgauge.studies.production.service import PlantedFaults, SimulatedService
from memgauge.studies.production.simulate import simulate

if TYPE_CHECKING:
    from memgauge.exchange.traffic.reading import Traffic

FAULTS = PlantedFaults(leak=0.05, stale_from=10, undeleted_from=15)


def test_measures_of_files_are_those_of_what_was_written(small: Traffic) -> None:
    """Every measure, its count and its witness; versions are numbered by the writer as by the simulation."""
    traffic = simulate(SimulatedService(users=150, days=28, faults=FAULTS), 3)
    again = TrafficArrays.of(small)
    assert np.array_equal(again.hits.version, traffic.hits.version)
    assert np.array_equal(again.changes.version, traffic.changes.version)
    ours, theirs = (
        [
            row for row in health_rows(each) if row.key not in ("near twice", "near list", "repeated tokens")
        ]  # not of these texts
        for each in (traffic, again)
    )
    assert [(row.key, row.cases, row.first) for row in ours] == [(row.key, row.cases, row.first) for row in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        for end in ("mean", "low", "high"):
            assert getattr(mine.value, end) == pytest.approx(getattr(other.value, end)), mine.key
    assert {row.key for row in theirs if row.fault and row.cases} == {"leak", "stale 1 h", "deleted 1 h"}


def test_a_store_that_is_shared_leaks_nothing(small: Traffic) -> None:
    """Whoever returns from it returns what belongs to everybody; without a case the share is undefined, not 0."""
    (leak,) = [row for row in health_rows(TrafficArrays.of(small, ("notes",))) if row.key == "leak"]
    assert (leak.value.mean, leak.cases) == (None, None)
    assert leak.value.reason == "scopes are not known on both sides"
