"""What several test modules share: where real data lies, and what another process prints."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

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
