"""`memgauge quality`: the third document's measures, its ladder of systems, and a gate for pipelines."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from memgauge.frame.console import emit, progress, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import RUNS, AsData, Flag
from memgauge.frame.placing import HERE, Placing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.quality.study import Quality

app = App("quality", help="Precision, time and contradiction over a ladder of systems (third document).")


@app.command
def run(
    *,
    dataset: Annotated[str, Parameter(name=["--dataset", "-d"])] = "synthetic:medium",
    system: Annotated[tuple[str, ...], Parameter(name=["--system", "-s"], negative=(), show_default=False)] = (),
    embedder: str | None = None,
    k: int = 10,
    conversations: int | None = None,
    placing: Placing = HERE,
    all_measures: Annotated[bool, Parameter(name="--all", negative=(), show_default=False)] = False,
    out: Path = RUNS,
    allow_unpinned: Annotated[bool, Flag] = False,
    json: AsData = False,
) -> int:
    """Run systems and print the document's table, measured, with intervals; published figures in parentheses.

    Parameters
    ----------
    dataset
        Any dataset; measures that it cannot carry are undefined, with the reason.
    system
        Memory systems; `ladder` (the default) is the document's six kinds; repeat.
    embedder
        Sentence vectors of the ladder: minilm, hashed, or `provider:name`; default: minilm where it is at hand.
    k
        Hits kept per question.
    conversations
        Only the first so many.
    all_measures
        Print every other measure too.
    out
        Folder that run folders are made in.
    allow_unpinned
        Accept a dataset file that is not the published one.
    json
        Print data instead of tables.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.execute import execute
    from memgauge.runs.store import load
    from memgauge.studies.quality.ladder import LADDER, planned, rungs_of
    from memgauge.studies.quality.study import measure_quality

    rungs = rungs_of(system or (LADDER,), embedder)
    work = planned(dataset, rungs, k=max(k, 10), conversations=conversations, allow_unpinned=allow_unpinned)
    with progress(quiet=json) as on_progress:
        folders = execute(work, out, executor=placing.open(), on_progress=on_progress)
    with working("measuring"):
        runs = [(rung.name, load(folder)) for rung, folder in zip(rungs, folders, strict=True)]
        quality = measure_quality(open_dataset(dataset, allow_unpinned=True), runs)
    return _told(quality, all_measures=all_measures, json=json)


@app.command
def score(
    *runs: Path,
    all_measures: Annotated[bool, Parameter(name="--all", negative=(), show_default=False)] = False,
    json: AsData = False,
) -> int:
    """Print the same table for runs that exist already, ours or imported.

    Parameters
    ----------
    runs
        Run folders on one dataset, or folders of them; `runs` when none is named.
    all_measures
        Print every other measure too.
    json
        Print data instead of tables.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.store import find_runs, load
    from memgauge.studies.quality.study import measure_quality

    loaded = [load(folder) for folder in find_runs(runs or (RUNS,))]
    dataset = open_dataset(loaded[0].manifest.dataset.ref, allow_unpinned=True)
    with working("measuring"):
        quality = measure_quality(dataset, [(run.label, run) for run in loaded])
    return _told(quality, all_measures=all_measures, json=json)


@app.command(name="audit-table")
def audit_table(*, json: AsData = False) -> int:
    """Say which figures of the published table no system can reach, by the document's own definitions.

    Parameters
    ----------
    json
        Print data instead of a table.
    """
    from memgauge.report.quality import FINDING_HEADS, finding_rows
    from memgauge.studies.quality.published import audit_table as audit

    findings = audit()
    if json:
        emit([asdict(finding) for finding in findings])
        return OK
    _table("What cannot be reproduced", FINDING_HEADS, finding_rows(findings))
    return OK


@app.command
def gate(
    candidate: Path,
    *,
    baseline: Path,
    measure: Annotated[tuple[str, ...], Parameter(name=["--measure", "-m"], negative=(), show_default=False)] = (),
    markdown: Path | None = None,
    junit: Path | None = None,
    json: AsData = False,
) -> int:
    """Fail when a run is significantly worse than its baseline; say what difference would have been seen.

    Parameters
    ----------
    candidate
        The run to be let through.
    baseline
        The run that it is measured by, on the same data.
    measure
        Measures that must not become worse; repeat. Default: recall, completeness, time, contradiction, sets.
    markdown
        Write a comment for a pull request to this file.
    junit
        Write JUnit XML to this file.
    json
        Print data instead of a table.
    """
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.report.quality import GATE_HEADS, gate_junit, gate_markdown, gate_rows
    from memgauge.runs.files import write_atomically
    from memgauge.runs.store import load
    from memgauge.studies.quality.gate import DEFAULT
    from memgauge.studies.quality.gate import gate as check

    before, after = load(baseline), load(candidate)
    with working("comparing"):
        dataset = open_dataset(before.manifest.dataset.ref, allow_unpinned=True)
        gated = check(before, after, dataset, measure or DEFAULT)
    if markdown:
        write_atomically(markdown, gate_markdown(gated))
    if junit:
        write_atomically(junit, gate_junit(gated))
    if json:
        emit({"passed": gated.passed, **asdict(gated)})
        return OK if gated.passed else FAILED
    _table(f"{gated.candidate} beside {gated.baseline}", GATE_HEADS, gate_rows(gated))
    if gated.failed_calls:
        say(f"{gated.failed_calls} questions that the baseline answered failed.")
    say("Passed: nothing that could be seen became worse." if gated.passed else "FAILED.")
    return OK if gated.passed else FAILED


def _told(quality: Quality, *, all_measures: bool, json: bool) -> int:
    from memgauge.report.quality import FINDING_HEADS, finding_rows, more_rows, order_sentences, quality_rows
    from memgauge.studies.quality.published import audit_table as audit

    if json:
        emit({**asdict(quality), "published_table": [asdict(finding) for finding in audit()]})
        return OK
    title = f"{quality.dataset.ref}: {quality.questions} questions in {quality.conversations} conversations"
    _table(title, *quality_rows(quality))
    say("95 % intervals over conversations; published figures in parentheses.")
    say("Temporal accuracy: what holds is there, and before what does not.")
    say("Contradiction: functional slots with two values at once, of all that are expressed in what is shown.")
    if all_measures:
        _table("Every other measure", *more_rows(quality))
    for sentence in order_sentences(quality):
        say(sentence)
    if any(row.published for row in quality.rows):
        _table("What cannot be reproduced", FINDING_HEADS, finding_rows(audit()))
    return OK


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    table = Table(*heads, box=None, title=title, title_justify="left")
    for row in rows:
        table.add_row(*row)
    say(table)
