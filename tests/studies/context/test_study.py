"""One measurement from model to data: profiles, bounds, and what adaptive sampling saves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.llm.access import Access
from memgauge.results import plain
from memgauge.studies.context.effective import Rule
from memgauge.studies.context.grid import SampleGrid
from memgauge.studies.context.models import open_local
from memgauge.studies.context.study import as_data, conduct, read_data

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.context.study import ModelStudy


def measured(model: str, grid: SampleGrid, *, adaptive: bool = False) -> ModelStudy:
    """Measure a local model."""
    local = open_local(model)
    assert local is not None
    return conduct(grid, Access(local), local, adaptive=adaptive)


GRID = SampleGrid(("needle-noise", "update"), (1_000, 2_000), (0.0, 0.5, 1.0), samples=30)


def test_an_echo_is_nothing_here_and_everything_as_published() -> None:
    """Who repeats the prompt has no base to measure, and a perfect score under the published matcher."""
    study = measured("echo", GRID)
    assert [one.told for one in study.effective] == ["not measurable"] * 2
    for task in study.tasks:
        assert (task.f1, task.published, task.dumped) == ((0.0, 0.0), (1.0, 1.0), 180)


def test_a_grid_is_asked_in_full() -> None:
    """Every cell once, and nothing saved; the label is the model's name unless another is given."""
    study = measured("simulated:effective=2000,penalty=0.3", GRID)
    assert (study.asked, study.saved, study.failed, study.adaptive) == (len(GRID), 0, 0, False)
    assert study.label == study.model == "simulated:base=0.95,effective=2000,penalty=0.3,seed=0,slope=0.7"
    assert [one.type for one in study.effective] == ["recall", "update"]


def test_adaptive_sampling_decides_with_fewer_calls() -> None:
    """The bound is that of the known model, calls are saved, and rules that need a full grid are not told."""
    grid = SampleGrid(("needle-noise", "set"), (1_000, 2_000, 4_000, 8_000, 16_000), samples=150)
    study = measured("simulated:effective=5000,slope=2", grid, adaptive=True)
    assert study.grid.depths == (None,)
    assert study.asked + study.saved == 2 * 5 * 150
    assert study.saved > 0.3 * 2 * 5 * 150
    for one in study.effective:
        assert [length.rule for length in one.own] == [Rule.BOUND]
        assert one.own[0].tokens in {2_000, 4_000}
        assert one.absolute == ()
    assert all(task.profiles == () for task in study.tasks)


def test_an_unmeasurable_base_costs_no_more_than_itself() -> None:
    """Adaptively, a model that never knows is asked at the shortest length only."""
    study = measured("silent", SampleGrid(("kv",), (1_000, 2_000), samples=20), adaptive=True)
    assert (study.asked, study.effective[0].told) == (20, "not measurable")


def test_data_hold_matrix_and_vector_and_never_one_number(tmp_path: Path) -> None:
    """What is written can be read again: depth by length for every task, effective lengths by rule."""
    data = plain(as_data(measured("simulated:effective=2000,penalty=0.3", GRID)))
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(data), "utf-8")
    assert read_data(path) == data
    assert [len(row) for row in data["tasks"][0]["matrix"]] == [3, 3]
    assert set(data["effective"][0]["own"]) == set(map(str, Rule))
    assert data["counter"] == "chars/4"
    assert not any(isinstance(value, float) for value in data.values())


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99, "tasks": []}'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    """A file that holds no profile is named."""
    path = tmp_path / "other.json"
    path.write_text(text, "utf-8")
    with pytest.raises(MalformedDataError, match=r"other\.json"):
        read_data(path)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    """A path that leads nowhere is a mistake of whoever names it."""
    with pytest.raises(DataNotFoundError, match="No such file"):
        read_data(tmp_path / "absent.json")
