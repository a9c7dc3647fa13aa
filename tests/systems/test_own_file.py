"""A Python file that was named as a memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.errors import ConfigError
from memgauge.systems.catalogue import open_here
from memgauge.systems.own_file import memories_in, misnamed

MEMORIES = """
raise RuntimeError("nobody runs this")
class Note: pass
class First:
    def ingest(self, turn): ...
    def search(self, query): ...
class Second(protocol.MemorySystem): pass
"""


@pytest.mark.parametrize(
    "name",
    [
        "mine_here",
        "mine_here.py",
        "mine_here.py:First",
        "./mine_here.py",
        "./mine_here:First",
        "./mine_here.py:First",
    ],
)
def test_a_file_is_answered_with_what_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Its classes that look like memories are named, and it is not run; no list of sixty names follows."""
    monkeypatch.chdir(tmp_path)
    Path("mine_here.py").write_text(MEMORIES)
    with pytest.raises(ConfigError) as raised:
        open_here(name)
    assert str(raised.value) == (
        "mine_here.py is a file; a memory in it has to be named. Write mine_here:First or mine_here:Second."
    )


def test_a_file_that_is_no_python_names_nothing(tmp_path: Path) -> None:
    """It is not an error of ours that it cannot be read."""
    (tmp_path / "x.py").write_text("class (")
    assert memories_in(tmp_path / "x.py") == ()


@pytest.mark.parametrize("name", ["../mine_here:First", ".mine_here:First", "./nowhere:First", "/x/y:Z", ":First"])
def test_what_can_be_no_module_is_told_so(name: str) -> None:
    """No error of Python's importing, which knows nothing of memories."""
    with pytest.raises(ConfigError, match=f"'{name}' names no module. Write module:NAME"):
        open_here(name)


def test_parameters_of_a_class_of_ones_own_stand_in_a_file() -> None:
    """Who writes them behind its name reads where they belong."""
    error = misnamed(Path("mine.py"), "mine:Mine:path=/srv/store")
    assert str(error) == (
        "mine:Mine:path=/srv/store gives parameters to a memory of your own. Write a TOML file with "
        'system = "mine:Mine" and a table [parameters], and name that.'
    )
