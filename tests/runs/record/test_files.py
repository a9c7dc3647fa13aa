"""Files that are there or not, never half."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError
from memgauge.runs.record.files import write_atomically

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """The new text is there, and nothing else is left."""
    for text in ("old", "né"):
        write_atomically(tmp_path / "a", text)
    assert (tmp_path / "a").read_bytes() == "né".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    """The error names the file and what to do; no half file stays."""
    (tmp_path / "a").mkdir()
    with pytest.raises(RunError, match=r"Cannot write .*/a: Is a directory\. Make room"):
        write_atomically(tmp_path / "a", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
