"""What is said of Ctrl-C."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.interruption import KeptInterrupt, kept_in

if TYPE_CHECKING:
    from pathlib import Path


def test_work_goes_on_where_its_folder_is_still_there(tmp_path: Path) -> None:
    """The innermost folder counts; one that went with its command keeps nothing."""
    (inner := tmp_path / "inner").mkdir()
    with pytest.raises(KeptInterrupt) as raised, kept_in(tmp_path), kept_in(inner):
        raise KeyboardInterrupt
    assert (raised.value.folder, raised.value.goes_on) == (inner, True)
    inner.rmdir()
    assert not raised.value.goes_on
