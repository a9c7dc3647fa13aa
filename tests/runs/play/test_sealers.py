"""Finished runs are sealed by other processes: the same bytes, and no run without its lock and its comparison."""

from __future__ import annotations

import hashlib
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunBusyError, RunError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.sealers import Sealers
from memgauge.runs.play.written import WrittenRecord
from memgauge.runs.record.appending import Appender
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import sealed
from support.handmade import many_questions, planned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def record(tmp_path: Path) -> WrittenRecord:
    """Make a run that was written whole, and is not sealed."""
    return written(tmp_path)


def written(out: Path) -> WrittenRecord:
    """Play a run into a folder, and take its seal away."""
    (folder,) = execute(planned(many_questions(2, 1), "none"), out, executor=Inline(), check=False)
    (folder / SEAL).unlink()
    for table in folder.glob("*.parquet"):
        table.unlink()
    journal, manifest = (
        hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("journal.jsonl", "manifest.json")
    )
    return WrittenRecord(str(folder), journal, manifest)


@pytest.fixture
def sealers() -> Iterator[Sealers]:
    """Let every run of two be sealed by another process."""
    made = Sealers(2, large=0)
    yield made
    made.close()


def files(record: WrittenRecord) -> dict[str, bytes]:
    """Read everything in its folder."""
    return {path.name: path.read_bytes() for path in Path(record.folder).iterdir() if path.is_file()}


def test_another_process_seals_to_the_same_bytes(record: WrittenRecord, sealers: Sealers) -> None:
    """As the owner itself would have."""
    record.seal()
    here = files(record)
    (Path(record.folder) / SEAL).unlink()
    sealers.begin(record)
    sealers.wait()
    assert files(record) == here


def test_what_is_small_or_alone_is_sealed_at_once(record: WrittenRecord) -> None:
    """The way to another process would take longer."""
    for alone in (Sealers(1, large=0), Sealers(9)):
        (Path(record.folder) / SEAL).unlink(missing_ok=True)
        alone.begin(record)
        assert sealed(Path(record.folder))
        alone.close()


def test_a_changed_record_is_refused_by_the_other_process(record: WrittenRecord, sealers: Sealers) -> None:
    """With the sentence that its owner would have said, and the next run is sealed all the same."""
    path = Path(record.folder) / "journal.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b"\n")
    sealers.begin(record)
    with pytest.raises(RunError, match=r"journal\.jsonl was changed while this run was played"):
        sealers.wait()
    assert not sealed(Path(record.folder))
    path.write_bytes(whole)
    sealers.begin(record)
    sealers.wait()
    assert sealed(Path(record.folder))


def test_nobody_seals_what_somebody_writes(record: WrittenRecord, sealers: Sealers) -> None:
    """The other process takes the lock of the run for as long as it seals."""
    with Appender(Path(record.folder) / "journal.jsonl"):
        sealers.begin(record)
        with pytest.raises(RunError, match="being written by another process"):
            sealers.wait()
        with pytest.raises(RunBusyError):
            record.seal()


def test_a_process_that_is_killed_is_no_loss(record: WrittenRecord, sealers: Sealers) -> None:
    """Whoever waits for it seals instead."""
    sealers.begin(record)
    sealers.wait()
    (Path(record.folder) / SEAL).unlink()
    (process,) = children()
    os.kill(process, signal.SIGKILL)
    sealers.begin(record)
    sealers.wait()
    assert sealed(Path(record.folder))


def test_who_waits_seals_what_others_have_not_begun(tmp_path: Path) -> None:
    """From behind, and at once: the process that seals is stopped meanwhile."""
    first, second = (written(tmp_path / name) for name in ("first", "second"))
    with closing(Sealers(2, large=0)) as sealing, ThreadPoolExecutor() as threads:
        sealing.begin(first)
        sealing.wait()
        (Path(first.folder) / SEAL).unlink()
        (process,) = children()
        os.kill(process, signal.SIGSTOP)
        sealing.begin(first)
        sealing.begin(second)
        waiting = threads.submit(sealing.wait)
        try:
            assert within(10, lambda: sealed(Path(second.folder)))
            assert not sealed(Path(first.folder))
            assert not waiting.done()
        finally:
            os.kill(process, signal.SIGCONT)
        waiting.result()
    assert sealed(Path(first.folder))


def test_nothing_is_left_running(record: WrittenRecord) -> None:
    """When it is closed its processes have ended."""
    sealing = Sealers(2, large=0)
    sealing.begin(record)
    sealing.wait()
    assert children()
    sealing.close()
    assert not children()


def children() -> list[int]:
    """Name the processes that seal for this one."""
    threads = [Path(f"/proc/self/task/{task.name}/children") for task in Path("/proc/self/task").iterdir()]
    pids = {int(pid) for path in threads for pid in path.read_text().split()}
    return [pid for pid in pids if b"sealers" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def within(seconds: float, what: Callable[[], bool]) -> bool:
    """Wait until something holds, and say whether it came to that."""
    until = time.monotonic() + seconds
    while not what() and time.monotonic() < until:
        time.sleep(0.02)
    return what()
