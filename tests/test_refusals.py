"""What a file system refuses, in words."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from memgauge.refusals import REFUSALS, naming, number_of, remedy

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("number", sorted(REFUSALS))
def test_room_is_asked_for_only_where_there_is_none(number: int) -> None:
    """A missing permission, a folder in place of a file and a read-only disk are no want of room."""
    asked = "room" in remedy(OSError(number, os.strerror(number)))
    assert asked == (number in {errno.ENOSPC, errno.EDQUOT})


def test_a_database_tells_the_number_by_its_words() -> None:
    """What DuckDB says ends in the words of the system; other mistakes of it have no number."""
    assert number_of(RuntimeError('IO Error: Cannot open "x": Read-only file system')) == errno.EROFS
    assert number_of(RuntimeError("Parser Error")) is None


def test_what_is_refused_while_writing_names_the_file(tmp_path: Path) -> None:
    """A full disk says no name of its own; a name that is told stays."""
    for filename in (None, "theirs"):
        refused = OSError(errno.ENOSPC, "full", filename) if filename else OSError(errno.ENOSPC, "full")
        with pytest.raises(OSError, match="full") as raised, naming(tmp_path / "a"):
            raise refused
        assert raised.value.filename == (filename or str(tmp_path / "a"))
