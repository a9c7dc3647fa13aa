"""Predictions take what a profile wrote, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.studies.context.prompts import read_surface

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kind": "context", "version": 99, "value": {}}'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    """A file that holds no profile is named, and so is the command that writes one."""
    path = tmp_path / "other.json"
    path.write_text(text, "utf-8")
    with pytest.raises(MalformedDataError, match=r"other\.json") as refused:
        read_surface(path)
    assert "memgauge study context profile" in str(refused.value)


def test_an_absent_file_is_named(tmp_path: Path) -> None:
    """A path that leads nowhere is a mistake of whoever names it."""
    with pytest.raises(DataNotFoundError, match="No such file"):
        read_surface(tmp_path / "absent.json")
