"""Commands that read a few runs and end load little, and leave nothing as they did not find it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memgauge.frame.brief import brief

_COUNT = """
import os
from pathlib import Path
from memgauge.frame.brief import brief
with brief():
    pass
print(len(list(Path("/proc/self/task").iterdir())), os.environ.get("OPENBLAS_NUM_THREADS"))
"""


def test_nobody_looks_for_circles_meanwhile() -> None:
    """Afterwards somebody does again, also behind an error, and nothing was set aside for ever."""
    frozen = gc.get_freeze_count()
    with pytest.raises(ZeroDivisionError), brief():
        raise ZeroDivisionError
    assert gc.isenabled()
    with brief():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() <= frozen


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
