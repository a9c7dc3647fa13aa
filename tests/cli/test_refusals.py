"""Commands that write where nothing can be written: one sentence, what to do about it, and exit code 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.disk import read_only, said_where, tiny

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.cli import Said

WRITING = {
    "score {run} --out {to}/x.html": "x.html",
    "score {run} --out {to}/x.parquet": "x.parquet",
    "score {run} --out {to}/sub": "sub",
    "results report {run} --out {to}/r.html": "r.html",
    "view {run} --export {to}/v": "v",
    "runs bundle {run} --out {to}/b.zip": "b.zip",
    "runs export {run} --to csv --out {to}/e": "e",
    "runs export {run} --to parquet --out {to}/e": "e",
    "runs export {run} --to otlp --out {to}/e": "e",
    "runs accept {run} --as main --out {to}/a.json": "a.json",
    "runs import jsonl {trace} -d synthetic:tiny --out {to}/i": "i",
    "data synth {to}/w --size tiny": "w",
    "systems new mine --into {to}/n": "n",
}
"""Commands that write to a place, and what of it their complaint names."""


@pytest.fixture
def trace(made: Path, tmp_path: Path, memgauge: Callable[..., Said]) -> Path:
    """Return a run as a file that can be imported."""
    (run,) = made.glob("*-bm25-*")
    assert memgauge("runs", "export", str(run), "--to", "jsonl", "--out", str(tmp_path / "trace")).code == 0
    return tmp_path / "trace" / "run.jsonl"


def _words(command: str, made: Path, trace: Path, to: Path) -> list[str]:
    (run,) = made.glob("*-bm25-*")
    return command.format(run=run, trace=trace, to=to).split()


@pytest.mark.parametrize("command", WRITING)
def test_what_cannot_be_written_is_one_sentence(
    memgauge: Callable[..., Said], made: Path, trace: Path, tmp_path: Path, command: str
) -> None:
    """Below a file there is no folder, below /proc no file of anybody: the path is named, and a fitting remedy."""
    (tmp_path / "file").write_text("")
    for to in (tmp_path / "file", Path("/proc")):
        said = memgauge(*_words(command, made, trace, to))
        assert (said.code, "Traceback" in said.err) == (2, False), said.err
        assert str(to) in said.err
        assert "room" not in said.err


@pytest.mark.parametrize("command", WRITING)
def test_a_disk_that_is_full_is_one_sentence(made: Path, trace: Path, tmp_path: Path, command: str) -> None:
    """The complaint names the file and asks for room."""
    (to := tmp_path / "to").mkdir()
    full = f"{tiny(to)}; head -c 20000 /dev/zero > {to}/fill 2>&- || true"
    said = said_where(full, *_words(command, made, trace, to))
    assert (said.returncode, "Traceback" in said.stderr) == (2, False), said.stderr
    assert str(to / WRITING[command]) in said.stderr.replace("\n", "")
    assert "No space left on device. Make room" in said.stderr


def test_runs_that_can_only_be_read_are_scored_all_the_same(out: Path) -> None:
    """Sealed runs are only read: one note says that no scores were written beside them."""
    said = said_where(read_only(out), "score", str(out))
    assert (said.returncode, "bm25" in said.stdout) == (0, True), said.stderr
    assert said.stderr.count("The scores were not written beside 1 run;") == 1
    assert "Read-only file system" in " ".join(said.stderr.split())
    assert not list(out.glob("*/scores"))


@pytest.mark.parametrize(
    "command", ["--version", "--help", "score {run}", "score {run} --json", "runs list {run}"]
)
def test_an_output_that_takes_nothing_is_one_sentence(made: Path, command: str) -> None:
    """Results that go to a full disk end with 2, and Python adds no complaint of its own."""
    (run,) = made.glob("*-bm25-*")
    with Path("/dev/full").open("w") as full:
        said = subprocess.run(
            [sys.executable, "-m", "memgauge", *command.format(run=run).split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert said.returncode == 2
    assert said.stderr.splitlines() == [
        "memgauge: Cannot write the result: No space left on device. Make room and run the same command again."
    ]
