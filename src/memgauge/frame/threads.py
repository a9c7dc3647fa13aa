"""Commands that read a few runs and end: loading what reads them is most of what they take."""

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
