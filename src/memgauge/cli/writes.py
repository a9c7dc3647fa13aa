"""`memgauge judge writes`: what a run stored, beside what it should have."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from memgauge.frame.console import emit, say, working
from memgauge.frame.exits import OK
from memgauge.frame.models import ModelOptions, say_estimate, spent
from memgauge.frame.options import RUNS, AsData
from memgauge.frame.panels import Models, open_panel

_MODELS = ModelOptions()


def writes(
    *runs: Path,
    panel: Models = (),
    repeats: int = 1,
    quorum: int = 1,
    models: ModelOptions = _MODELS,
    json: AsData = False,
) -> int:
    """Judge what runs stored beside what each session gave them to keep (HaluMem's extraction and updates).

    Parameters
    ----------
    runs
        Run folders, or folders of them; `runs` when none is named.
    panel
        Judge models as `provider:name`; repeat for several.
    repeats
        How often each of them judges everything anew.
    quorum
        Judges that must have said something.
    json
        Print data instead of a table.
    """
    from rich.table import Table

    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.store import find_runs, load
    from memgauge.runs.writing import judge_writes, written
    from memgauge.scoring.written import shown, written_entry

    judges, accesses = open_panel(panel, repeats, quorum, models)
    loaded = [load(folder) for folder in find_runs(runs or (RUNS,))]
    datasets = [open_dataset(run.manifest.dataset.ref, allow_unpinned=True) for run in loaded]
    if models.plan:
        asked = (one for run, dataset in zip(loaded, datasets, strict=True) for one in written(run, dataset))
        requests = (judge.request(one.item) for one in asked if one.returned for judge in judges.judges)
        estimate = models.estimate(accesses, requests)
        emit(estimate) if json else say_estimate(estimate)
        return OK
    entries = []
    for run, dataset in zip(loaded, datasets, strict=True):
        with working(f"judging {run.label}"):
            layer = judge_writes(
                run, dataset, judges, workers=models.workers, environment=lambda: spent(accesses.values())
            )
        entries.append(written_entry(run, layer))
    if json:
        emit({"writes": [asdict(entry) for entry in entries]})
        return OK
    heads = ("system", "integrity", "weighted", "accuracy", "F1", "resistance", "updates", "as published", "open")
    table = Table(*heads, box=None, title="What was stored")
    for row in shown(entries):
        table.add_row(*row)
    say(table)
    say("Updates: share that is correct, of all; as published, of those for which anything was found.")
    return OK
