"""One point of a curve, in a process of its own: CPU seconds by part, and the most memory it held.

Usage: python -m bench.growth.point CURVE N
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.growth.curve import Curve


def curve_named(name: str) -> Curve:
    """Return a curve by the name of its module."""
    curve: Curve = import_module(f"bench.growth.{name}").CURVE
    return curve


def main() -> None:
    """Measure one point and print it."""
    name, size = sys.argv[1:]
    curve = curve_named(name)
    with tempfile.TemporaryDirectory(prefix="memgauge-growth-") as temporary:
        parts = curve.work(int(size), Path(temporary))
    kilobyte = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kilobyte / 1e6
    print(json.dumps({"n": int(size), "parts": parts, "peak_mb": peak}))


if __name__ == "__main__":
    main()
