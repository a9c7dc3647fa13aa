"""Measure what must stay fast, beside the peers, in one run.

Usage: python tools/bench.py [--json] [--peers PYTHON] [--repeats N]

Run it with an interpreter that holds memgauge; the peers live in another one (default: .venv-bench). Both sides
stay alive and are asked in turn, with linear algebra on one thread. Each side's fastest repetition is compared,
because noise only ever slows down. A row over its limit is marked; the exit code is 1 only when a row could not be
measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOLS = Path(__file__).resolve().parent
PEERS = TOOLS.parent / ".venv-bench" / "bin" / "python"
MEMGAUGE = (sys.executable, "-c", "import memgauge.cli; memgauge.cli.main()")
LEXICAL = ("random", "recency", "full", "bm25", "tfidf")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


@dataclass(frozen=True)
class Job:
    """What a worker repeats, and what it may take."""

    key: str
    title: str
    limit: float
    """Milliseconds."""
    peer: str = ""
    factor: float = 1.0
    """How many times faster than the peer it has to be."""


JOBS = (
    Job("scoring", "score nDCG, MRR, Recall of 2,000 x 60", 5, "pytrec-eval-terrier", 4),
    Job("bm25", "BM25 on LoCoMo: fit, 1,977 queries x 60", 150, "bm25s"),
    Job("bootstrap", "bootstrap 3,000 resamples of 2,000", 40),
    Job("load", "load a sealed run: 2,000 questions, 120,000 hits", 25),
    Job("load with lineage", "the same with 6,000 memories and sources", 25),
    Job("overhead", "harness overhead, one search", 1),
)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    unit: str = "ms"
    ours: float | None = None
    """The fastest repetition."""
    ours_median: float | None = None
    limit: float | None = None
    peer: str = ""
    theirs: float | None = None
    theirs_median: float | None = None
    ratio: float | None = None
    """The peer's time divided by ours."""
    factor: float | None = None
    """What the ratio has to reach."""
    status: str = "OK"
    reason: str = ""


