"""`memgauge plan` and `memgauge run`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from memgauge.cli.console import emit, program, progress, say
from memgauge.cli.exits import FAILED, OK
from memgauge.cli.options import AsData, RunOptions

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.plan import Estimate, Plan


def plan(*, options: RunOptions, json: AsData = False) -> int:
    """Say what a run would take, before it is spent.

    Counts are exact. Seconds are extrapolated from running the first conversation, which is done only for systems
    that need neither a model nor a server.

    Parameters
    ----------
    json
        Print data instead of a table.
    """
    from memgauge.runs.plan import estimate

    planned = options.plan()
    estimates = estimate(planned)
    if json:
        emit({"cells": [asdict(e) for e in estimates], "seconds": _total(estimates)})
        return OK
    _print_plan(planned, estimates)
    return OK


def run(*, options: RunOptions, workers: int = 1, json: AsData = False) -> int:
    """Run memory systems on datasets and freeze what they return.

    A run that is there already is not repeated; an interrupted one goes on after its last whole conversation.

    Parameters
    ----------
    workers
        Processes that share the work; the result does not depend on it.
    json
        Print the run folders as data.
    """
    from memgauge.runs.execute import execute
    from memgauge.runs.executors import executor

    planned = options.plan()
    with progress(quiet=json) as on_progress:
        folders = execute(planned, options.out, executor=executor(workers), on_progress=on_progress)
    endings = {folder: outcomes(folder) for folder in folders}
    if json:
        emit({"runs": [{"folder": str(folder), "outcomes": ended} for folder, ended in endings.items()]})
    else:
        for folder, ended in endings.items():
            say(f"{folder}: {', '.join(f'{n} {outcome}' for outcome, n in ended.items())}")
        say(f"Next: {program()} score {options.out}")
    failed = any(outcome not in {"ok", "empty"} for ended in endings.values() for outcome in ended)
    return FAILED if failed else OK


def outcomes(folder: Path) -> dict[str, int]:
    """Count the questions of a run by how they ended."""
    from collections import Counter

    from memgauge.runs.store import load

    return dict(sorted(Counter(load(folder).questions["outcome"].tolist()).items()))


def _total(estimates: list[Estimate]) -> float | None:
    seconds = [e.seconds for e in estimates]
    return None if None in seconds else sum(s for s in seconds if s is not None)


def _print_plan(planned: Plan, estimates: list[Estimate]) -> None:
    from rich.table import Table

    table = Table("dataset", "system", "conversations", "turns", "searches", "seconds", "needs", box=None)
    for cell, each in zip(planned.cells, estimates, strict=True):
        seconds = "unknown" if each.seconds is None else f"{each.seconds:.1f}"
        needs = ", ".join(each.needs) or "nothing"
        counts = (f"{cell.conversations:,}", f"{each.turns:,}", f"{each.searches:,}")
        table.add_row(cell.manifest.dataset.ref, each.label, *counts, seconds, needs)
    say(table)
    total = _total(estimates)
    say(
        "No model is called, so it costs nothing."
        if total is not None
        else "Some cells need more than this machine."
    )
    if total is not None:
        say(f"About {total:.0f} s on one worker.")
