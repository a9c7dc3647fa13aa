"""What it costs that a memory is played in a process of its own: start it, let it open BM25, and end it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from bench.row import CannotRunError, Job, Row, floor, ours

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = "import memgauge.runs.play.engine, memgauge.systems.policies.lexical"


def memgauge(folder: Path) -> Job:
    """Start a player behind the walls that work here, open a system in it, and end it."""
    from memgauge.runs.play.player.assignment import Chosen
    from memgauge.runs.play.player.troupe import Troupe
    from memgauge.runs.play.player.walls import Hidden

    hidden = Hidden((folder,))

    def run() -> None:
        troupe = Troupe(hidden, "bm25")
        try:
            troupe.consult(Chosen("bm25"))
        finally:
            troupe.close()

    return Job(run)


def bare(_: Path) -> Job:
    """Start Python, and import what plays and what is played."""

    def run() -> None:
        done = subprocess.run([sys.executable, "-c", ENGINE], capture_output=True, check=False)
        if done.returncode != 0:
            raise CannotRunError(f"the imports ended with exit code {done.returncode}")

    return Job(run)


ROW = Row(
    "a player for a run: a process that cannot see the gold",
    unit="s",
    limit=0.4,
    above="It stands behind walls of its own, looks at what it can reach, and says so.",
    sides=(ours(memgauge, note="bubblewrap, where there is one"), floor("start Python and import the same", bare)),
)
