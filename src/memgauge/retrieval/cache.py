"""Where derived files are kept."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return where derived files are kept: ``MEMGAUGE_CACHE``, or ``memgauge`` in the user's cache folder."""
    folder = os.environ.get("MEMGAUGE_CACHE")
    if folder:
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "memgauge"
