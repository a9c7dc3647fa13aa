"""What several test modules share: where real data lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


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
