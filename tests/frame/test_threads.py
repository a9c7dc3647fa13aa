"""Loading numpy where its threads have nothing to do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

_COUNT = """
import os
from pathlib import Path
from memgauge.frame.threads import load_numpy_without_threads
load_numpy_without_threads()
print(len(list(Path("/proc/self/task").iterdir())), os.environ.get("OPENBLAS_NUM_THREADS"))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are listed by Linux alone")
@pytest.mark.parametrize("wanted", [None, "2"])
def test_numpy_is_loaded_without_threads_unless_somebody_wants_them(wanted: str | None) -> None:
    """What children inherit is what was there before."""
    env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    if wanted:
        env["OPENBLAS_NUM_THREADS"] = wanted
    done = subprocess.run([sys.executable, "-c", _COUNT], env=env, capture_output=True, text=True, check=True)
    threads, left = done.stdout.split()
    assert left == str(wanted)
    assert int(threads) == 1 or wanted
