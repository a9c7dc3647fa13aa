"""Bundles of strangers: what is unpacked lies where it should, and there is not too much of it."""

from __future__ import annotations

import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError
from memgauge.runs.record.bundle import MEMBERS, unbundled

if TYPE_CHECKING:
    from pathlib import Path


def packed(path: Path, members: list[tuple[str, bytes]]) -> Path:
    """Write a zip with any names."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return path


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "/evil", "..\\evil", "a/.."])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path, name: str) -> None:
    """Nothing is written at all beside the scratch folder, which is gone."""
    path = packed(tmp_path / "run.zip", [("manifest.json", b"{}"), (name, b"x")])
    with pytest.raises(RunError, match="leads out of it"), unbundled(path):
        pass
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.zip"]


def test_a_name_that_occurs_twice_is_refused(tmp_path: Path) -> None:
    """Readers would not agree on which counts."""
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = packed(tmp_path / "run.zip", [("manifest.json", b"{}"), ("manifest.json", b"[]")])
    with pytest.raises(RunError, match="occurs twice"), unbundled(path):
        pass


def test_a_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    """The operating system says so, and it is an error of ours."""
    path = packed(tmp_path / "run.zip", [("scores", b"x"), ("scores/a.json", b"x")])
    with pytest.raises(RunError, match="is not a bundle"), unbundled(path):
        pass


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    """A file that unpacks a thousandfold is given up early."""
    path = packed(tmp_path / "run.zip", [("journal.jsonl", bytes(200 << 20))])
    assert path.stat().st_size < 1 << 20
    with pytest.raises(RunError, match="it unpacks to more than a run can be"), unbundled(path):
        pass


def test_a_size_that_lies_is_not_believed(tmp_path: Path) -> None:
    """What counts is what comes out."""
    path = packed(tmp_path / "run.zip", [("journal.jsonl", bytes(200 << 20))])
    raw = bytearray(path.read_bytes())
    central = raw.rindex(b"PK\x01\x02")
    raw[central + 24 : central + 28] = struct.pack("<I", 10)
    path.write_bytes(raw)
    with pytest.raises(RunError, match="is not a bundle"), unbundled(path):
        pass


def test_a_heap_of_files_is_refused(tmp_path: Path) -> None:
    """A run has a handful."""
    path = packed(tmp_path / "run.zip", [(f"f{n}", b"") for n in range(MEMBERS + 1)])
    with pytest.raises(RunError, match="it holds 10,001 files"), unbundled(path):
        pass


def test_a_link_is_a_file_with_a_name_in_it(tmp_path: Path) -> None:
    """A symbolic link is not made."""
    info = zipfile.ZipInfo("journal.jsonl")
    info.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    with unbundled(tmp_path / "run.zip") as folder:
        assert not (folder / "journal.jsonl").is_symlink()
        assert (folder / "journal.jsonl").read_bytes() == b"/etc/passwd"
