"""S7: one plan, written before the first run, and all of it; in Closed at least three runs of each dataset."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.errors import MalformedDataError, RunError
from memgauge.runs.record.announced import AnnouncedPlan
from memgauge.submissions.checks.rulings import ask, refuse
from memgauge.submissions.layout import PLAN, SHEET
from memgauge.submissions.levels import RUNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

_TIMES: Final = 8
"""Of a run that differ from each other, from which on two plays cannot share them all by chance."""
_OPEN = "Submit to Open (`--division open`), or"


def one_plan(subject: Subject) -> Iterator[CheckFinding]:
    """S7: seeds are distinct and enough, and are those that were announced."""
    yield from _seeds(subject)
    yield from _submitted_before(subject)
    sheet = subject.sheet
    if not sheet.plan:
        if sheet.division == "closed":
            yield refuse(
                SHEET,
                "is empty: no plan was announced before these runs.",
                f"{_OPEN} make the runs again, which announces one.",
                "plan",
            )
        announced = next((bundle for bundle, run in subject.runs if run.manifest.plan), None)
        if announced is not None:
            yield refuse(
                SHEET, f"is empty, and {announced.file} was made under a plan.", "Name its digest.", "plan"
            )
        return
    try:
        plan = AnnouncedPlan.read(subject.submission.file(PLAN))
    except (MalformedDataError, RunError) as error:
        yield refuse(PLAN, error.what, "It is the file in the folder `plans` beside the runs.")
        return
    if plan.digest != sheet.plan:
        yield refuse(
            SHEET,
            f"is not the digest of {PLAN}, which is {plan.digest}.",
            "Name the plan that was announced.",
            "plan",
        )
        return
    yield from _all_of_it(subject, plan)


def _seeds(subject: Subject) -> Iterator[CheckFinding]:
    sheet = subject.sheet
    seeds: defaultdict[str, list[int]] = defaultdict(list)
    for named_run in sheet.runs:
        seeds[named_run.dataset].append(named_run.seed)
    for dataset, named in seeds.items():
        if len(set(named)) < len(named):
            yield refuse(SHEET, f"names a seed of {dataset} twice.", "Each run has a seed of its own.", "runs")
        elif sheet.division == "closed" and len(named) < RUNS:
            yield refuse(
                SHEET,
                f"has {len(named)} of at least {RUNS} runs of {dataset}.",
                f"{_OPEN} run it with --seed 1 --seed 2 --seed 3 in one command.",
                "runs",
            )
    for number, (bundle, run) in enumerate(subject.runs):
        if run.manifest.seed != bundle.named.seed:
            yield refuse(
                SHEET,
                f"says {bundle.named.seed}, and {bundle.file} was played with {run.manifest.seed}.",
                "Name the seed that was played.",
                f"runs.{number}.seed",
            )
    yield from _played_apart(subject)


def _submitted_before(subject: Subject) -> Iterator[CheckFinding]:
    """Refuse runs that a submission of the product holds already: one play takes one place on a board."""
    before = {
        run.sha256: folder.id
        for folder in subject.others
        if folder.product == subject.sheet.product and folder.id != subject.sheet.supersedes
        for run in folder.sheet.runs
    }
    for number, named in enumerate(subject.sheet.runs):
        if named.sha256 in before:
            yield refuse(
                SHEET,
                f"{named.bundle} is a run of {before[named.sha256]}.",
                "Submit runs of its own, or correct that one with `supersedes`.",
                f"runs.{number}.sha256",
            )


def _played_apart(subject: Subject) -> Iterator[CheckFinding]:
    """Refuse two runs with the same times: a play that is given a second seed is no second play."""
    played: dict[tuple[str, bytes], str] = {}
    for bundle, run in subject.runs:
        times = run.questions["ms"]
        if len(np.unique(times[~np.isnan(times)])) < _TIMES:
            continue  # too few to tell plays apart, such as times that a server rounds
        other = played.setdefault((bundle.named.dataset, times.tobytes()), bundle.file)
        if other != bundle.file:
            yield refuse(
                bundle.file,
                f"has every time of {other}: it is one play under two seeds.",
                "Submit runs that were played.",
                "ms",
            )


def _all_of_it(subject: Subject, plan: AnnouncedPlan) -> Iterator[CheckFinding]:
    """Refuse runs that no cell announced, and cells of this system that came to nothing without a word."""
    manifests = [run.manifest for _, run in subject.runs]
    for bundle, run in subject.runs:
        if not plan.announces(run.manifest):
            yield refuse(
                bundle.file, "is no run of the plan that the sheet names.", "Submit the runs that were announced."
            )
    refs = {manifest.system.ref for manifest in manifests}
    for number, failed in enumerate(subject.sheet.failed):
        yield ask(
            SHEET,
            f"seed {failed.seed} of {failed.dataset} has no run: {failed.why}.",
            "Where is its log? A run that failed is a result.",
            f"failed.{number}",
        )
    named_failed = {(cell.dataset, cell.seed) for cell in subject.sheet.failed}
    for cell in plan.covers(manifests):
        if cell.system.ref in refs and (cell.dataset.ref, cell.seed) not in named_failed:
            yield refuse(
                SHEET,
                f"seed {cell.seed} of the plan on {cell.dataset.ref} is absent.",
                "All runs of a plan are submitted; name one that failed under [[failed]], with the reason.",
                "runs",
            )
