"""A file that one process at a time appends to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunBusyError
from memgauge.runs.record.appending import Appender

if TYPE_CHECKING:
    from pathlib import Path


def test_nobody_writes_beside_a_writer(tmp_path: Path) -> None:
    """A second writer is refused while the first has the file, and let in afterwards."""
    path = tmp_path / "file"
    with Appender(path) as first:
        first.append(b"a")
        with pytest.raises(RunBusyError, match="is being written by another process"):
            Appender(path)
    with Appender(path) as second:
        second.append(b"b")
    assert path.read_bytes() == b"ab"


def test_a_copy_of_the_descriptor_does_not_keep_the_lock(tmp_path: Path) -> None:
    """A process that is being started holds a copy for a moment; whoever closed the file has let go of it."""
    path = tmp_path / "file"
    with Appender(path) as first:
        copy = os.dup(first._fd)
    try:
        with Appender(path) as second:
            second.append(b"b")
    finally:
        os.close(copy)
    assert path.read_bytes() == b"b"
