"""A small simulated service, written once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.production.service import PlantedFaults, SimulatedService
from memgauge.studies.production.simulate import simulate
from memgauge.studies.production.written import write

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.exchange.traffic.reading import Traffic

SMALL = SimulatedService(users=150, days=28, faults=PlantedFaults(leak=0.05, stale_from=10, undeleted_from=15))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Traffic:
    """Write four weeks of 150 users, with a leak, stale returns and returns after deletion."""
    return write(simulate(SMALL, 3), tmp_path_factory.mktemp("small") / "traffic")


@pytest.fixture(scope="session")
def small_folder(small: Traffic) -> Path:
    """Return where that traffic lies."""
    return small.folder
