"""`memgauge track`: an agent's memory across Slack, Linear and Git (MEMTRACK)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import emit, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, say_estimate
from memgauge.frame.options import AsData, Flag

if TYPE_CHECKING:
    from memgauge.studies.track.timeline.lint import LintFinding
    from memgauge.studies.track.timeline.models import Timeline
    from memgauge.studies.track.timeline.references import Scorer

app = App("track", help="An agent's memory and state tracking across Slack, Linear and Git (MEMTRACK).")

_MODELS = ModelOptions()
_ELSEWHERE = {
    "run": ("track_run:run", "Play instances: an agent answers hidden questions with tools."),
    "report": ("track_run:report", "Score what was played: tables, and one HTML page."),
    "score": ("track_run:score", "Score runs: the document's tables, with intervals over histories."),
    "compare": ("track_run:compare", "Say whether two runs over the same instances differ, paired."),
    "serve": ("track_serve:serve", "Serve an instance's tools to an outside agent."),
    "doctor": ("track_doctor:doctor", "Prove from inside a sandbox what an agent cannot reach."),
    "curate": ("track_curate:app", "Make instances: seed, draft, distractors, lint, solve-check, sign-off."),
}
for _name, (_target, _help) in _ELSEWHERE.items():
    app.command(f"memgauge.cli.{_target}", name=_name, help=_help)


def opened(refs: tuple[str, ...]) -> list[Timeline]:
    """Read every instance that is meant; those of the demo when none is named."""
    from memgauge.studies.track.timeline.opening import DEMO, find_instances, open_instance

    return [open_instance(path) for path in find_instances(refs or (DEMO,))]


@app.command
def stats(
    *instances: Annotated[str, Parameter(show_default=False)],
    tokens: str = "chars/4",
    scorer: str = "words",
    models: ModelOptions = _MODELS,
    json: AsData = False,
) -> int:
    """Compute the seven statistics of MEMTRACK's Table 1, for each instance and over all of them.

    Parameters
    ----------
    instances
        Files or folders of instances, the archive's own or ours, or names of shipped ones; default: all shipped.
    tokens
        How tokens are counted: chars/4, words, or `tokenizer:PATH` of a tokenizer.json.
    scorer
        What finds references to other platforms: words, which is a heuristic, or a model.
    json
        Print data instead of tables.
    """
    from dataclasses import asdict

    from memgauge.studies.track.timeline.statistics import statistics, table
    from memgauge.text.counting import open_counter

    timelines = opened(instances)
    counter = open_counter(tokens)
    found = _scorer(scorer, models, timelines)
    if found is None:
        return OK
    with working("counting"):
        each = [statistics(timeline, counter, found) for timeline in timelines]
    columns = table(each)
    if json:
        rows = [
            {**asdict(one), "heterophily": {**asdict(one.heterophily), "value": one.heterophily.value}}
            for one in each
        ]
        emit({"instances": rows, "table": [asdict(column) for column in columns]})
        return OK
    from memgauge.report.track_statistics import statistics_tables

    for part in statistics_tables(each, columns):
        say(part)
    return OK


@app.command
def lint(*instances: Annotated[str, Parameter(show_default=False)], json: AsData = False) -> int:
    """Say what is doubtful about instances; exit with 1 on an error.

    Parameters
    ----------
    instances
        Files or folders of instances, the archive's own or ours, or names of shipped ones; default: all shipped.
    json
        Print data instead of a table.
    """
    from dataclasses import asdict

    from rich.table import Table
    from rich.text import Text

    from memgauge.studies.track.timeline.lint import LintLevel, lint_together
    from memgauge.studies.track.timeline.lint import lint as look

    timelines = opened(instances)
    found: list[LintFinding] = [finding for timeline in timelines for finding in look(timeline)]
    found += lint_together(timelines)
    if json:
        emit([asdict(finding) for finding in found])
    else:
        table = Table("level", "finding", "where", "what", box=None)
        for one in found:
            table.add_row(*(Text(str(cell)) for cell in (one.level, one.code, one.where, one.what)))
        if found:
            say(table)
        say(f"{len(found)} findings in {len(timelines)} instances.")
    return FAILED if any(finding.level is LintLevel.ERROR for finding in found) else OK


@app.command(name="import")
def import_(
    archive: Path,
    *,
    out: Annotated[Path | None, Parameter(show_default=False)] = None,
    check: Annotated[bool, Flag] = False,
    json: AsData = False,
) -> int:
    """Read the original MEMTRACK archive and write each instance as one timeline; exit with 1 on a loss.

    The archive is the benchmark's own and has no licence: it is read where it lies and never comes with memgauge.

    Parameters
    ----------
    archive
        The folder with test_configs and test_event_histories, one config_X.yaml, or one event_history_X.json.
    out
        Folder that NAME/timeline.json is written to, for every instance.
    check
        Only read and account; write nothing.
    json
        Print data instead of a table.
    """
    from dataclasses import asdict

    from rich.table import Table

    from memgauge.studies.track.timeline.accounting import account
    from memgauge.studies.track.timeline.files import read_document, write_timeline
    from memgauge.studies.track.timeline.memtrack import documents_of, find_configs, read_memtrack
    from memgauge.studies.track.timeline.opening import FILE

    if (out is None) is not check:
        raise ConfigError("An import is written to a folder, or only checked.", "Give --out FOLDER or --check.")
    rows = []
    for path in find_configs(archive):
        timeline = read_memtrack(path)
        accounting = account([read_document(one) for one in documents_of(path)], timeline)
        if out is not None:
            write_timeline(out / timeline.name / FILE, timeline)
        rows.append((timeline, accounting))
    if json:
        emit([{"name": one.name, "events": len(one.events), **asdict(found)} for one, found in rows])
    else:
        table = Table("instance", "events", "questions", "values", "lost", "keys kept as extra", box=None)
        for one, found in rows:
            counts = (len(one.events), len(one.questions), found.values, len(found.lost), len(found.extra))
            table.add_row(one.name, *map(str, counts))
        say(table)
        say(f"{'Read' if out is None else 'Wrote'} {len(rows)} instances{'' if out is None else f' below {out}'}.")
    return FAILED if any(found.lost for _, found in rows) else OK


def _scorer(named: str, models: ModelOptions, timelines: list[Timeline]) -> Scorer | None:
    """Return what finds references; ``None`` where only its price was asked for, and said."""
    from memgauge.studies.track.timeline.references import ReferenceJudge, ReferenceWords

    if named == "words":
        return ReferenceWords()
    access = models.open(named)
    judged = ReferenceJudge(access)
    if models.plan:
        requests = (judged.request(event) for timeline in timelines for event in timeline.events)
        say_estimate(models.estimate({access.name: access}, requests))
        return None
    return judged
