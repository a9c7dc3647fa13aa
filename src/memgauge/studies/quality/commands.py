"""`memgauge study quality`: the third document's measures, its ladder of systems, and a gate for pipelines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import App

from memgauge.errors import ConfigError
from memgauge.frame.choosing import finished
from memgauge.frame.console import progress, working
from memgauge.frame.exits import FAILED, OK, PARTIAL
from memgauge.frame.numbers import COUNT, HITS
from memgauge.frame.options import RUNS, DatasetRef, Flag, MeasureNames, SystemRefs
from memgauge.frame.output import SHOWN, Output, present
from memgauge.frame.placing import HERE, Placing

if TYPE_CHECKING:
    from memgauge.studies.quality.study import Quality

DEPTH: Final = 10
"""Hits that the measures look at."""

app = App("quality", help="Precision, time and contradiction over a ladder of systems (third document).")


@app.command
def run(
    *,
    dataset: DatasetRef = "synthetic:medium",
    system: SystemRefs = (),
    embedder: str | None = None,
    k: Annotated[int, HITS] = DEPTH,
    conversations: Annotated[int | None, COUNT] = None,
    placing: Placing = HERE,
    allow_unpinned: Annotated[bool, Flag] = False,
    output: Output = SHOWN,
) -> int:
    """Run systems and show the document's table, measured, with intervals; published figures in parentheses.

    Run folders go to the folder of `--out`, or to `runs`.

    Example: memgauge study quality run -d synthetic:medium -s bm25 -s pipeline

    Parameters
    ----------
    dataset
        Any dataset; measures that it cannot carry are undefined, with the reason.
    system
        Memory systems; `ladder` (the default) is the document's six kinds; repeat.
    embedder
        Sentence vectors of the ladder: an installed model, hashed, or `openai:NAME@ADDRESS`; default: minilm where
        it is at hand.
    k
        Hits kept per question, ten at least.
    conversations
        Only the first so many.
    allow_unpinned
        Accept a dataset file that is not the published one.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.play.execute import execute
    from memgauge.runs.record.store import load
    from memgauge.studies.quality.ladder import LADDER, planned, rungs_of
    from memgauge.studies.quality.study import measure_quality

    folder, rungs = output.folder(RUNS), rungs_of(system or (LADDER,), embedder)
    if k < DEPTH:
        raise ConfigError(f"The measures look at {DEPTH} hits, and k is {k}.", f"Keep --k {DEPTH} or more.")
    work = planned(dataset, rungs, k=k, conversations=conversations, allow_unpinned=allow_unpinned)
    with progress(quiet=output.as_data) as on_progress:
        folders = execute(work, folder, executor=placing.open(), on_progress=on_progress)
    with working("measuring"):
        runs = [(rung.name, load(made)) for rung, made in zip(rungs, folders, strict=True)]
        quality = measure_quality(open_dataset(dataset, allow_unpinned=True), runs)
    return _shown(quality, output)


@app.command
def score(
    *runs: Path,
    output: Output = SHOWN,
) -> int:
    """Show the same table for runs that exist already, ours or imported.

    Example: memgauge study quality score runs

    Parameters
    ----------
    runs
        Run folders on one dataset, or folders of them; `runs` when none is named.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.record.store import load
    from memgauge.studies.quality.study import measure_quality

    loaded_runs = [load(folder) for folder in finished(runs)]
    dataset = open_dataset(loaded_runs[0].manifest.dataset.ref, allow_unpinned=True)
    with working("measuring"):
        quality = measure_quality(dataset, [(run.label, run) for run in loaded_runs])
    return _shown(quality, output)


def _shown(quality: Quality, output: Output) -> int:
    from memgauge.studies.quality.show import document

    failed = any(row.failed for row in quality.rows)
    return present(document(quality), output, name="quality", code=FAILED if failed else OK)


@app.command(name="audit-table")
def audit_table(*, output: Output = SHOWN) -> int:
    """Say which figures of the published table no system can reach, by the document's own definitions.

    Example: memgauge study quality audit-table
    """
    from memgauge.studies.quality.published import PublishedAudit
    from memgauge.studies.quality.published import audit_table as doubts
    from memgauge.studies.quality.show import audit

    return present(audit(PublishedAudit(tuple(doubts()))), output, name="quality-audit-table")


@app.command
def gate(
    candidate: Path,
    *,
    baseline: Path,
    measure: MeasureNames = (),
    output: Output = SHOWN,
) -> int:
    """Fail when a run is significantly worse than its baseline; say what difference would have been seen.

    Where no measure could be compared, as with one conversation, it ends with 3: that is no pass.
    For a pull request: `--out gate.xml --format markdown > comment.md` writes JUnit and a comment at once.

    Example: memgauge study quality gate runs/after --baseline runs/before --out gate.xml

    Parameters
    ----------
    candidate
        The run to be let through.
    baseline
        The run that it is measured by, on the same data; or a file of `memgauge runs accept`.
    measure
        Measures that must not become worse; repeat. Default: recall, completeness, time, contradiction, sets.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.record.store import load
    from memgauge.scoring.accepted import read_accepted
    from memgauge.scoring.compare import baseline_for
    from memgauge.studies.quality.gate import DEFAULT
    from memgauge.studies.quality.gate import gate as check
    from memgauge.studies.quality.gate_show import document

    candidate_run = load(candidate)
    baseline_run = baseline_for(read_accepted(baseline), candidate_run) if baseline.is_file() else load(baseline)
    with working("comparing"):
        dataset = open_dataset(candidate_run.manifest.dataset.ref, allow_unpinned=True)
        gate_result = check(baseline_run, candidate_run, dataset, measure or DEFAULT)
    code = FAILED if not gate_result.passed else PARTIAL if gate_result.is_blind else OK
    return present(document(gate_result), output, name="quality-gate", code=code)
