"""How long a registry of many submissions takes to become its site, and one more; ``python -m bench.boards``."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from bench.registry import LANES, SYSTEMS, MadeSubmission, add_submission, bare_runs, make_registry

if TYPE_CHECKING:
    from collections.abc import Sequence

SUBMISSIONS: Final = 1000
SECONDS, SECONDS_MORE, GIGABYTES = 60.0, 5.0, 1.0
"""What a build from nothing may take, one with one more submission, and both at once in memory."""
_EVERY: Final = 0.5


@dataclass(frozen=True)
class MeasuredBuild:
    """One build."""

    what: str
    seconds: float
    cpu: float
    """Seconds of all its processes."""
    gigabytes: float
    """The most that its processes held together."""

    def __str__(self) -> str:
        return f"{self.what}: {self.seconds:.1f} s ({self.cpu:.1f} s of processors), {self.gigabytes:.2f} GB"


def measured_build(what: str, registry: Path, site: Path, cache: Path, jobs: int) -> MeasuredBuild:
    """Build a site in a process of its own."""
    words = ("results", "board", str(registry), "--out", str(site), "--cache", str(cache), "--jobs", str(jobs))
    before, began = os.times(), time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "memgauge", *words], stdout=subprocess.DEVNULL)
    peaks = [0]
    done = threading.Event()
    watching = threading.Thread(target=_watch, args=(process.pid, peaks, done))
    watching.start()
    code = process.wait()
    done.set()
    watching.join()
    if code:
        raise RuntimeError(f"The build ended with {code}.")
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return MeasuredBuild(what, time.perf_counter() - began, cpu, max(peaks) / 1e9)


def _watch(pid: int, peaks: list[int], done: threading.Event) -> None:
    """Add up what a process and its children hold, again and again."""
    while not done.wait(_EVERY):
        peaks[0] = max(peaks[0], sum(map(_held, _family(pid))))


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()
    except OSError:
        return []
    return [pid, *(each for child in children for each in _family(int(child)))]


def _held(pid: int) -> int:
    """Return bytes that a process holds of its own: what it shares counts in part."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def digest(site: Path) -> str:
    """Hash every file of a site."""
    whole = hashlib.sha256()
    for path in sorted(each for each in site.rglob("*") if each.is_file()):
        whole.update(f"{path.relative_to(site)}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()


def main(arguments: Sequence[str]) -> int:
    """Build a registry from nothing and with one more submission; return 1 where that takes too much."""
    jobs = os.cpu_count() or 1
    number = int(arguments[0]) if arguments else SUBMISSIONS
    with TemporaryDirectory() as scratch:
        here = Path(arguments[1]) if len(arguments) > 1 else Path(scratch) / "registry"
        if not here.exists():
            make_registry(here, number, jobs=jobs)
        place = Path(scratch)
        cold = measured_build(f"{number:,} submissions from nothing", here, place / "site", place / "rows", jobs)
        print(cold, flush=True)
        _add(here, number, place / "runs")
        more = measured_build("one more", here, place / "site", place / "rows", jobs)
        print(more, flush=True)
        again = measured_build("the same again elsewhere", here, place / "other", place / "rows", 1)
        equal = digest(place / "site") == digest(place / "other")
        print(f"{again}; {'the same' if equal else 'OTHER'} bytes", flush=True)
    good = cold.seconds <= SECONDS and more.seconds <= SECONDS_MORE and cold.gigabytes < GIGABYTES and equal
    return 0 if good else 1


def _add(registry: Path, number: int, scratch: Path) -> None:
    bases = bare_runs(scratch)
    product = f"product-{number // 8 - 1:03d}"
    add_submission(registry, bases, 1, MadeSubmission(number, product, LANES[0], "20270301", SYSTEMS[0]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
