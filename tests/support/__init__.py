"""What several test modules share: where real data lies, and what another process prints."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]


def data_root() -> Path:
    """Return the folder of real third-party data; it may not exist."""
    return Path(os.environ.get("MEMGAUGE_DATA") or ROOT.parent / "shared" / "data")


def real_data(relative: str) -> Path:
    """Return a real data file, or skip the calling test with a sentence that says what is missing."""
    path = data_root() / relative
    if not path.exists():
        pytest.skip(f"needs {relative} under MEMGAUGE_DATA or ../shared/data")
    return path


class Later:
    """A module that is imported when a test first uses it: every worker collects all tests, and runs few."""

    def __init__(self, name: str) -> None:
        self._name = name
        package = name.partition(".")[0]
        if find_spec(package) is None:
            pytest.skip(f"needs {package}", allow_module_level=True)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "pytestmark":  # pytest asks for these while it collects
            raise AttributeError(name)
        return getattr(import_module(self._name), name)


Item = TypeVar("Item")


class Once(Sequence[Item]):
    """A sequence that is made when a test first looks at it, and not while all workers collect it."""

    def __init__(self, make: Callable[[], Sequence[Item]]) -> None:
        self._make = cache(make)

    def __len__(self) -> int:
        return len(self._make())

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        return self._make()[place]


def known(value: float | None) -> float:
    """Return a figure that has to be defined."""
    assert value is not None
    return value


def printed_elsewhere(script: str) -> set[bytes]:
    """Run a script here and under another hash seed and time zone; return the different things that it prints."""
    here = io.StringIO()
    with contextlib.redirect_stdout(here):
        exec(script, {})  # noqa: S102 - the test's own
    there = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = sys.argv[1].split('|');{script}", "|".join(sys.path)],
        env={"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo"},
        capture_output=True,
        check=True,
    )
    return {here.getvalue().encode(), there.stdout}
