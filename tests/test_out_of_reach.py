"""Public names in the process of a memory."""

from __future__ import annotations

import subprocess
import sys

PLAYER = """
from memgauge.runs.play.watch import noticed, watch
watch()
from memgauge import *
assert Memory("1", "text").text == "text"
try:
    open_dataset("locomo")
except Exception as error:
    print(type(error).__name__, error)
assert not hasattr(Settings, "k")
print(noticed())
"""


def test_everything_can_be_imported_where_memories_are_played() -> None:
    """A star brings the names of adapters; what knows gold says so when it is used, and nobody is accused."""
    said = subprocess.run([sys.executable, "-c", PLAYER], capture_output=True, text=True, check=False)
    assert (said.returncode, said.stderr) == (0, "")
    told, looked_for = said.stdout.splitlines()
    assert told.startswith("ConfigError memgauge.open_dataset is out of reach where memories are played: it knows")
    assert looked_for == "{}"
