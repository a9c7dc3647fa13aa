"""`memgauge try`: one's own memory beside others, and why it failed where it did."""

from __future__ import annotations

from pathlib import Path

from memgauge.cli.demo import datasets_here, measured, promised
from memgauge.frame.console import program, say
from memgauge.frame.exits import OK
from memgauge.frame.options import DatasetRefs, SystemRefs
from memgauge.frame.output import PLAIN, Output, Printing, present, told

BESIDE = ("bm25", "recency", "random", "oracle")
"""A search that is hard to beat, the memory of most chat loops, and the floor and ceiling of any score."""
MOST_TELLING = 10
"""Failures that are printed."""


def try_(
    memory: str,
    /,
    *,
    out: Path = Path("try"),
    dataset: DatasetRefs = (),
    beside: SystemRefs = (),
    workers: int = 2,
    shown: Printing = PLAIN,
) -> int:
    """Check your memory, measure it beside others on what is here, and print why it failed where it did.

    Writes the runs and a report. Needs no key, no server and no network, unless your memory does.

    Example: memgauge try mymemory:MyMemory -d synthetic:small

    Parameters
    ----------
    memory
        Yours: `module:factory`, a name with parameters, `wire:command=…`, `http://…`, or a TOML file.
    out
        Folder for the runs and the report.
    dataset
        Measure on this instead; repeat for several.
    beside
        Measure beside these instead of bm25 (hybrid, too, where weights are here), recency, random and oracle.
    workers
        Processes that share the work.
    """
    from memgauge.cli.failures import failed
    from memgauge.report.board import documents
    from memgauge.report.failures import document
    from memgauge.results import plain

    datasets = dataset or datasets_here()[0]
    systems = tuple(dict.fromkeys((memory, *(beside or _beside()))))
    planned = promised(systems, datasets)
    mine = planned.cells[0].manifest
    if not shown.as_data:
        say(mine.conformance.sentence)
        say(f"Measuring it beside {', '.join(systems[1:])} on {' and '.join(datasets)} …\n")
    built = measured(planned, out, workers=workers, title=f"memgauge try {memory}", quiet=shown.as_data)
    missed = failed(built, [mine.system.label], MOST_TELLING)
    boards, report = [each.board for each in built], out / "report.html"
    if shown.as_data:
        data = {"report": str(report), "boards": plain(boards), "failures": plain(missed)}
        return present(told(data), shown)
    present(documents(boards), shown)
    say("")
    present(document(missed), Output(format=shown.format, tables=True))
    say(f"Report:  {report.resolve()}")
    say(f"Every question in a browser: {program()} view {out / 'runs'}")
    return OK


def _beside() -> tuple[str, ...]:
    """Return what is measured with it: hybrid, too, where its weights are here."""
    from memgauge.errors import UserError
    from memgauge.retrieval.minilm import find_weights

    try:
        find_weights()
    except UserError:
        return BESIDE
    return ("hybrid", *BESIDE)
