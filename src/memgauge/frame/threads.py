"""Threads and cores: how many there are, and how few do."""

from __future__ import annotations

import os
import sys
from typing import Final

_THREADS: Final = "OPENBLAS_NUM_THREADS"


def load_numpy_without_threads() -> None:
    """Load numpy with one thread for its products, unless it is loaded or somebody said how many.

    Starting a thread that nothing is given to, and waiting for its end, takes as long as half of numpy.
    """
    if "numpy" in sys.modules or _THREADS in os.environ:
        return
    os.environ[_THREADS] = "1"
    try:
        import numpy as np  # noqa: F401 - its library reads the variable once, when it is loaded
    finally:
        del os.environ[_THREADS]


def usable_cores() -> int:
    """Return how many cores this process may use, where the system says, and else how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
