"""A tiny study, played once for all tests here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.weak.play import ServedModel, WeakPlay
from memgauge.studies.weak.record import read_lane
from memgauge.studies.weak.spec import WeakSpec
from support.weak import SPEC, asking, relayed

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.weak.record import RecordedLane


@pytest.fixture(scope="package")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play the products of the tiny study, and return its folder."""
    folder = tmp_path_factory.mktemp("weak")
    (folder / "weak.toml").write_text(SPEC, "utf-8")
    with relayed() as relay:
        play = WeakPlay(folder, WeakSpec.read(folder), opener=lambda ref: asking(ref, relay.url))
        list(play.play(ServedModel(relay, "toy (made up)")))
    return folder


@pytest.fixture(scope="package")
def lane(study: Path) -> RecordedLane:
    """Return what is recorded of the memory that asks."""
    recorded = read_lane(study, "asking")
    assert recorded is not None
    return recorded
