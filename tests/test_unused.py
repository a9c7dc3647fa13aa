"""What nobody calls is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import unused

if TYPE_CHECKING:
    from pathlib import Path

CODE = """
LEFT = 1

class Registered:
    field = 1

    def method(self):
        return called()

def called():
    return 1

def excepted():
    return 2
"""


def test_what_nobody_calls_is_named_and_fields_are_passed_over(tmp_path: Path) -> None:
    """By file, line and kind; a registry's spelling is a call, and so is a reviewed exception."""
    (tmp_path / "room.py").write_text(CODE, "utf-8")
    assert unused.unused(tmp_path, frozenset({"Registered"}), ["excepted"], []) == [
        "room.py:2: nobody calls the variable LEFT",
        "room.py:7: nobody calls the method method",
    ]
    assert unused.unused(tmp_path, frozenset({"Registered"}), ["excepted", "LEFT", "method"], []) == []


def test_names_of_registries_and_entry_points_are_spelled() -> None:
    """A built-in name and one of pyproject.toml."""
    assert {"MemoryOS", "server_memory", "main"} <= unused.spelled()


def test_everything_in_the_package_is_called() -> None:
    """As `make test` asks."""
    assert unused.main() == 0
