"""Runs that are killed, and files that are spoilt: what a seeded number of accidents leaves behind.

A point in a run is a number of function calls, or a share of the time that an unbroken run takes, so that it may
lie inside a library. Whoever was killed is started again, as a user would, until the run is sealed.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import RunError
from memgauge.records import Contract
from memgauge.runs.layers.layer import LayerManifest, write_layer
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline, Processes
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.seal import Seal
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import Settings, write_scores
from memgauge.scoring.verify import passed, verify
from memgauge.systems.reference.mortal import MARK
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from multiprocessing.process import BaseProcess

    from memgauge.runs.play.executors import Executor
    from memgauge.runs.play.plan import Plan

DATASET: Final = "synthetic:tiny"
SYSTEM: Final = "recency"
MORTAL: Final = "memgauge.systems.reference.mortal:Mortal"
PRODUCT: Final = (
    f"wire:env={MARK},command={shlex.join([sys.executable, '-m', 'memgauge.systems.wire.serve', MORTAL])}"
)
_HEAVY: Final = ("duckdb", "scipy", "memgauge.datasets.synthetic")
CALLS: Final = 20
"""Every conversation makes at least so many."""
SETTINGS: Final = Settings(Contract(), ("nDCG@10", "Hit@5"), 10)
TRIES: Final = 4
"""How often the same run is killed, at most, before it may end."""


@dataclass(frozen=True)
class UnbrokenRun:
    """What an unbroken run leaves."""

    content: str
    files: frozenset[str]
    rows: Counter[tuple[str, ...]]
    scores: str
    calls: int
    """Function calls of the process that drives it; 0 where another process is killed."""
    seconds: float


@dataclass(frozen=True)
class Accident:
    """One accident."""

    kind: str
    """Who is killed: the ``driver``, a ``worker``, or the process of a ``product``."""
    seed: int


def faults() -> Mapping[str, float]:
    """Compute the figures of the section."""
    with tempfile.TemporaryDirectory() as scratch:
        return {
            "rows_lost_or_doubled_over_200_fault_runs": float(lost_or_doubled(Path(scratch), usual(200))),
            "undetected_of_1000_bit_flips": float(undetected(Path(scratch) / "flips", 1000)),
            "scores_equal_inline_1_2_4_workers": float(equal_scores(Path(scratch) / "workers")),
        }


def usual(number: int) -> list[Accident]:
    """List *number* accidents: of ten, eight to the driver, one to a worker and one to a product."""
    kinds = (*("driver",) * 4, "worker", *("driver",) * 4, "product")
    return [Accident(kinds[seed % len(kinds)], seed) for seed in range(number)]


def lost_or_doubled(scratch: Path, accidents: Iterable[Accident]) -> int:
    """Count rows that a broken run lacks or has twice; whatever else differs counts as one."""
    wholes: dict[str, UnbrokenRun] = {}
    wrong = 0
    for fault in accidents:
        if fault.kind not in wholes:
            wholes[fault.kind] = unbroken(scratch / f"whole-{fault.kind}", fault.kind)
        wrong += broken(scratch / f"{fault.kind}-{fault.seed}", fault, wholes[fault.kind])
    return wrong


def unbroken(out: Path, kind: str) -> UnbrokenRun:
    """Make a run without an accident, to know what it leaves, and another one to count where drivers can die."""
    out.mkdir(parents=True)
    if kind == "driver":
        _finish(_start(out / "counted", kind, counted=str(out / "calls")))
    began = time.monotonic()
    _finish(_start(out / "plain", kind))
    seconds = time.monotonic() - began
    folder = _folder(out / "plain")
    files = frozenset(path.name for path in folder.iterdir())
    calls = int((out / "calls").read_text("utf-8")) if kind == "driver" else 0
    content = Seal.read(folder).content
    return UnbrokenRun(content, files, rows(folder), _scores(folder), calls, seconds)


def broken(out: Path, fault: Accident, whole: UnbrokenRun) -> int:
    """Make a run, kill what *fault* names, go on, and count what is wrong in the end."""
    out.mkdir(parents=True)
    chance = random.Random(fault.seed)  # noqa: S311 - no secret
    if fault.kind == "driver":
        _kill_driver(out, whole, chance)
    else:
        _kill_inside(out, fault.kind, chance)
    _finish(_start(out, fault.kind))
    folder = _folder(out)
    left = rows(folder)
    wrong = (left - whole.rows).total() + (whole.rows - left).total()
    # A product that dies costs an attempt, which the record keeps; nothing else may show.
    same = fault.kind == "product" or Seal.read(folder).content == whole.content
    same = same and frozenset(path.name for path in folder.iterdir()) == whole.files
    wrong += not (same and _scores(folder) == whole.scores and passed(verify(folder)))
    shutil.rmtree(out)
    return wrong


def rows(folder: Path) -> Counter[tuple[str, ...]]:
    """Count what a sealed run says of every question that counts, and of the hits that it got."""
    run = load(folder)
    names = run.questions["question"].tolist()
    entries: list[tuple[str, ...]] = [
        ("question", *row) for row in zip(names, run.questions["outcome"].tolist(), strict=True)
    ]
    for question, hits in run.hits_of(names, 1000).items():
        entries += [("hit", question, str(hit["rank"]), hit["memory"], str(hit["score"])) for hit in hits]
    return Counter(entries)


def undetected(scratch: Path, number: int, seed: int = 0) -> int:
    """Flip *number* bits, one at a time, of a run with its layers and scores, and count what is not seen."""
    folder = complete(scratch)
    chance = random.Random(seed)  # noqa: S311 - no secret
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    unseen = 0
    for _ in range(number):
        path = chance.choice(files)
        raw = path.read_bytes()
        bit = chance.randrange(8 * len(raw))
        path.write_bytes(flipped(raw, bit))
        unseen += not detected(folder)
        path.write_bytes(raw)
    return unseen


def complete(scratch: Path) -> Path:
    """Make a run with two layers and a score file; a system says what it was asked for, so that it is quick."""
    (folder,) = execute(_plan("driver"), scratch)
    run = load(folder)
    _scores(folder)
    asked = run.questions["question"].tolist()[:3]
    answers = LayerManifest(kind="answers", base=run.seal.content, label="x", maker={"answerer": "x"})
    layer = write_layer(run, answers, asked, lambda keys: ({"key": key, "text": key} for key in keys))
    verdicts = LayerManifest(kind="verdicts", base=layer.hash, label="x", maker={"panel": "x"})
    write_layer(run, verdicts, asked, lambda keys: ({"key": key, "grade": "correct"} for key in keys))
    return folder


def flipped(raw: bytes, bit: int) -> bytes:
    """Return *raw* with one bit changed."""
    return raw[: bit // 8] + bytes([raw[bit // 8] ^ 1 << bit % 8]) + raw[bit // 8 + 1 :]


def detected(folder: Path) -> bool:
    """Whether verification says that something is wrong."""
    try:
        return not passed(verify(folder))
    except RunError:
        return True


def equal_scores(scratch: Path) -> bool:
    """Whether score files are the same bytes in this process and in one, two and four workers."""
    executors: tuple[Executor, ...] = (Inline(), Processes(1), Processes(2), Processes(4))
    made = [
        _scores(execute(_plan("driver"), scratch / str(number), executor=executor)[0])
        for number, executor in enumerate(executors)
    ]
    return len(set(made)) == 1


@cache
def _plan(kind: str) -> Plan:
    ref = {"driver": SYSTEM, "worker": MORTAL, "product": PRODUCT}[kind]
    return plan([DATASET], [ref], limits=Limits(attempts=3))


def _drive(out: str, planned: Plan, workers: int, stop_at: int, counted: str, mark: str) -> None:
    """Make or go on with a run, in a process of its own."""
    calls = 0

    def hook(_frame: object, _event: str, _argument: object) -> None:
        nonlocal calls
        calls += 1
        if calls == stop_at:
            os.kill(os.getpid(), signal.SIGKILL)

    os.environ[MARK] = mark
    if stop_at or counted:
        sys.setprofile(hook)
    execute(planned, Path(out), executor=Processes(workers) if workers > 1 else Inline(), check=False)
    sys.setprofile(None)
    if counted:
        Path(counted).write_text(str(calls), "utf-8")


def _start(out: Path, kind: str, *, stop_at: int = 0, counted: str = "", mark: str = "") -> BaseProcess:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *_HEAVY])  # so that a process costs milliseconds
    workers = 2 if kind == "worker" else 1
    process = context.Process(target=_drive, args=(str(out), _plan(kind), workers, stop_at, counted, mark))
    process.start()
    return process


def _finish(process: BaseProcess) -> None:
    process.join()
    if process.exitcode:
        raise RunError(f"A run that was started again ended with {process.exitcode}.", "See what it printed.")


def _kill_driver(out: Path, whole: UnbrokenRun, chance: random.Random) -> None:
    for _ in range(chance.randint(1, TRIES)):
        if chance.random() < 0.5:
            _start(out, "driver", stop_at=chance.randint(1, whole.calls)).join()
        else:
            process = _start(out, "driver")
            time.sleep(whole.seconds * chance.random())
            process.kill()
            process.join()


def _kill_inside(out: Path, kind: str, chance: random.Random) -> None:
    mark = out / "mark"
    mark.write_text(str(chance.randint(1, CALLS)), "utf-8")
    _finish(_start(out, kind, mark=str(mark)))
    if mark.exists():
        raise RunError(f"Nothing was killed in {out}.", "The calls of a conversation are fewer than thought.")


def _folder(out: Path) -> Path:
    (manifest,) = out.glob(f"*/{MANIFEST}")
    return manifest.parent


def _scores(folder: Path) -> str:
    """Score a run; return the file without the hash of the run, which tells failed attempts as well."""
    path = write_scores(load(folder), GoldTable.read(open_dataset(DATASET)), SETTINGS)
    scores = json_file(path)
    del scores["content"]
    return json.dumps(scores)
