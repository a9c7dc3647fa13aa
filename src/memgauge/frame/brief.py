"""Commands that read a few runs and end: loading, and clearing away, is most of what they take."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from memgauge.collecting import uncollected

if TYPE_CHECKING:
    from collections.abc import Iterator

_THREADS: Final = "OPENBLAS_NUM_THREADS"


@contextmanager
def brief() -> Iterator[None]:
    """Load numpy without threads, and look for no circles: what is read of a run has none."""
    _load_numpy()
    with uncollected():
        yield


def _load_numpy() -> None:
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
