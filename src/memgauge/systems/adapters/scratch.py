"""A folder for what a product writes beside its store (settings, logs): it goes with the process."""

from __future__ import annotations

import atexit
import shutil
import tempfile


def scratch(name: str) -> str:
    """Make a folder that is removed when the process ends."""
    folder = tempfile.mkdtemp(prefix=f"memgauge-{name}-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
