"""One side of a row: a process that repeats its work whenever it is told to, and says how long it took.

Usage: python -m bench.side MODULE SIDE FOLDER, from the root of the repository; each line on stdin asks for a
repetition. All sides of a row stay alive and are asked in turn, so that whatever else the machine does disturbs
them alike.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.row import CannotRunError, Job, Row, Side

if TYPE_CHECKING:
    from collections.abc import Callable


def row_named(module: str) -> Row:
    """Return the row of a module."""
    row: Row = import_module(module).ROW
    return row


def side_named(row: Row, name: str) -> Side:
    """Return a side of *row*."""
    return next(side for side in row.sides if side.name == name)


def check_file(folder: Path, side: str) -> Path:
    """Say where the result of a side is kept."""
    return folder / f"{side.replace(' ', '-')}.check.npy"


def once(job: Job) -> tuple[float, Any]:
    """Repeat *job* once; return milliseconds and its result."""
    start = time.perf_counter()
    result = job.run()
    took = (time.perf_counter() - start) * 1000
    return (took if job.spent is None else job.spent(result)), result


def peak_mb() -> float | None:
    """Return the most memory that this process held; the kernel's count for a child begins with its parent's."""
    try:
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmHWM:")), None)


def begin(side: Side, folder: Path) -> tuple[Job, dict[str, object]]:
    """Prepare a side, run it once to warm it up, and keep what it found."""
    start = time.perf_counter()
    job = side.prepare(folder)
    prepared = (time.perf_counter() - start) * 1000
    first, result = once(job)
    if job.check is not None:
        np.save(check_file(folder, side.name), job.check(result))
    return job, {"prepared_ms": prepared, "first_ms": first}


def answer(act: Callable[[], dict[str, object]]) -> bool:
    """Print what *act* says, or what stands in its way; return whether it worked."""
    reply: dict[str, object]
    try:
        reply = act()
    except CannotRunError as error:
        reply = {"missing": str(error)}
    except ModuleNotFoundError as error:
        reply = {"missing": f"{error.name} is not installed"}
    except Exception as error:  # noqa: BLE001 - foreign code: whatever it raises is the outcome of its row
        reply = {"broken": f"{type(error).__name__}: {error}"}
    print(json.dumps(reply), flush=True)
    return "missing" not in reply and "broken" not in reply


def main() -> None:
    """Serve one side until its input ends."""
    module, name, place = sys.argv[1:]
    side = side_named(row_named(module), name)
    kept: list[Job] = []

    def start() -> dict[str, object]:
        job, said = begin(side, Path(place))
        kept.append(job)
        return said

    if answer(start):
        for _ in sys.stdin:
            answer(lambda: {"ms": once(kept[0])[0], "peak_mb": peak_mb()})


if __name__ == "__main__":
    main()
