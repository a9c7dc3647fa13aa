"""What takes seconds to make is made once for all workers of a test run."""

from __future__ import annotations

import fcntl
import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


def root(factory: pytest.TempPathFactory) -> Path:
    """Return the temporary folder that all workers of this test run see."""
    base = factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that whoever comes first makes, for everybody to read; the others wait for it."""
    folder = root(factory) / name
    done = folder.with_name(f"{name}.done")
    with folder.with_name(f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # what another began and did not finish
            folder.mkdir()
            make(folder)
            done.touch()
    return folder
