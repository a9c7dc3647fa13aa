"""The most memory that a process of its own held."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
SECONDS = 550
"""Of a processor, that a script may take."""


def peak_kib() -> int:
    """Return the most that this process held.

    What ``getrusage`` says of a child begins with the peak of the process that started it, so that beside a
    large test every child would look large; the kernel's own line begins anew with the program.
    """
    status = Path("/proc/self/status")
    if not status.is_file():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
    lines = (line.split() for line in status.read_text("utf-8").splitlines())
    return next(int(words[1]) for words in lines if words[:1] == ["VmHWM:"])


def measured(script: str, *given: str) -> tuple[list[int], int]:
    """Run a script in a process of its own: the numbers that it prints, and its peak in KiB."""
    # Its own time is limited, and not that of the clock: on a busy machine the same work takes ten times as long.
    beginning = f"import resource\nresource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))\n"
    ending = "\nfrom support.peaks import peak_kib\nprint(peak_kib())\n"
    run = [sys.executable, "-c", beginning + script + ending, *given]
    done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=HERE)
    *numbers, peak = map(int, done.stdout.split())
    return numbers, peak
