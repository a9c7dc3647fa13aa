"""`memgauge demo`: the main job, with nothing to set up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from memgauge.errors import DataError
from memgauge.frame.console import emit, program, progress, say, working
from memgauge.frame.exits import OK
from memgauge.frame.options import AsData, RunOptions, ScoreOptions

SYSTEMS = ("bm25", "tfidf", "recency", "full", "random", "oracle")
"""Two searches, the memory of most chat loops, and what any score has to be read against."""


def demo(
    *,
    out: Path = Path("demo"),
    dataset: Annotated[tuple[str, ...], Parameter(name=["--dataset", "-d"], negative=(), show_default=False)] = (),
    workers: int = 2,
    json: AsData = False,
) -> int:
    """Run six memory systems on a synthetic world, and on LoCoMo where it is at hand.

    Prints one table a dataset and writes one HTML report. Needs no key, no server and no network.

    Parameters
    ----------
    out
        Folder for the runs and the report.
    dataset
        Measure on this instead; repeat for several.
    workers
        Processes that share the work.
    json
        Print the boards as data.
    """
    from memgauge.cli.score import write_report
    from memgauge.frame.output import SHOWN, present
    from memgauge.report.board import documents
    from memgauge.results import plain
    from memgauge.runs.play.execute import execute
    from memgauge.runs.play.executors import executor

    datasets, absent = (dataset, "") if dataset else _datasets()
    if not json:
        say(f"Measuring {len(SYSTEMS)} memory systems on {' and '.join(datasets)} …\n")
    planned = RunOptions(dataset=datasets, system=SYSTEMS).plan()
    with progress(quiet=json) as on_progress:
        folders = execute(planned, out / "runs", executor=executor(workers=workers), on_progress=on_progress)
    report = out / "report.html"
    with working("scoring and writing the report"):
        boards = write_report(folders, ScoreOptions().settings(), report, stories=200, title="memgauge demo")
    if json:
        emit({"report": str(report), "boards": plain(boards)})
        return OK
    present(documents(boards), SHOWN)
    say("")
    say(f"Report:  {report.resolve()}")
    say(_next(out, absent))
    return OK


def _datasets() -> tuple[tuple[str, ...], str]:
    """Return what can be measured here, and why LoCoMo is not part of it (empty where it is)."""
    from memgauge.datasets.catalogue import open_dataset

    try:
        open_dataset("locomo")
    except DataError as error:
        return ("synthetic:small",), error.what
    return ("locomo", "synthetic:small"), ""


def _next(out: Path, absent: str) -> str:
    runs, me = out / "runs", program()
    steps = {
        f"{me} compare {runs}": "which differences are real",
        f"{me} score {runs} --contract items=clean": "without questions whose labels are in doubt",
        f"{me} verify {runs}": "recompute every number from the rows",
        f"{me} systems check mymodule:MyMemory": "your own; then run it with --system mymodule:MyMemory",
    }
    width = max(map(len, steps))
    lines = ["Try next:", *(f"  {command:<{width}}  {why}" for command, why in steps.items())]
    if absent:
        lines.insert(0, f"LoCoMo was left out: it is not here. `{me} data fetch locomo` gets it (CC BY-NC 4.0).")
    return "\n".join(lines)
