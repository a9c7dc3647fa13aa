"""A history is only appended to, and compares only what is comparable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import MalformedDataError, RunError
from memgauge.llm.access import Access
from memgauge.studies.context.grid import SampleGrid
from memgauge.studies.context.models import open_local
from memgauge.studies.context.study import conduct
from memgauge.studies.context.trend import HISTORY, append, comparable, is_history

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.context.study import ModelStudy


def measured(model: str = "simulated", depths: tuple[float | None, ...] = (0.0, 0.5)) -> ModelStudy:
    """Measure a local model with few samples."""
    local = open_local(model)
    assert local is not None
    return conduct(
        SampleGrid(("kv", "set"), (1_000, 2_000), depths, samples=4), Access(local), local, label="tiny"
    )


def test_measurements_are_numbered(tmp_path: Path) -> None:
    """Each measurement has a number of its own, also under the same label, and every task is an entry."""
    path = tmp_path / "deep" / "history.jsonl"
    assert HISTORY.read(path) == ()
    for day in ("2026-01-01", "2026-01-02"):
        append(path, measured(), day)
    found = HISTORY.read(path)
    assert [(entry.measurement, entry.at, entry.task) for entry in found] == [
        (1, "2026-01-01", "kv"),
        (1, "2026-01-01", "set"),
        (2, "2026-01-02", "kv"),
        (2, "2026-01-02", "set"),
    ]
    assert {(entry.label, entry.length, entry.n) for entry in found} == {("tiny", 2_000, 4)}
    assert comparable(found) == found


def test_nothing_effective_is_0_and_nothing_measurable_is_none(tmp_path: Path) -> None:
    """A fall to nothing shows; what cannot be measured leaves a gap."""
    path = tmp_path / "history.jsonl"
    append(path, measured("silent"), "1")
    append(path, measured("simulated:base=1"), "2")
    assert [entry.effective for entry in HISTORY.read(path)[:2]] == [None, None]
    assert [entry.effective for entry in HISTORY.read(path)[2:]] == [0, 0]


def test_other_grids_are_left_out(tmp_path: Path) -> None:
    """Entries on another grid than the newest one are no part of its trend."""
    path = tmp_path / "history.jsonl"
    append(path, measured(depths=(None,)), "1")
    append(path, measured(), "2")
    assert {entry.measurement for entry in comparable(HISTORY.read(path))} == {2}
    assert [entry.penalty is None for entry in HISTORY.read(path)] == [True, True, False, False]
    assert comparable(()) == ()


def test_a_spoilt_line_is_named(tmp_path: Path) -> None:
    """A history that cannot be read is not silently begun anew."""
    path = tmp_path / "history.jsonl"
    append(path, measured(), "1")
    path.write_text(path.read_text("utf-8") + "{}\n", "utf-8")
    with pytest.raises(MalformedDataError, match=r"history\.jsonl:3: this is no line"):
        append(path, measured(), "2")


def test_a_path_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """One sentence says which path."""
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(RunError, match="Cannot write"):
        append(tmp_path / "file" / "history.jsonl", measured(), "1")


def test_a_history_is_told_by_its_first_line(tmp_path: Path) -> None:
    """What other studies keep as lines, what is no file and what has another ending is none."""
    path = tmp_path / "history.jsonl"
    assert not is_history(path)
    append(path, measured(), "1")
    assert is_history(path)
    other = tmp_path / "other.jsonl"
    other.write_text('{"measurement": 1}\n', "utf-8")
    assert not is_history(other)
    other.write_text("no line of ours\n", "utf-8")
    assert not is_history(other)
    assert not is_history(path.rename(tmp_path / "history.txt"))
