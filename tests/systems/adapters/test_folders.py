"""The folder of a store: temporary or named, one store at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.systems.adapters.folders import StoreFolders

if TYPE_CHECKING:
    from pathlib import Path


def test_a_temporary_folder_goes() -> None:
    """It is there until it is closed, or nobody holds it any more."""
    home = StoreFolders("test")
    folder = home.folder
    assert home.is_new
    assert home.root.is_dir()
    home.close()
    assert not folder.exists()
    other = StoreFolders("test").folder
    assert not other.exists()


def test_a_named_folder_stays(tmp_path: Path) -> None:
    """Opened again, it is the same store; renewed, it is an empty one and the former is gone."""
    place = tmp_path / "store"
    home = StoreFolders("test", str(place))
    (home.root / "data").write_text("kept")
    home.close()
    again = StoreFolders("test", str(place))
    assert not again.is_new
    assert (again.root / "data").read_text() == "kept"
    former = again.root
    again.renew()
    assert not former.exists()
    assert list(again.root.iterdir()) == []
    assert StoreFolders("test", str(place)).root == again.root


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    """Nothing of a user's is ever taken for a store."""
    (tmp_path / "letters.txt").write_text("Dear Ada")
    with pytest.raises(ConfigError, match=r"holds letters\.txt, which is no store"):
        StoreFolders("test", str(tmp_path))
    with pytest.raises(ConfigError, match="cannot hold a store"):
        StoreFolders("test", str(tmp_path / "letters.txt"))
    assert (tmp_path / "letters.txt").read_text() == "Dear Ada"
