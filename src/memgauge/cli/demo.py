"""`memgauge demo`: the main job, with nothing to set up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.errors import DataError
from memgauge.frame.console import program, progress, working
from memgauge.frame.exits import OK
from memgauge.frame.numbers import COUNT
from memgauge.frame.options import DatasetRefs, RunOptions, ScoreOptions
from memgauge.frame.output import PLAIN, Printing, present, told
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.play.plan import Plan
    from memgauge.scoring.leaderboard import Built

SYSTEMS = ("bm25", "tfidf", "recency", "full", "random", "oracle")
"""Two searches, the memory of most chat loops, and what any score has to be read against."""


def demo(
    *,
    out: Path = Path("demo"),
    dataset: DatasetRefs = (),
    workers: Annotated[int, COUNT] = 2,
    shown: Printing = PLAIN,
) -> int:
    """Run six memory systems on a synthetic world, and on LoCoMo where it is at hand.

    Prints one table a dataset and writes one HTML report. Needs no key, no server and no network.

    Example: memgauge demo --workers 4

    Parameters
    ----------
    out
        Folder for the runs and the report.
    dataset
        Measure on this instead; repeat for several.
    workers
        Processes that share the work.
    """
    from memgauge.report.board import documents
    from memgauge.results import plain

    datasets, absent = (dataset, "") if dataset else datasets_here()
    shown.tell(f"Measuring {len(SYSTEMS)} memory systems on {' and '.join(datasets)} …\n")
    planned = promised(SYSTEMS, datasets)
    report = out / "report.html"
    boards = [
        each.board for each in measured(planned, out, workers=workers, title="memgauge demo", quiet=shown.as_data)
    ]
    if shown.as_data:
        return present(told({"report": str(report), "boards": plain(boards)}), shown)
    present(documents(boards), shown)
    shown.tell("")
    shown.tell(f"Report:  {report.resolve()}")
    shown.tell(_next(out, absent))
    return OK


def promised(systems: Sequence[str], datasets: Sequence[str]) -> Plan:
    """Plan every system on every dataset, and check what each promises."""
    from memgauge.runs.play.conforming import with_conformance

    planned = RunOptions(dataset=tuple(datasets), system=tuple(systems)).plan()
    with working("checking what they promise"):
        return replace(planned, cells=with_conformance(planned.cells))


def measured(planned: Plan, out: Path, *, workers: int, title: str, quiet: bool, tried: str = "") -> list[Built]:
    """Run a plan, score it, and write ``report.html`` beside the folder of its runs."""
    from memgauge.cli.score import write_report
    from memgauge.runs.play.execute import execute
    from memgauge.runs.play.executors import executor

    with progress(quiet=quiet) as on_progress:
        folders = execute(planned, out / "runs", executor=executor(workers=workers), on_progress=on_progress)
    with working("scoring and writing the report"):
        settings, page = ScoreOptions().settings(), out / "report.html"
        return write_report(folders, settings, page, stories=36, title=title, tried=tried)


def datasets_here() -> tuple[tuple[str, ...], str]:
    """Return what can be measured here, and why LoCoMo is not part of it (empty where it is)."""
    from memgauge.datasets.catalogue import open_dataset

    try:
        open_dataset("locomo")
    except DataError as error:
        return ("synthetic:small",), error.what
    return ("locomo", "synthetic:small"), ""


def _next(out: Path, absent: str) -> str:
    left_out = f"LoCoMo was left out: it is not here. `{program()} data fetch locomo` gets it (CC BY-NC 4.0).\n"
    check = f"Recompute every number from the rows: {program()} runs verify {typed(out / 'runs')}"
    return f"{left_out if absent else ''}{check}"
