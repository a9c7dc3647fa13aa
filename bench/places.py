"""Where the suite keeps its things, and how its processes are started."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results.json"
COUNTS = ROOT / "bench" / "counts.json"
PAGE = ROOT / "docs" / "bench.md"
CHARTS = ROOT / "docs" / "assets"
PEERS = ROOT / ".venv-bench" / "bin" / "python"
ENCODERS = ROOT / ".venv-bench-embed" / "bin" / "python"
"""Where peers live that stand on PyTorch, which takes gigabytes."""
MEMGAUGE = (sys.executable, "-m", "memgauge")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "ARROW_NUM_THREADS")


def with_threads(number: int = 1) -> dict[str, str]:
    """Return this environment with every library kept to so many threads, and nothing of it asking a network."""
    quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "HF_HUB_OFFLINE": "1", "PYTHONHASHSEED": "0"}
    return os.environ | dict.fromkeys(_THREADS, str(number)) | quiet
