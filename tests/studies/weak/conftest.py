"""A tiny study, played once for all tests here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.weak.play import WeakPlay
from memgauge.studies.weak.record import read_lane
from memgauge.studies.weak.spec import WeakSpec
from support.weak import SPEC, asking, served

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.weak.record import RecordedLane


@pytest.fixture(scope="package")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play the products of the tiny study, and return its folder."""
    folder = tmp_path_factory.mktemp("weak")
    (folder / "weak.toml").write_text(SPEC, "utf-8")
    list(WeakPlay(folder, WeakSpec.read(folder), opener=asking).play(served))
    return folder


@pytest.fixture(scope="package")
def lane(study: Path) -> RecordedLane:
    """Return what is recorded of the memory that asks."""
    recorded = read_lane(study, "asking")
    assert recorded is not None
    return recorded
