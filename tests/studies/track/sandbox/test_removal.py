"""Removing what an attacker has filled."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.track.sandbox import removal
from memgauge.studies.track.sandbox.removal import remove

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Path]:
    """Make a folder that is removed whatever is in it."""
    place = tmp_path / "top"
    place.mkdir()
    yield place
    subprocess.run(["/bin/rm", "-rf", str(place)], check=False)


def test_depth_and_names_do_not_matter(top: Path) -> None:
    """Folders in folders beyond the length of any path go, with whatever lies at the end."""
    here = os.open(top, os.O_DIRECTORY)
    for _ in range(200):
        os.mkdir("d" * 100, dir_fd=here)
        inner = os.open("d" * 100, os.O_DIRECTORY, dir_fd=here)
        os.close(here)
        here = inner
    os.mkfifo("fifo", dir_fd=here)
    os.symlink("/", "link", dir_fd=here)
    os.fchmod(here, 0)
    os.close(here)
    assert remove(top) == ""
    assert not top.exists()


def test_a_link_is_removed_and_not_what_it_leads_to(top: Path, tmp_path: Path) -> None:
    """Neither a file, nor a folder, nor their modes change."""
    (tmp_path / "outside").mkdir(mode=0o555)
    (top / "link").symlink_to(tmp_path / "outside")
    (top / "folder").mkdir()
    (top / "folder" / "link").symlink_to(tmp_path / "outside")
    assert remove(top) == ""
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o555


def test_a_top_that_is_a_link_stays(tmp_path: Path) -> None:
    """What stands in the place of a room is not entered."""
    (tmp_path / "precious").mkdir()
    (tmp_path / "top").symlink_to(tmp_path / "precious")
    assert "could not be removed" in remove(tmp_path / "top")
    assert (tmp_path / "precious").exists()


def test_what_is_gone_is_removed(tmp_path: Path) -> None:
    """Removing twice is no error."""
    assert remove(tmp_path / "nothing") == ""


def test_what_cannot_be_removed_is_named(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason comes back; nothing is raised."""
    (top / "kept").mkdir()
    monkeypatch.setattr(removal, "PATIENCE_S", 0.05)
    monkeypatch.setattr(removal, "_insist", lambda *_: False)
    assert remove(top) == f"{top} could not be removed: Directory not empty"
