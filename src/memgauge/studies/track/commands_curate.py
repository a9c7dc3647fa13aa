"""`memgauge study track curate`: make instances, from a seed to a signed file."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated
from memgauge.frame.numbers import COUNT, NUMBER, SEED
from memgauge.frame.options import Repeatable
from memgauge.frame.output import PLAIN, Printing, present, told
from memgauge.results import ReadyData
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.access import Access
    from memgauge.studies.track.curation.bench import Work
    from memgauge.studies.track.curation.candidates import IssueCandidate
    from memgauge.studies.track.curation.seed import IssueOrigin, Seed

app = App(
    "curate",
    help="Make instances: seed, draft, distractors and counterfactuals, lint and solve-check, sign-off.\n\n"
    "One folder an instance. seed.json is where it comes from, timeline.json the instance, curation.json how "
    "it came to be, guide.md how it is verified, signoff.json who stands for it. Between two steps "
    "timeline.json may be edited by hand.",
)

_MODELS = ModelOptions()


@app.command
def seed(
    folder: Path,
    *,
    task: Annotated[Path | None, Parameter(show_default=False)] = None,
    clone: Annotated[Path | None, Parameter(show_default=False)] = None,
    issues: Annotated[Path | None, Parameter(show_default=False)] = None,
    issue: Annotated[int | None, Parameter(show_default=False), NUMBER] = None,
    files: Annotated[int, COUNT] = 2,
    title: str = "",
    list_: Annotated[bool, Parameter(name="--list", negative=(), show_default=False)] = False,
    shown: Printing = PLAIN,
) -> int:
    """Begin an instance: top-down from a task, bottom-up from a closed issue, or hybrid from both.

    Example: memgauge study track curate seed instance --task task.md

    Parameters
    ----------
    folder
        Folder of the instance; its name is the instance's.
    task
        Text file that says in words what happens, or what an instance from an issue should be about.
    clone
        A local clone of the repository; nothing is fetched.
    issues
        JSON dump of its issues and pull requests, as GitHub's REST interface or its command line writes them.
    issue
        Number of the issue; default: the one that was talked about most.
    files
        Files that its change may touch at most.
    title
        One line about the instance.
    list_
        Only list the closed issues: which can be used, and why the others cannot.
    """
    from memgauge.studies.track.curation.candidates import candidates
    from memgauge.studies.track.curation.dump import read_dump
    from memgauge.studies.track.curation.seed import SEED, write_seed
    from memgauge.studies.track.timeline.files import plain

    _require_source(task, clone, issues)
    origin: IssueOrigin | None = None
    if clone is not None and issues is not None:
        usable = candidates(clone, read_dump(issues), files)
        if list_:
            return _listed(usable, shown)
        origin = _origin(clone, usable, issue)
    new_seed = _seed_of(folder, task, title, origin)
    write_seed(folder, new_seed)
    about = f"issue #{origin.issue.number} and PR #{origin.change.number}" if origin else "a task"
    following = f"memgauge study track curate draft {typed(folder)}"
    line = f"{folder / SEED}: {new_seed.approach}, from {about}. Next: `{following}`."
    return present(told(plain(new_seed), line), shown)


def _seed_of(folder: Path, task: Path | None, title: str, origin: IssueOrigin | None) -> Seed:
    from memgauge.studies.track.curation.seed import Approach, Seed, read_task

    return Seed(
        name=folder.resolve().name,
        approach=Approach.TOP_DOWN if origin is None else Approach.HYBRID if task else Approach.BOTTOM_UP,
        title=title or (origin.issue.title if origin else ""),
        task=read_task(task) if task else "",
        origin=origin,
    )


def _require_source(task: Path | None, clone: Path | None, issues: Path | None) -> None:
    if (clone is None) is not (issues is None) or (clone is None and task is None):
        raise ConfigError(
            "An instance grows from a task, or from an issue.",
            "Give --task FILE, or --clone DIR and --issues FILE.",
        )


@app.command
def draft(
    folder: Path,
    *,
    model: str = "",
    revise: str = "",
    models: ModelOptions = _MODELS,
    shown: Printing = PLAIN,
) -> int:
    """Draft the events and questions of a seed, or let a model change a draft as you wish.

    Without a model, fixed rules draft (labelled rules-1): an issue becomes a whole instance, a task a skeleton
    without questions. What you changed by hand in timeline.json stays as it is, whatever a model does.

    Example: memgauge study track curate draft instance --model openai:gpt-4.1-mini

    Parameters
    ----------
    folder
        Folder of the instance.
    model
        A model as `provider:name`; its keys and address come from the environment.
    revise
        What should become different, in words; needs a model.
    """
    from memgauge.studies.track.curation import bench

    if revise and not model:
        raise ConfigError(
            "A wish in words needs a model.", "Name one with --model, or edit timeline.json by hand."
        )
    access = models.open(model) if model else None
    if access is not None and models.plan:
        return _planned(models, access, bench.task_of(folder, revise=revise).request(access.name), shown)
    with working("drafting"):
        work = bench.revise(folder, revise, access) if revise and access else bench.draft(folder, access)
    return _done(work, shown)


@app.command
def distract(
    folder: Path,
    *,
    count: Annotated[int, COUNT] = 8,
    seed: Annotated[int, SEED] = 0,
    model: str = "",
    models: ModelOptions = _MODELS,
    shown: Printing = PLAIN,
) -> int:
    """Add distractors and counterfactuals: talk about other things, and plans and guesses that stop to hold.

    Without a model, rules take everyday talk from a list, and put a wrong value before the right one for every
    question whose answer is a date, a number, a person or a file.

    Example: memgauge study track curate distract instance --count 18

    Parameters
    ----------
    folder
        Folder of the instance.
    count
        Distractors; of a model, events of both kinds.
    seed
        Of the rules: the same seed adds the same events.
    model
        A model as `provider:name`.
    """
    from memgauge.studies.track.curation import bench

    if count < 1:
        raise ConfigError(f"--count {count} is not at least 1.")
    access = models.open(model) if model else None
    if access is not None and models.plan:
        return _planned(models, access, bench.task_of(folder, distract=count).request(access.name), shown)
    with working("distracting"):
        work = bench.distract(folder, count, seed, access)
    return _done(work, shown)


@app.command
def check(
    folder: Path,
    *,
    baseline: Literal["search", "random"] = "search",
    model: str = "",
    turns: Annotated[int, COUNT] = 100,
    sandbox: Literal["auto", "bubblewrap", "landlock", "docker", "none", "off"] = "auto",
    models: ModelOptions = _MODELS,
    shown: Printing = PLAIN,
) -> int:
    """Lint an instance and let agents play it; exit with 1 on an error.

    The oracle must solve it, the random agent nothing of it, and the baseline not all of it. The baseline is
    recorded: whoever filters instances biases its own scores on them.

    Example: memgauge study track curate check instance

    Parameters
    ----------
    folder
        Folder of the instance.
    baseline
        What it must not be too easy for, without a model.
    model
        A model as `provider:name` in the place of the baseline.
    turns
        Replies to one question at most.
    sandbox
        Walls around files and shell; off gives agents neither.
    """
    from memgauge.studies.track.curation import bench
    from memgauge.studies.track.curation.show import checks_document
    from memgauge.studies.track.curation.solve import Playing

    if models.plan:
        raise ConfigError(
            "What an agent will ask is not known before it plays.", "Cap it by --max-usd or --turns."
        )
    access = models.open(model) if model else None
    with working("checking"):
        work = bench.check(folder, Playing(model or baseline, access, sandbox, turns))
    checks = work.record.checked
    if checks is None:  # the check has just been made
        return FAILED
    code = FAILED if checks.errors else OK
    data = ReadyData({"name": work.timeline.name, **checks.model_dump()})
    return present(replace(checks_document(work, checks), data=data), shown, name="check", code=code)


@app.command
def sign(
    folder: Path,
    *,
    by: str,
    on: Annotated[str, Parameter(show_default=False)] = "",
    comment: str = "",
    accept: Annotated[tuple[str, ...], Repeatable] = (),
    shown: Printing = PLAIN,
) -> int:
    """Sign an instance that was checked as it is now: you read it, and its answers follow from it.

    Example: memgauge study track curate sign instance --by Ada

    Parameters
    ----------
    folder
        Folder of the instance.
    by
        Your name.
    on
        Day as YYYY-MM-DD; default: today.
    comment
        What you want to say with it.
    accept
        A warning that you have seen and accept, by its code; repeat for several.
    """
    from memgauge.studies.track.curation import bench
    from memgauge.studies.track.curation.signoff import SIGNOFF

    try:
        day = date.fromisoformat(on) if on else date.today()  # noqa: DTZ011 - the day where the person is
    except ValueError as error:
        raise ConfigError(f"--on {on!r} is no day.", "Write it as YYYY-MM-DD.") from error
    signoff = bench.sign_off(folder, by=by, on=day.isoformat(), note=comment, accept=accept)
    acceptances = f", accepting {', '.join(signoff.accepted)}" if signoff.accepted else ""
    line = f"{folder / SIGNOFF}: {signoff.by} stands for {signoff.name} ({signoff.digest[:12]}){acceptances}."
    return present(told(signoff.model_dump(), line), shown)


def _origin(clone: Path, issues: Sequence[IssueCandidate], issue: int | None) -> IssueOrigin:
    from memgauge.studies.track.curation.candidates import branch_of, choose
    from memgauge.studies.track.curation.seed import IssueOrigin

    candidate = choose(issues, issue)
    if candidate.change is None:  # choose() refuses such an issue
        raise ConfigError(f"Issue {candidate.issue.number} has no change.")
    where = clone.resolve()
    return IssueOrigin(
        repository=where.name.removesuffix(".git"),
        branch=branch_of(clone),
        clone=str(where),
        issue=candidate.issue,
        change=candidate.change,
    )


def _listed(issues: Sequence[IssueCandidate], shown: Printing) -> int:
    """Print which issues can be used."""
    from memgauge.studies.track.curation.show import issues_document

    data = [
        {
            "issue": candidate.issue.number,
            "title": candidate.issue.title,
            "pull": candidate.change.number if candidate.change else None,
            "files": sorted(candidate.change.files) if candidate.change else [],
            "comments": candidate.remarks,
            "why_not": candidate.why_not,
        }
        for candidate in issues
    ]
    return present(replace(issues_document(issues), data=ReadyData(data)), shown)


def _planned(models: ModelOptions, access: Access, request: Any, shown: Printing) -> int:
    return present(estimated(models.estimate({access.name: access}, [request])), shown)


def _done(work: Work, shown: Printing) -> int:
    """Say what a step did."""
    step = work.record.steps[-1]
    kinds = [role.kind for role in work.record.roles.values()]
    counts = f"{len(step.added)} added, {len(step.changed)} changed, {len(step.removed)} removed"
    parts = (
        f"{len(work.timeline.events)} events, {len(work.timeline.questions)} questions, "
        f"{kinds.count('distractor')} distractors, {kinds.count('counterfactual')} counterfactuals"
    )
    data = {"name": work.timeline.name, "approach": work.record.approach, "step": step.model_dump()}
    lines = (f"{step.kind} by {step.by}: {counts}.", f"{work.timeline.name}: {parts}.")
    return present(told(data, *lines), shown)
