"""Whole processes: how long they take, and the most memory that they hold."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.places import ROOT, with_threads
from bench.row import CannotRunError

if TYPE_CHECKING:
    from collections.abc import Sequence

_KILOBYTE = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Spent:
    """One whole process."""

    seconds: float
    cpu_s: float
    peak_mb: float
    """The most that it held in memory; of its children, the largest is not in it."""
    said: str


def spend(command: Sequence[str], *, one_core: bool = False) -> Spent:
    """Run *command* to its end, in the root of the repository, where asked on one core alone.

    Raises:
        CannotRunError: It failed.
    """
    if one_core and hasattr(os, "sched_getaffinity"):
        core = str(max(os.sched_getaffinity(0)))
        pin = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); os.execvp(sys.argv[2], sys.argv[2:])"
        command = [sys.executable, "-c", pin, core, *command]
    with tempfile.TemporaryFile("w+") as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=with_threads(), cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    if process.returncode != 0:
        last = (text.strip().splitlines() or ["nothing was said"])[-1]
        raise CannotRunError(f"exit code {process.returncode}: {last}")
    return Spent(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _KILOBYTE / 1e6, text)
