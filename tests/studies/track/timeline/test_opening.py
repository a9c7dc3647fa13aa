"""Instances by what users type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError, UserError
from memgauge.studies.track.timeline import opening
from memgauge.studies.track.timeline.files import write_timeline
from memgauge.studies.track.timeline.opening import find_instances, open_instance
from support.timeline import lamp, write_archive

if TYPE_CHECKING:
    from pathlib import Path


def test_both_kinds_of_files_are_opened(tmp_path: Path) -> None:
    """Ours by its version, the archive's otherwise."""
    write_timeline(tmp_path / "own" / "timeline.json", lamp())
    path = write_archive(tmp_path / "archive")
    found = find_instances((tmp_path / "own", tmp_path / "archive", path))
    assert [open_instance(one).name for one in found] == ["lamp", "memtrack-lamp"]


def test_shipped_instances_have_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`demo` is all of them, a name is one, and a slip gets a suggestion."""
    monkeypatch.setattr(opening, "demo_folder", lambda: tmp_path)
    for name in ("lamp", "valve"):
        write_timeline(tmp_path / name / "timeline.json", lamp(name=name))
    assert [path.parent.name for path in find_instances(("demo",))] == ["lamp", "valve"]
    assert [path.parent.name for path in find_instances(("valve", "valve"))] == ["valve"]
    with pytest.raises(UserError, match="valve"):
        find_instances(("vlave",))


def test_a_folder_of_the_same_name_hides_no_instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`memgauge demo` leaves a folder `demo`; `study track run demo` works beside it; `./demo` is the folder."""
    (tmp_path / "demo").mkdir()
    monkeypatch.chdir(tmp_path)
    assert len(find_instances(("demo",))) >= 6
    with pytest.raises(DataNotFoundError):
        find_instances(("./demo/nothing",))


def test_a_flat_pair_of_files_is_one_instance(tmp_path: Path) -> None:
    """A configuration finds its history beside itself, whether the folder, both files or one are named."""
    config = write_archive(tmp_path / "archive")
    (history,) = (tmp_path / "archive").rglob("event_history_*.json")
    flat = tmp_path / "flat"
    flat.mkdir()
    pair = tuple(path.rename(flat / path.name) for path in (config, history))
    whole = (flat,), pair, pair[::-1], pair[:1]
    assert [find_instances(refs) for refs in whole] == [pair[:1]] * 4
    assert open_instance(pair[0]).name == "memtrack-lamp"
    assert find_instances(pair[1:]) == pair[1:]


def test_nothing_there_is_said(tmp_path: Path) -> None:
    """A path that is not there is named."""
    with pytest.raises(DataNotFoundError, match="is not there"):
        find_instances((tmp_path / "none.json",))
