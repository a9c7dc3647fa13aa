"""`memgauge judge witness`: a model's word on whether what was returned bears what it is said to descend from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.frame.console import emit, say, working
from memgauge.frame.exits import OK
from memgauge.frame.models import ModelOptions, say_estimate, spent
from memgauge.frame.options import RUNS, AsData
from memgauge.frame.panels import Models, open_panel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.llm.access import Access
    from memgauge.llm.judges.panel import Panel
    from memgauge.runs.layers import Layer
    from memgauge.runs.store import Run

_MODELS = ModelOptions()


def witness(
    *runs: Path,
    panel: Models = (),
    repeats: int = 1,
    quorum: int = 1,
    models: ModelOptions = _MODELS,
    json: AsData = False,
) -> int:
    """Let models say of every returned memory whether it bears the evidence that it is said to descend from.

    Verdicts are kept beside the run as a sealed layer; `memgauge score --contract witness=model` reads them.

    Parameters
    ----------
    runs
        Run folders, or folders of them; `runs` when none is named.
    panel
        Models as `provider:name`; repeat for several.
    repeats
        How often each of them judges everything anew.
    quorum
        Models that must have said something.
    json
        Print data instead of a table.
    """
    from rich.table import Table

    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.store import find_runs, load
    from memgauge.runs.witnessing import witness_pairs

    judges, accesses = open_panel(panel, repeats, quorum, models)
    loaded = [load(folder) for folder in find_runs(runs or (RUNS,))]
    datasets = [open_dataset(run.manifest.dataset.ref, allow_unpinned=True) for run in loaded]
    if models.plan:
        pairs = (
            pair for run, dataset in zip(loaded, datasets, strict=True) for pair in witness_pairs(run, dataset)
        )
        requests = (judge.request(pair.item) for pair in pairs if pair.item for judge in judges.judges)
        estimate = models.estimate(accesses, requests)
        emit(estimate) if json else say_estimate(estimate)
        return OK
    counts: list[dict[str, object]] = []
    table = Table("system", "pairs", "verdicts", box=None, title=f"What {judges.name} says is borne")
    for run, dataset in zip(loaded, datasets, strict=True):
        layer = _witnessed(run, dataset, judges, accesses, models.workers)
        rows = layer.rows()
        grades = Counter("word for word" if row["rule"] and row["borne"] else row["grade"] for row in rows)
        named = {"system": run.label, "run": str(run.folder), "layer": str(layer.folder)}
        counts.append(named | {"pairs": len(rows), "grades": dict(sorted(grades.items()))})
        shown = ", ".join(f"{n:,} {grade}" for grade, n in sorted(grades.items()))
        table.add_row(run.label, f"{len(rows):,}", shown)
    if json:
        emit({"witness": counts})
        return OK
    say(table)
    say("Read by `memgauge score --contract witness=model`.")
    return OK


def _witnessed(run: Run, dataset: Dataset, judges: Panel, accesses: Mapping[str, Access], workers: int) -> Layer:
    from memgauge.runs.witnessing import witness_layer

    with working(f"witnessing {run.label}") as update:
        return witness_layer(
            run,
            dataset,
            judges,
            workers=workers,
            environment=lambda: spent(accesses.values()),
            on_progress=lambda done, total: update(f"witnessing {run.label}: {done} of {total}"),
        )
