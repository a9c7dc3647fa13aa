"""Measure the viewer: 50 runs of 2,000 questions on disk, how long its pages take, and the memory it holds."""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

RUNS, SEED = 50, 7
DATASET = "synthetic:medium"


def main() -> None:
    """Make the runs where they are not there yet, walk, and print the figures."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="memgauge-view-"))
    folder = root / "runs"
    if not folder.is_dir():
        make(folder)
    server, base = start(folder)
    try:
        print(json.dumps(walk(base, folder, server.pid), indent=1))
    finally:
        server.terminate()
        server.wait(timeout=10)
        if len(sys.argv) == 1:
            shutil.rmtree(root)


def make(folder: Path) -> None:
    """Run systems that differ in a parameter alone."""
    systems = [part for n in range(RUNS) for part in ("-s", f"bm25:k1={0.5 + n / 40:.3f}")]
    command = [sys.executable, "-m", "memgauge", "run", "-d", dataset(), *systems, "--out", str(folder), "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def dataset() -> str:
    """Name the data: a world of about 2,000 questions, or LoCoMo (1,986) where it is at hand."""
    return "locomo" if os.environ.get("MEMGAUGE_DATA") else DATASET


def start(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Serve the runs and return the process with its address."""
    command = [sys.executable, "-m", "memgauge", "view", str(folder), "--port", "0", "--json"]
    environment = {**os.environ, "MEMGAUGE_CACHE": tempfile.mkdtemp(dir=folder.parent)}  # nothing is kept yet
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert server.stdout is not None  # noqa: S101 - it was asked for above
    announced = ""
    while "}" not in announced:
        announced += server.stdout.readline()
    return server, json.loads(announced)["address"].replace("localhost", "127.0.0.1")


def walk(base: str, folder: Path, pid: int) -> dict[str, object]:
    """Take the first page and questions of all runs in a random order, as a reader would not."""
    cold = take(base)
    rng = random.Random(SEED)  # noqa: S311 - which pages are taken is no secret
    asked = questions(folder)
    runs = sorted(path.parent.name for path in folder.glob("*/manifest.json"))
    first_question = take(question(base, runs[0], asked[0]))
    figures = {
        "runs": len(runs),
        "questions a run": len(asked),
        "first page, cold": round(cold, 1),
        "first question, cold": round(first_question, 1),
        "first page": spread([take(base) for _ in range(60)]),
        "question page": spread([take(question(base, rng.choice(runs), rng.choice(asked))) for _ in range(300)]),
        "RSS after questions, MB": memory(pid),
    }
    board = next(part for part in page(f"{base}board").split('"') if part.startswith("/board/"))
    figures["board, first time"] = round(take(base.rstrip("/") + board), 1)
    figures["board"] = spread([take(base.rstrip("/") + board) for _ in range(5)])
    figures["RSS after a board, MB"] = memory(pid)
    figures["chart"] = round(take(f"{base.rstrip('/')}{board}?as=svg&of=scores"), 1)
    figures["RSS after a chart, MB"] = memory(pid)
    return figures


def question(base: str, run: str, name: str) -> str:
    """Write the address of a question."""
    return f"{base}question/{run}?{urllib.parse.urlencode({'id': name})}"


def questions(folder: Path) -> list[str]:
    """Name the questions of the runs."""
    journal = next(folder.glob("*/journal.jsonl"))
    return [json.loads(line)["question"] for line in journal.open("rb") if line.startswith(b'{"t":"question"')]


def page(address: str) -> str:
    """Fetch one page."""
    with urllib.request.urlopen(address, timeout=600) as reply:  # noqa: S310 - our own server
        return str(reply.read().decode())


def take(address: str) -> float:
    """Return the milliseconds that a page takes."""
    began = time.perf_counter()
    page(address)
    return (time.perf_counter() - began) * 1e3


def spread(times: list[float]) -> dict[str, float]:
    """Return median and 95th percentile in milliseconds."""
    return {"p50": round(statistics.median(times), 1), "p95": round(statistics.quantiles(times, n=20)[-1], 1)}


def memory(pid: int) -> float:
    """Return what a process and those that it began hold, in MB."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    held = {line.split(":")[0]: int(line.split()[1]) for line in status.splitlines() if line.startswith("Vm")}
    below = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return round(held["VmRSS"] / 1024 + sum(memory(int(child)) for child in below), 1)


if __name__ == "__main__":
    main()
