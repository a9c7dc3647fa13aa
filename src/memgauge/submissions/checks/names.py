"""S1 and S2: only what is new, under names that agree with the sheet and with the registry."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pydantic import ValidationError

from memgauge.submissions.checks.lookalikes import titles_of_their_own
from memgauge.submissions.checks.rulings import cannot, refuse
from memgauge.submissions.layout import SHEET
from memgauge.submissions.opening import own
from memgauge.submissions.repository import SUBMISSIONS
from memgauge.submissions.sheets.verdicts import PointsLine
from memgauge.text.untrusted import text_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject
    from memgauge.submissions.repository import SubmissionFolder

_POINTS = re.compile(r"^points/\d+\.jsonl$")


def only_new_paths(subject: Subject) -> Iterator[CheckFinding]:
    """S1: a pull request adds one submission, and changes or removes nothing."""
    place = subject.submission.place
    if subject.changes is None:
        yield cannot(place, "no base was named, so what else changes is not known.", "Name one with --base.")
        return
    product = f"registry/products/{subject.submission.product}.toml"
    for change in subject.changes:
        if change.kind != "added" and change.path.startswith(f"{SUBMISSIONS}/"):
            yield refuse(
                change.path,
                f"is {change.kind}: submissions are add-only.",
                "Restore it; file a correction as a new submission with `supersedes`.",
            )
        elif change.kind != "added":
            yield refuse(
                change.path,
                f"is {change.kind} together with a submission.",
                "Make that a pull request of its own.",
            )
        elif _POINTS.match(change.path):
            yield from _points(subject.repository.root, change.path)
        elif not (change.path.startswith(f"{place}/") or change.path == product):
            yield refuse(
                change.path,
                "is added beside the submission.",
                "One pull request adds one submission, and at most its product's sheet and its points.",
            )


def names_that_agree(subject: Subject) -> Iterator[CheckFinding]:
    """S2: folders are called as the sheet says, and what it names is registered."""
    sheet, place = subject.sheet, subject.submission.place
    if place != f"{SUBMISSIONS}/{sheet.place}":
        yield refuse(
            SHEET,
            f"says that it lies in {SUBMISSIONS}/{sheet.place}, and lies in {place}.",
            "Rename one of them.",
            "id",
        )
    repository = subject.repository
    for field, name, known in (
        ("product", sheet.product, repository.products),
        ("lane", sheet.lane, repository.lanes),
        ("contract", sheet.contract, repository.contracts),
    ):
        if name not in known:
            yield refuse(SHEET, f"{name!r} is not in registry/{field}s.", _propose(field, known), field)
    for number, run in enumerate(sheet.runs):
        if subject.registered(run) is None:
            listed = ", ".join(f"{each.ref}@{each.sha256[:12]}" for each in repository.datasets.values())
            yield refuse(
                SHEET,
                f"{run.dataset!r} is not in registry/datasets.",
                f"Registered are {listed}.",
                f"runs.{number}.dataset",
            )
    product = subject.product
    if product is not None and product.category != sheet.category:
        yield refuse(
            SHEET, f"is {sheet.category!r}, and the product is {product.category!r}.", "Say the same.", "category"
        )
    yield from titles_of_their_own(subject)
    others = list(subject.others)
    alike = next((each.place for each in others if each.place.casefold() == place.casefold()), None)
    if alike:
        yield refuse(place, f"differs from {alike} in the case of letters alone.", "Choose another slug.")
    yield from _corrected(subject, {each.id: each for each in others if each.product == sheet.product})


def _corrected(subject: Subject, of_product: Mapping[str, SubmissionFolder]) -> Iterator[CheckFinding]:
    """Refuse to correct what is not there, or what somebody else submitted: its rows would leave the boards."""
    sheet = subject.sheet
    if not sheet.supersedes:
        return
    corrected = of_product.get(sheet.supersedes)
    if corrected is None:
        yield refuse(
            SHEET,
            f"no submission of {sheet.product} is called {sheet.supersedes!r}.",
            "Name the one that this corrects.",
            "supersedes",
        )
        return
    who = corrected.sheet.submitter.github
    if who.casefold() != sheet.submitter.github.casefold():
        yield refuse(
            SHEET,
            f"{sheet.supersedes!r} was submitted by {who}.",
            "Only who submitted it corrects it; whoever doubts it files an objection.",
            "supersedes",
        )


def _points(root: Path, name: str) -> Iterator[CheckFinding]:
    """Refuse points that are none, or more than there are for a piece of work."""
    for number, line in enumerate(text_file(own(root, root / name)).splitlines(), 1):
        try:
            PointsLine.model_validate_json(line)
        except ValidationError as error:
            yield refuse(
                name, f"{error.errors()[0]['msg']}.", "Write what was done, one a line.", f"line {number}"
            )


def _propose(field: str, known: Iterable[str]) -> str:
    if field == "product":
        return "Add its sheet in the same pull request."
    return f"Registered are {', '.join(known)}; propose another in a pull request of its own."
