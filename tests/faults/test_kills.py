"""SIGKILL at random points: whoever dies, nothing is lost and nothing is there twice."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from chaos import faults as recipe_faults
from chaos.faults import Accident, broken, equal_scores, lost_or_doubled, unbroken, usual
from memgauge.errors import RunError

if TYPE_CHECKING:
    from chaos.faults import UnbrokenRun


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> UnbrokenRun:
    """Know what a run leaves whose driver is not killed."""
    return unbroken(tmp_path_factory.mktemp("whole") / "out", "driver")


def test_the_usual_accidents_hit_everybody() -> None:
    """Of two hundred, most are the driver's; every seed is another."""
    accidents = usual(200)
    assert len({fault.seed for fault in accidents}) == 200
    kinds = [fault.kind for fault in accidents]
    assert {kind: kinds.count(kind) for kind in kinds} == {"driver": 160, "worker": 20, "product": 20}


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_driver_loses_nothing(tmp_path: Path, driven: UnbrokenRun, seed: int) -> None:
    """Killed up to four times, at any function call or moment, a run ends like one that was not."""
    assert broken(tmp_path / "out", Accident("driver", seed), driven) == 0


@pytest.mark.parametrize("kind", [pytest.param("worker", marks=pytest.mark.slow), "product"])
def test_a_killed_worker_or_product_loses_nothing(tmp_path: Path, kind: str) -> None:
    """The conversation is done again; a product that died costs an attempt, which the record keeps."""
    assert lost_or_doubled(tmp_path, [Accident(kind, 1)]) == 0


def test_a_row_that_is_lost_or_doubled_is_counted(tmp_path: Path, driven: UnbrokenRun) -> None:
    """The judge of all this can tell."""
    first, *_ = driven.rows
    short = recipe_faults.UnbrokenRun(**{**vars(driven), "rows": driven.rows - type(driven.rows)([first])})
    assert broken(tmp_path / "out", Accident("driver", 1), short) == 1
    other = recipe_faults.UnbrokenRun(**{**vars(driven), "content": "0" * 64})
    assert broken(tmp_path / "again", Accident("driver", 1), other) == 1


def test_a_process_that_does_not_end_well_is_told(tmp_path: Path, driven: UnbrokenRun) -> None:
    """A run that cannot go on is no figure."""
    process = recipe_faults._start(tmp_path / "out", "driver", stop_at=driven.calls // 2)
    with pytest.raises(RunError, match="ended with -9"):
        recipe_faults._finish(process)


@pytest.mark.slow
def test_scores_do_not_depend_on_workers(tmp_path: Path) -> None:
    """In this process, and in one, two and four others."""
    assert equal_scores(tmp_path)


def test_the_workers_of_a_killed_driver_end_too(tmp_path: Path) -> None:
    """Nobody is left behind who works for no one."""
    children = next(filter(None, (orphaned(tmp_path / f"out{attempt}") for attempt in range(9))))
    until = time.monotonic() + 20
    while time.monotonic() < until and any(parent(pid) for pid in children):
        time.sleep(0.05)
    left = [pid for pid in children if parent(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def orphaned(out: Path) -> set[int]:
    """Start a driver, kill it, and return its workers; nobody where it came to its end before they were seen."""
    process = recipe_faults._start(out, "worker")
    children: set[int] = set()
    while process.is_alive():
        pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
        children = {pid for pid in pids if parent(pid) == process.pid}
        if len(children) > 1:
            process.kill()
            process.join()
            return children
        time.sleep(0.01)
    return set()


def parent(pid: int) -> int:
    """Return the parent of a process that lives, or 0."""
    try:
        state, ppid = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[:2]
    except OSError:
        return 0
    return 0 if state == "Z" else int(ppid)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_hundred_accidents_lose_nothing(tmp_path: Path) -> None:
    """Drivers, workers and products, at seeded points."""
    assert lost_or_doubled(tmp_path, usual(200)) == 0
