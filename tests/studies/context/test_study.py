"""One measurement from model to data: profiles, bounds, and what adaptive sampling saves."""

from __future__ import annotations

import json

import pytest

from memgauge.errors import MalformedDataError
from memgauge.llm.access import Access
from memgauge.results import plain
from memgauge.studies.context.effective import LengthRule
from memgauge.studies.context.grid import SampleGrid
from memgauge.studies.context.models import open_local
from memgauge.studies.context.study import PROFILE, ModelStudy, conduct


def measured(model: str, grid: SampleGrid, *, adaptive: bool = False) -> ModelStudy:
    """Measure a local model."""
    local = open_local(model)
    assert local is not None
    return conduct(grid, Access(local), local, adaptive=adaptive)


GRID = SampleGrid(("needle-noise", "update"), (1_000, 2_000), (0.0, 0.5, 1.0), samples=30)


def test_an_echo_is_nothing_here_and_everything_as_published() -> None:
    """Who repeats the prompt has no base to measure, and a perfect score under the published matcher."""
    study = measured("echo", GRID)
    assert [length.told for length in study.effective] == ["not measurable"] * 2
    for task in study.tasks:
        assert (task.f1, task.published, task.dumped) == ((0.0, 0.0), (1.0, 1.0), 180)


def test_a_grid_is_asked_in_full() -> None:
    """Every cell once, and nothing saved; the label is the model's name unless another is given."""
    study = measured("simulated:effective=2000,penalty=0.3", GRID)
    assert (study.asked, study.saved, study.failed, study.adaptive) == (len(GRID), 0, 0, False)
    assert study.label == study.model == "simulated:base=0.95,effective=2000,penalty=0.3,seed=0,slope=0.7"
    assert [length.type for length in study.effective] == ["recall", "update"]


def test_adaptive_sampling_decides_with_fewer_calls() -> None:
    """The bound is that of the known model, calls are saved, and rules that need a full grid are not told."""
    grid = SampleGrid(("needle-noise", "set"), (1_000, 2_000, 4_000, 8_000, 16_000), samples=100)
    study = measured("simulated:effective=5000,slope=2", grid, adaptive=True)
    assert study.grid.depths == (None,)
    assert study.asked + study.saved == 2 * 5 * 100
    assert study.saved > 0.3 * 2 * 5 * 100
    for effective in study.effective:
        assert [length.rule for length in effective.own] == [LengthRule.BOUND]
        assert effective.own[0].tokens in {2_000, 4_000}
        assert effective.absolute == ()
    assert all(task.profiles == () for task in study.tasks)


def test_an_unmeasurable_base_costs_no_more_than_itself() -> None:
    """Adaptively, a model that never knows is asked at the shortest length only."""
    study = measured("silent", SampleGrid(("kv",), (1_000, 2_000), samples=20), adaptive=True)
    assert (study.asked, study.effective[0].told) == (20, "not measurable")


def test_a_study_is_read_back_as_it_was_written() -> None:
    """Depth by length for every task, effective lengths by rule, never one number; the grid says what it is."""
    study = measured("simulated:effective=2000,penalty=0.3", GRID)
    written = json.loads(json.dumps(plain(PROFILE.of(study))))
    read = PROFILE.read(written)
    assert plain(read) == plain(study)
    assert (read.grid, read.effective[0].own) == (study.grid, study.effective[0].own)
    assert [len(profile.points) for profile in read.tasks[0].profiles] == [3, 3]
    assert {length.rule for length in read.effective[0].own} == set(LengthRule)
    assert read.grid.counter == "chars/4"
    assert not any(isinstance(value, float) for value in written["value"].values())


def test_other_results_are_refused() -> None:
    """Another kind, another version and a spoilt value are named in a sentence that says what makes one."""
    written = plain(PROFILE.of(measured("echo", GRID)))
    for spoilt, problem in (
        ({**written, "version": 2}, "version 2"),
        ({**written, "kind": "targets"}, "a targets result"),
        ({**written, "value": {**written["value"], "tasks": [{}]}}, r"tasks\.0\.task"),
    ):
        with pytest.raises(MalformedDataError, match=problem) as refused:
            PROFILE.read(spoilt)
        assert "memgauge study context profile" in str(refused.value)
