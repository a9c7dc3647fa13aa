"""A simulated service says the same in memory and from sealed files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.health import health_rows
from memgauge.studies.production.simulate import PlantedFaults, SimulatedService, simulate
from memgauge.studies.production.written import write

if TYPE_CHECKING:
    from pathlib import Path


def test_measures_of_files_are_those_of_what_was_written(tmp_path: Path) -> None:
    """Every measure, its count and its witness; versions are numbered by the writer as by the simulation."""
    faults = PlantedFaults(leak=0.05, stale_from=10, undeleted_from=15)
    traffic = simulate(SimulatedService(users=80, days=28, faults=faults), 3)
    again = TrafficArrays.of(write(traffic, tmp_path / "traffic"))
    assert np.array_equal(again.records.version, traffic.records.version)
    ours, theirs = health_rows(traffic), health_rows(again)
    assert [(row.key, row.cases, row.first) for row in ours] == [(row.key, row.cases, row.first) for row in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        for end in ("mean", "low", "high"):
            assert getattr(mine.value, end) == pytest.approx(getattr(other.value, end)), mine.key
    assert {row.key for row in theirs if row.fault and row.cases} == {"leak", "stale 1 h", "deleted 1 h"}
