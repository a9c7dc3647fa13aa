"""Instructions that a process executes, as callgrind counts them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile

from bench.counts.kernels import KERNELS
from bench.places import ROOT, with_threads
from bench.row import CannotRunError

_COLLECTED = re.compile(r"Collected : (\d+)")


def available() -> bool:
    """Tell whether valgrind is here."""
    return shutil.which("valgrind") is not None


def collected(text: str) -> int | None:
    """Read the number of instructions from what callgrind prints."""
    match = _COLLECTED.search(text)
    return int(match[1]) if match else None


def instructions(name: str, times: int) -> int:
    """Count the instructions of a process that runs a kernel so many times.

    Raises:
        CannotRunError: Valgrind could not run it.
    """
    # One core type and no hash seed: which routines a library picks, and how dictionaries collide, must not vary.
    fixed = {"OPENBLAS_CORETYPE": "Haswell", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryDirectory(prefix="memgauge-counts-") as temporary:
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={temporary}/out"]
        command = [*tool, sys.executable, "-m", "bench.counts.kernels", name, str(times)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=ROOT, env=with_threads() | fixed
        )
    count = collected(done.stderr)
    if done.returncode != 0 or count is None:
        last = (done.stderr.strip().splitlines() or ["nothing was said"])[-1]
        raise CannotRunError(f"{name}: exit code {done.returncode}: {last}")
    return count


def per_call(name: str) -> int:
    """Count the instructions of one call: the difference of two processes, so that their start drops out."""
    more = KERNELS[name].times
    return round((instructions(name, 1 + more) - instructions(name, 1)) / more)
