"""The golden suite as data: scenario files that travel with the package."""

from __future__ import annotations

from pathlib import Path


def paths() -> list[Path]:
    """Return the suite files that are shipped, in alphabetical order."""
    return sorted(Path(__file__).parent.glob("*.memsuite.yaml"))
