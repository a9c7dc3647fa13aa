"""Files of a registry are read where they lie themselves, and never through a link to what lies elsewhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import MalformedDataError
from memgauge.submissions.opening import FILE_BYTES, own, own_bundle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


def _linked_folder(path: Path) -> None:
    path.parent.rmdir()
    away = path.parents[1] / "away"
    away.mkdir()
    (away / path.name).write_text("x", "utf-8")
    path.parent.symlink_to(away)


def _hard_link(path: Path) -> None:
    (path.parent / "other").write_text("x", "utf-8")
    path.hardlink_to(path.parent / "other")


def _hole(path: Path) -> None:
    path.touch()
    os.truncate(path, FILE_BYTES + 1)


@pytest.mark.parametrize(
    "make",
    [
        _link,
        lambda path: path.symlink_to("nowhere"),
        _linked_folder,
        _hard_link,
        os.mkfifo,
        lambda path: path.mkdir(),
        _hole,
    ],
    ids=["link", "link to nothing", "folder that is a link", "hard link", "pipe", "folder", "too large"],
)
def test_what_is_no_file_of_its_own_is_not_opened(make: Callable[[Path], None], tmp_path: Path) -> None:
    """Links of either kind, in whatever part of a path, what never ends, and what is too large: with its name."""
    path = tmp_path / "folder" / "lock.txt"
    path.parent.mkdir()
    make(path)
    with pytest.raises(MalformedDataError, match=r"folder/lock.txt (is no file of its own|has 10\.5 MB)"):
        own(tmp_path, path)


def test_a_file_that_lies_there_is_returned(tmp_path: Path) -> None:
    """Also where the root of the registry is reached through a link: that is its owner's."""
    (tmp_path / "registry").mkdir()
    (tmp_path / "registry" / "a.toml").write_text("a = 1", "utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "registry")
    for root in (tmp_path / "registry", tmp_path / "link"):
        assert own(root, root / "a.toml").read_text("utf-8") == "a = 1"


def test_a_path_that_leads_out_of_the_registry_is_refused(tmp_path: Path) -> None:
    """By two points as by an absolute path."""
    (tmp_path / "registry").mkdir()
    (tmp_path / "a.toml").touch()
    for path in (tmp_path / "registry" / ".." / "a.toml", tmp_path / "a.toml"):
        with pytest.raises(MalformedDataError, match="does not lie in the registry"):
            own(tmp_path / "registry", path)


def test_what_a_bundle_shares_with_others_is_looked_at_too(tmp_path: Path) -> None:
    """Its hashes are read from the file beside it."""
    bundle = tmp_path / "a.zip"
    bundle.touch()
    assert own_bundle(tmp_path, bundle) == bundle
    (tmp_path / "hashes.bin").symlink_to("/etc/hostname")
    with pytest.raises(MalformedDataError, match=r"hashes.bin is no file of its own: it is a link"):
        own_bundle(tmp_path, bundle)
