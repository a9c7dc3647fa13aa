"""What runs graphs keeps nothing of who loads it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

LOADING = """
from memgauge.retrieval.encoding import runtime
from memgauge.systems.wire.surroundings import FIXED
print(runtime(), FIXED["ORT_DISABLE_TELEMETRY"])
"""


def test_loading_it_leaves_nothing_in_the_home(tmp_path: Path) -> None:
    """Left alone it writes the id of the device and what it would send, as soon as it is imported."""
    if find_spec("onnxruntime") is None:
        pytest.skip("it is not installed")
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    inherited = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    ended = subprocess.run(
        [sys.executable, "-c", LOADING], env=inherited | home, capture_output=True, text=True, check=True
    )
    assert ended.stdout.startswith("onnxruntime ")
    assert ended.stdout.strip().endswith(" 1")
    assert not list(tmp_path.rglob("*"))
