"""A clock that jumps changes no result."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import pytest

from chaos.faults import DATASET, SYSTEM
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.seal import Seal
from support.faults import failed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DAY = 86_400.0


def jumping(clock: Callable[[], float], chance: random.Random) -> Callable[[], float]:
    """Make a clock that goes back or on by up to ten days at every reading."""
    return lambda: clock() + chance.uniform(-10 * DAY, 10 * DAY)


@pytest.mark.parametrize("seed", range(2))
def test_a_jump_of_the_wall_clock_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Neither the rows nor the files of a run know what day it is."""
    (plain,) = execute(plan([DATASET], [SYSTEM]), tmp_path / "plain")
    chance = random.Random(seed)  # noqa: S311 - no secret
    monkeypatch.setattr(time, "time", jumping(time.time, chance))
    (folder,) = execute(plan([DATASET], [SYSTEM]), tmp_path / "out")
    assert Seal.read(folder).content == Seal.read(plain).content
    assert failed(folder) == {}


def test_a_jump_of_every_clock_costs_time_and_no_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Durations are wrong then, even negative; what was returned is not, and the run verifies."""
    (plain,) = execute(plan([DATASET], [SYSTEM]), tmp_path / "plain")
    chance = random.Random(3)  # noqa: S311 - no secret
    for name in ("time", "perf_counter"):
        monkeypatch.setattr(time, name, jumping(getattr(time, name), chance))
    (folder,) = execute(plan([DATASET], [SYSTEM]), tmp_path / "out")
    monkeypatch.undo()
    assert Seal.read(folder).content == Seal.read(plain).content
    assert failed(folder) == {}
