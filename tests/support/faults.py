"""What the tests of accidents share."""

from __future__ import annotations

import multiprocessing
import os
from typing import TYPE_CHECKING

from chaos.faults import DATASET, SYSTEM
from memgauge.errors import RunError
from memgauge.records import Verdict
from memgauge.runs.layers.layer import LayerManifest, write_layer
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.verify import verify

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

NOBODY = 65534


def failed(folder: Path) -> dict[str, str]:
    """Name what is wrong with a run."""
    return {found.subject: found.detail for found in verify(folder) if found.verdict is Verdict.FAIL}


def inside(folder: Path) -> list[Path]:
    """List every file of a run."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def powerless(work: str, folder: Path) -> str:
    """Do something with a run as a user who may write nothing; return the error, empty where there is none."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["chaos.faults", "duckdb", "scipy", __name__])
    here, there = multiprocessing.Pipe(duplex=False)
    process = context.Process(target=_try, args=(work, folder, there))
    process.start()
    there.close()
    said = str(here.recv())
    process.join()
    return said


def _try(work: str, folder: Path, said: Connection) -> None:
    works = {
        "run": lambda: execute(plan([DATASET], [SYSTEM]), folder.parent, check=False),
        "another": lambda: execute(plan([DATASET], ["none"]), folder.parent, check=False),
        "verify": lambda: failed(folder),
        "layer": lambda: write_layer(
            load(folder), LayerManifest(kind="answers", base="x", label="x", maker={}), [], lambda _: iter([])
        ),
    }
    plan([DATASET], ["none"])  # what it reads of the installation, another user may not
    if os.geteuid() == 0:
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
    try:
        works[work]()  # type: ignore[no-untyped-call] # all take nothing, and return whatever they like
    except RunError as error:
        said.send(str(error))
    else:
        said.send("")