class Worker:
    """A process that repeats jobs; leave the context to end it."""

    def __init__(self, python: str, script: str, folder: Path) -> None:
        self._process = subprocess.Popen(
            [python, str(TOOLS / script), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | ONE_THREAD,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def repeat(self, job: str) -> dict[str, Any]:
        """Repeat *job* once and return what it took, or what it lacks under ``missing``."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("a worker is spoken to over pipes")
        try:
            print(job, file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        reply: dict[str, Any] = json.loads(line) if line else {"broken": "its process ended; see above"}
        return reply


def compare(job: Job, ours: Worker, peers: Worker | None, repeats: int) -> Row:
    """Repeat one job on both sides in turn."""
    mine, theirs = [], []
    for _ in range(repeats):
        mine.append(ours.repeat(job.key))
        if job.peer and peers is not None:
            theirs.append(peers.repeat(job.key))
    for reply in (*mine, *theirs):
        if reason := reply.get("broken") or reply.get("missing"):
            return Row(job.title, limit=job.limit, status="FAIL" if "broken" in reply else "SKIP", reason=reason)
    fastest, usual = _fastest(mine)
    row = Row(job.title, ours=fastest, ours_median=usual, limit=job.limit, status=_within(fastest, job.limit))
    if not job.peer:
        return row
    if not theirs:
        alone = f"nothing to compare with: no {PEERS.parents[1].name}, run make bench"
        return Row(**asdict(row) | {"peer": job.peer, "status": "SKIP", "reason": alone})
    return _beside(row, job, _fastest(theirs), agree=_agree(mine[0], theirs[0]))


def _beside(row: Row, job: Job, theirs: tuple[float, float], *, agree: bool) -> Row:
    ratio = theirs[0] / (row.ours or theirs[0])
    peer = {
        "peer": job.peer,
        "theirs": theirs[0],
        "theirs_median": theirs[1],
        "ratio": ratio,
        "factor": job.factor,
    }
    if not agree:
        return Row(**asdict(row) | peer | {"status": "FAIL", "reason": "the two sides computed different values"})
    return Row(**asdict(row) | peer | {"status": row.status if ratio >= job.factor else "over"})


def _agree(mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether both computed the same, where both say what."""
    a, b = mine["check"], theirs["check"]
    return a is None or b is None or abs(a - b) <= 1e-9 * abs(a)


def _fastest(replies: Sequence[dict[str, Any]]) -> tuple[float, float]:
    times = [reply["ms"] for reply in replies]
    return min(times), median(times)


def _within(value: float, limit: float) -> str:
    return "OK" if value <= limit else "over"


@dataclass(frozen=True)
class Spent:
    """One whole process."""

    seconds: float
    peak_mb: float
    """Of it and of its children, the largest."""
    code: int
    said: str


def spend(command: Sequence[str]) -> Spent:
    """Run *command* to its end."""
    with tempfile.TemporaryFile("w+") as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=os.environ | ONE_THREAD)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        kilobyte = 1 if sys.platform == "darwin" else 1024
        return Spent(seconds, usage.ru_maxrss * kilobyte / 1e6, process.returncode, said.read())


def start_up() -> Row:
    """Ask for help seven times."""
    spent = [spend([*MEMGAUGE, "--help"]) for _ in range(7)]
    row = Row("memgauge --help, whole process", "s", limit=0.3)
    return _failed(row, spent) or Row(**asdict(row) | _figures([s.seconds for s in spent], 0.3))


def whole_story(folder: Path, *, missing: str) -> list[Row]:
    """Run five lexical systems on LoCoMo and write the report: seconds and the peak of memory."""
    seconds = Row("five lexical systems on LoCoMo, load to report", "s", limit=25)
    memory = Row("the same, peak memory of a process", "MB", limit=1000)
    if missing:
        return [Row(**asdict(row) | {"status": "SKIP", "reason": missing}) for row in (seconds, memory)]
    systems = [part for name in LEXICAL for part in ("--system", name)]
    runs = folder / "runs"
    spent = [
        spend([*MEMGAUGE, "run", "--dataset", "locomo", *systems, "--out", str(runs)]),
        spend([*MEMGAUGE, "report", str(runs), "--out", str(folder / "report.html")]),
    ]
    if failed := _failed(seconds, spent):
        return [failed, Row(**asdict(memory) | {"status": "FAIL", "reason": failed.reason})]
    return [
        Row(**asdict(seconds) | _figures([sum(s.seconds for s in spent)], 25)),
        Row(**asdict(memory) | _figures([max(s.peak_mb for s in spent)], 1000)),
    ]


def _figures(values: Sequence[float], limit: float) -> dict[str, Any]:
    return {"ours": min(values), "ours_median": median(values), "status": _within(min(values), limit)}


def _failed(row: Row, spent: Sequence[Spent]) -> Row | None:
    """Return *row* as failed where one of the processes was."""
    bad = next((s for s in spent if s.code != 0), None)
    if bad is None:
        return None
    last = (bad.said.strip().splitlines() or ["nothing was said"])[-1]
    return Row(**asdict(row) | {"status": "FAIL", "reason": f"exit code {bad.code}: {last}"})


def measure(peers_python: Path, repeats: int) -> list[Row]:
    """Measure everything."""
    with tempfile.TemporaryDirectory(prefix="memgauge-bench-") as temporary:
        folder = Path(temporary)
        with Worker(sys.executable, "bench_ours.py", folder) as ours:
            if peers_python.exists():
                with Worker(str(peers_python), "bench_peers.py", folder) as peers:
                    rows = [compare(job, ours, peers, repeats) for job in JOBS]
            else:
                rows = [compare(job, ours, None, repeats) for job in JOBS]
        missing = next((row.reason for row in rows if row.status == "SKIP" and row.ours is None), "")
        return [*rows, start_up(), *whole_story(folder, missing=missing)]


def table(rows: Sequence[Row]) -> str:
    """Lay the rows out as text."""
    head = ("", "ours", "median", "limit", "peer", "theirs", "median", "ratio", "")
    cells = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(head))]
    left = {0, 4, 8}
    return "\n".join(
        "  ".join(
            text.ljust(width) if i in left else text.rjust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    )


def _cells(row: Row) -> tuple[str, ...]:
    wanted = f" (>= {row.factor:g})" if row.factor else ""
    return (
        row.name,
        _number(row.ours, row.unit),
        _number(row.ours_median, row.unit),
        f"{row.limit:g} {row.unit}",
        row.peer,
        _number(row.theirs, row.unit),
        _number(row.theirs_median, row.unit),
        f"{row.ratio:.1f}x{wanted}" if row.ratio else "",
        f"{row.status} {row.reason}".strip(),
    )


def _number(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.3g} {unit}" if value < 100 else f"{value:.0f} {unit}"


def main() -> int:
    """Measure, print, and say by the exit code whether everything could be measured."""
    parser = argparse.ArgumentParser(description="Measure what must stay fast, beside the peers, in one run.")
    parser.add_argument("--json", action="store_true", help="print data instead of a table")
    parser.add_argument("--peers", type=Path, default=PEERS, metavar="PYTHON", help="interpreter of the peers")
    parser.add_argument("--repeats", type=int, default=7, help="repetitions of each side")
    chosen = parser.parse_args()
    rows = measure(chosen.peers, chosen.repeats)
    load = os.getloadavg()[0]
    if chosen.json:
        print(json.dumps({"load": load, "cpus": os.cpu_count(), "rows": [asdict(row) for row in rows]}, indent=1))
    else:
        print(table(rows))
        print(f"\nFastest of {chosen.repeats}, sides in turn, one thread; {os.cpu_count()} CPUs, load {load:.1f}.")
    return int(any(row.status == "FAIL" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
