"""`memgauge study track`: an agent's memory across Slack, Linear and Git (MEMTRACK)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated
from memgauge.frame.options import Flag
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present

if TYPE_CHECKING:
    from memgauge.studies.track.timeline.accounting import ImportedInstance
    from memgauge.studies.track.timeline.models import Timeline
    from memgauge.studies.track.timeline.references import Scorer

app = App("track", help="An agent's memory and state tracking across Slack, Linear and Git (MEMTRACK).")

_MODELS = ModelOptions()
_ELSEWHERE = {
    "run": ("commands_run:run", "Play instances: an agent answers hidden questions with tools."),
    "score": ("commands_run:score", "Score runs: the document's tables, with intervals over histories."),
    "compare": ("commands_run:compare", "Say whether two runs over the same instances differ, paired."),
    "serve": ("commands_serve:serve", "Serve an instance's tools to an outside agent."),
    "doctor": ("commands_doctor:doctor", "Prove from inside a sandbox what an agent cannot reach."),
    "curate": ("commands_curate:app", "Make instances: seed, draft, distractors, lint, solve-check, sign-off."),
}
for _name, (_target, _help) in _ELSEWHERE.items():
    app.command(f"memgauge.studies.track.{_target}", name=_name, help=_help)


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
    output: Output = SHOWN,
) -> int:
    """Compute the seven statistics of MEMTRACK's Table 1, for each instance and over all of them.

    Example: memgauge study track stats demo

    Parameters
    ----------
    instances
        Files or folders of instances, the archive's own or ours, or names of shipped ones; default: all shipped.
    tokens
        How tokens are counted: chars/4, words, or `tokenizer:PATH` of a tokenizer.json.
    scorer
        What finds references to other platforms: words, which is a heuristic, or a model.
    """
    from memgauge.studies.track.show_timelines import statistics_document
    from memgauge.studies.track.timeline.statistics import TimelineStatistics, statistics, table
    from memgauge.text.counting import open_counter

    timelines = opened(instances)
    counter = open_counter(tokens)
    finder = _scorer(scorer, models, timelines, output)
    if finder is None:
        return OK
    with working("counting"):
        per_timeline = tuple(statistics(timeline, counter, finder) for timeline in timelines)
    return present(
        statistics_document(TimelineStatistics(per_timeline, table(per_timeline))), output, name="statistics"
    )


@app.command
def lint(*instances: Annotated[str, Parameter(show_default=False)], output: Output = SHOWN) -> int:
    """Say what is doubtful about instances; exit with 1 on an error.

    Example: memgauge study track lint demo

    Parameters
    ----------
    instances
        Files or folders of instances, the archive's own or ours, or names of shipped ones; default: all shipped.
    """
    from memgauge.studies.track.show_timelines import lint_document
    from memgauge.studies.track.timeline.lint import lint_all

    report = lint_all(opened(instances))
    return present(lint_document(report), output, name="lint", code=FAILED if report.failed else OK)


@app.command(name="import")
def import_(
    archive: Path,
    *,
    out: Annotated[Path | None, Parameter(show_default=False)] = None,
    check: Annotated[bool, Flag] = False,
    shown: Printing = PLAIN,
) -> int:
    """Read the original MEMTRACK archive and write each instance as one timeline; exit with 1 on a loss.

    The archive is the benchmark's own and has no licence: it is read where it lies and never comes with memgauge.

    Example: memgauge study track import MEMTRACK --out instances

    Parameters
    ----------
    archive
        The folder with test_configs and test_event_histories, one config_X.yaml, or one event_history_X.json.
    out
        Folder that NAME/timeline.json is written to, for every instance.
    check
        Only read and account; write nothing.
    """
    from memgauge.studies.track.show_timelines import import_document
    from memgauge.studies.track.timeline.accounting import ArchiveImport
    from memgauge.studies.track.timeline.memtrack import find_configs

    if (out is None) is not check:
        raise ConfigError("An import is written to a folder, or only checked.", "Give --out FOLDER or --check.")
    imports = tuple(_imported(path, out) for path in find_configs(archive))
    archive_import = ArchiveImport(imports, "" if out is None else str(out))
    return present(import_document(archive_import), shown, code=FAILED if archive_import.failed else OK)


def _imported(path: Path, out: Path | None) -> ImportedInstance:
    """Read one instance of the archive, account for its values, and write it where a folder is named."""
    from memgauge.studies.track.timeline.accounting import ImportedInstance, account
    from memgauge.studies.track.timeline.files import read_document, write_timeline
    from memgauge.studies.track.timeline.memtrack import documents_of, read_memtrack
    from memgauge.studies.track.timeline.opening import FILE

    timeline = read_memtrack(path)
    accounting = account([read_document(document) for document in documents_of(path)], timeline)
    if out is not None:
        write_timeline(out / timeline.name / FILE, timeline)
    return ImportedInstance(timeline.name, len(timeline.events), len(timeline.questions), accounting)


def _scorer(scorer: str, models: ModelOptions, timelines: list[Timeline], output: Output) -> Scorer | None:
    """Return what finds references; ``None`` where only its price was asked for, and said."""
    from memgauge.studies.track.timeline.references import ReferenceJudge, ReferenceWords

    if scorer == "words":
        return ReferenceWords()
    access = models.open(scorer)
    judge = ReferenceJudge(access)
    if models.plan:
        requests = (judge.request(event) for timeline in timelines for event in timeline.events)
        present(estimated(models.estimate({access.name: access}, requests)), output)
        return None
    return judge
