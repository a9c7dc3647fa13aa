"""Files that are there or not, never half."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError
from memgauge.runs.record.files import opened, own_files, small, sweep, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """The new text is there, and nothing else is left."""
    for text in ("old", "né"):
        write_atomically(tmp_path / "a", text)
    assert (tmp_path / "a").read_bytes() == "né".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_writers_of_one_file_are_not_in_each_other_s_way(tmp_path: Path) -> None:
    """Whoever is last wins with a whole text, and none of them fails."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: write_atomically(tmp_path / "a", str(n) * 1000), range(200)))
    text = (tmp_path / "a").read_text("utf-8")
    assert text == text[: len(text) // 1000] * 1000
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_halves_of_killed_writers_are_swept(tmp_path: Path) -> None:
    """Only those of the files that are named."""
    for name in ("SEAL", "SEAL.0a1b2c3d.tmp", "other.0a1b2c3d.tmp"):
        (tmp_path / name).touch()
    sweep(tmp_path / "SEAL")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SEAL", "other.0a1b2c3d.tmp"]


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    """The error names the file and what to do; no half file stays."""
    (tmp_path / "a").mkdir()
    with pytest.raises(RunError, match=r"Cannot write .*/a: Is a directory\. Name a file and no folder"):
        write_atomically(tmp_path / "a", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_only_files_of_their_own_are_handed_on(tmp_path: Path) -> None:
    """In order, with their names; folders that hold nothing are nothing."""
    for name in ("b/d", "b/c", "a"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "empty").mkdir()
    assert [(name, file.read()) for name, file in own_files(tmp_path)] == [
        ("a", b"a"), ("b/c", b"b/c"), ("b/d", b"b/d"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.symlink_to("a"), "it is a link"),
        (lambda path: path.symlink_to("."), "it is a link"),
        (lambda path: path.symlink_to("nowhere"), "it is a link"),
        (lambda path: os.link(path.with_name("a"), path), r"another name|elsewhere"),
        (os.mkfifo, "it is no regular file"),
        (lambda path: path.with_name("x\\y").write_text(""), "that no archive can bear"),
    ],
)
def test_what_lies_elsewhere_is_named(tmp_path: Path, make: Callable[[Path], object], why: str) -> None:
    """Nothing but a regular file with one name, not even a link within the folder."""
    (tmp_path / "a").write_text("a")
    make(tmp_path / "b")
    with pytest.raises(RunError, match=why):
        list(own_files(tmp_path))


def test_a_file_of_a_run_is_a_file(tmp_path: Path) -> None:
    """A pipe is refused at once, and so is a hole, a device, a folder, and what is too large."""
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "hole").open("wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "hole", "zero", ".", "nothing"):
        with pytest.raises(RunError, match="cannot be read"):
            opened(tmp_path / name)
    (tmp_path / "large").write_bytes(bytes(11))
    assert small(tmp_path / "large", 11) == bytes(11)
    with pytest.raises(RunError, match="is larger than"):
        small(tmp_path / "large", 10)


def test_a_small_file_is_read_to_its_end(tmp_path: Path) -> None:
    """Whatever its size, and also where the system says that it has none."""
    for size in (0, 1, 4095, 4096, 70_000):
        (tmp_path / "a").write_bytes(bytes(range(256)) * (size // 256) + bytes(size % 256))
        assert small(tmp_path / "a", 70_000) == (tmp_path / "a").read_bytes()
    endless = Path("/proc/self/status")
    if endless.exists():
        assert small(endless).startswith(b"Name:")
        assert endless.stat().st_size == 0
        with pytest.raises(RunError, match="is larger than"):
            small(endless, 10)
