"""The workbench: one folder an instance, one function a step of the pipeline; files go in and come out.

``seed.json`` is where it comes from, ``timeline.json`` the instance, ``curation.json`` how it came to be,
``guide.md`` how it is verified, ``signoff.json`` who stands for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.runs.record.files import write_atomically
from memgauge.studies.track.curation import modelled
from memgauge.studies.track.curation.assemble import assembled, changed, in_order
from memgauge.studies.track.curation.distract import distract as mislead
from memgauge.studies.track.curation.guide import GUIDE, guide
from memgauge.studies.track.curation.record import (
    RULES,
    InstanceChecks,
    Record,
    absorbed,
    parts_of,
    read_record,
    stepped,
    write_record,
)
from memgauge.studies.track.curation.review import review
from memgauge.studies.track.curation.ruled_issue import draft_issue
from memgauge.studies.track.curation.ruled_task import draft_task
from memgauge.studies.track.curation.seed import SEED, Approach, read_seed
from memgauge.studies.track.curation.signoff import SIGNOFF, Signoff, sign
from memgauge.studies.track.curation.solve import judged, solve
from memgauge.studies.track.git.command import git
from memgauge.studies.track.git.repository import import_cut
from memgauge.studies.track.play.plan import digest
from memgauge.studies.track.timeline.files import read_timeline, write_model, write_timeline
from memgauge.studies.track.timeline.opening import FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.messages import ChatModel
    from memgauge.studies.track.curation.modelled import ModelTask
    from memgauge.studies.track.curation.record import MisleadingEvent
    from memgauge.studies.track.curation.seed import IssueOrigin
    from memgauge.studies.track.curation.solve import Playing
    from memgauge.studies.track.timeline.models import Timeline


BUNDLE = "repository.bundle"


@dataclass(frozen=True)
class Work:
    """An instance on the bench."""

    folder: Path
    timeline: Timeline
    record: Record


def open_work(folder: Path) -> Work:
    """Read an instance, and note what a person changed by hand since the last step.

    Raises:
        DataNotFoundError: There is no timeline yet.
        DataError: A file cannot be read.
    """
    if not (folder / FILE).is_file():
        raise DataNotFoundError(
            f"{folder / FILE} is not there.",
            "Draft it with `memgauge study track curate draft`, or write it by hand.",
        )
    timeline = read_timeline(folder / FILE)
    record = read_record(folder) or Record(name=timeline.name, approach=_approach(folder))
    return Work(folder, timeline, absorbed(record, timeline))


def draft(folder: Path, model: ChatModel | None = None) -> Work:
    """Draft the instance of a seed: by a model where one is given, else by rules.

    Raises:
        ConfigError: There is a timeline already.
        ModelError: The model wrote nothing that can be used.
    """
    seed = read_seed(folder)
    if (folder / FILE).exists():
        raise ConfigError(
            f"{folder / FILE} is there already.", "Change it with --revise, or remove it to begin again."
        )
    origin = seed.origin
    bundle = write_bundle(_clone(origin), origin.change.base, folder) if origin else ""
    record = Record(name=seed.name, approach=seed.approach)
    if model is None:
        instance_draft = draft_issue(origin) if origin else draft_task(seed.task)
        timeline, roles, by = assembled(seed, instance_draft, bundle), instance_draft.roles, RULES
    else:
        task = modelled.draft_of(seed)
        timeline, roles = modelled.drafted(model, task, seed, bundle)
        by = modelled.label(model, task)
    record = stepped(record, timeline, "draft", by, told=seed.task)
    return _kept(Work(folder, timeline, _with_roles(record, roles)))


def task_of(folder: Path, *, revise: str = "", distract: int = 0) -> ModelTask:
    """Return what a model would be asked in a step, without asking."""
    if not revise and not distract:
        return modelled.draft_of(read_seed(folder))
    work = open_work(folder)
    if revise:
        return modelled.revision_of(work.timeline, work.record.roles, revise, work.record.pinned)
    return modelled.distraction_of(work.timeline, work.record.roles, distract)


def revise(folder: Path, wish: str, model: ChatModel) -> Work:
    """Let a model change an instance as a person wishes; what a person wrote by hand stays as it is.

    Raises:
        ModelError: The model wrote nothing that can be used.
    """
    work = open_work(folder)
    pinned = work.record.pinned
    task = modelled.revision_of(work.timeline, work.record.roles, wish, pinned)
    timeline, roles = modelled.revised(model, task, work.timeline, pinned)
    record = stepped(work.record, timeline, "revise", modelled.label(model, task), told=wish)
    return _kept(Work(folder, timeline, _with_roles(record, roles)))


def distract(folder: Path, count: int, seed: int = 0, model: ChatModel | None = None) -> Work:
    """Add events that mislead: *count* distractors and what rules know of wrong values, or *count* by a model.

    Raises:
        ModelError: The model wrote nothing that can be used.
    """
    work = open_work(folder)
    if model is None:
        distractors, roles = mislead(work.timeline, count, seed)
        by = RULES
    else:
        task = modelled.distraction_of(work.timeline, work.record.roles, count)
        distractors, roles = modelled.distracted(model, task, work.timeline)
        by = modelled.label(model, task)
    timeline = changed(work.timeline, events=in_order((*work.timeline.events, *distractors)))
    record = stepped(work.record, timeline, "distract", by, seed=seed if model is None else None)
    return _kept(Work(folder, timeline, _with_roles(record, roles)))


def check(folder: Path, how: Playing) -> Work:
    """Run lint and solve-check, and keep what they said; the guide is written anew.

    Raises:
        ConfigError: No sandbox works here.
    """
    work = open_work(folder)
    findings = review(work.timeline, work.record.roles, folder)
    solutions = solve(work.timeline, folder, how) if work.timeline.questions else ()
    checks = InstanceChecks(
        digest=digest(work.timeline),
        findings=(*findings, *judged(work.timeline.name, solutions, how.baseline)),
        solved=solutions,
        filtered_by=how.baseline,
    )
    record = work.record.model_copy(update={"checked": checks, "parts": parts_of(work.timeline)})
    write_record(folder, record)
    write_atomically(folder / GUIDE, guide(work.timeline, _present(record.roles, work.timeline)))
    return Work(folder, work.timeline, record)


def sign_off(folder: Path, *, by: str, on: str, note: str = "", accept: Sequence[str] = ()) -> Signoff:
    """Write the sign-off of an instance.

    Raises:
        ConfigError: It may not be signed as it is.
    """
    work = open_work(folder)
    signoff = sign(work.timeline, work.record, by=by, on=on, note=note, accept=accept)
    write_model(folder / SIGNOFF, signoff)
    return signoff


def _kept(work: Work) -> Work:
    """Write an instance; a sign-off of what it was before goes."""
    write_timeline(work.folder / FILE, work.timeline)
    write_record(work.folder, work.record)
    (work.folder / SIGNOFF).unlink(missing_ok=True)
    return work


def _with_roles(record: Record, roles: dict[str, MisleadingEvent]) -> Record:
    return record.model_copy(update={"roles": {**record.roles, **roles}})


def _present(roles: dict[str, MisleadingEvent], timeline: Timeline) -> dict[str, MisleadingEvent]:
    event_ids = {event.id for event in timeline.events}
    return {name: role for name, role in roles.items() if name in event_ids}


def _approach(folder: Path) -> Approach:
    """Return the approach of a seed; what a person wrote without one is top-down."""
    return read_seed(folder).approach if (folder / SEED).is_file() else Approach.TOP_DOWN


def _clone(origin: IssueOrigin) -> Path:
    clone = Path(origin.clone)
    if not clone.is_dir():
        raise DataNotFoundError(f"The clone {clone} is not there any more.", "Name it again with `curate seed`.")
    return clone


def write_bundle(clone: Path, commit: str, folder: Path) -> str:
    """Write the code base up to *commit* as one file beside the timeline, and return its name."""
    repository, _ = import_cut(clone, commit)
    git("bundle", "create", "--quiet", str((folder / BUNDLE).absolute()), "refs/heads/cut", at=repository)
    return BUNDLE
