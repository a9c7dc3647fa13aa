"""A verification that somebody proposes, checked: a sheet whose rows do not show what it says raises no level."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import MemgaugeError
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.compact import SHARED
from memgauge.runs.record.files import below
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.submissions.checks.members import strangers_in
from memgauge.submissions.checks.privacy import in_bundle
from memgauge.submissions.checks.rulings import CheckFinding, Ruling, ask, refuse
from memgauge.submissions.checks.tables import beside_rows
from memgauge.submissions.levels import same_person
from memgauge.submissions.opening import own_bundle
from memgauge.submissions.repository import PlacedVerification
from memgauge.submissions.rows.repeated import judged_verification
from memgauge.submissions.sheets.base import inspect_sheet
from memgauge.submissions.sheets.verdicts import VerificationSheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.submissions.checks.subject import PathChange
    from memgauge.submissions.repository import Repository, SubmissionFolder

_POINTS = re.compile(r"^points/\d+\.jsonl$")


@dataclass(frozen=True)
class CheckedVerification:
    """What was found."""

    place: str
    """Of the sheet, below the root of the registry."""
    findings: tuple[CheckFinding, ...]

    @property
    def accepted(self) -> bool:
        """Whether nothing keeps it out."""
        return all(each.ruling is not Ruling.REFUSE for each in self.findings)


def check_verification(
    repository: Repository, path: Path, changes: Sequence[PathChange] | None = None
) -> CheckedVerification:
    """Check the sheet at *path*; *changes* are what differs from the base that it is proposed for."""
    place = path.relative_to(repository.root).as_posix()
    return CheckedVerification(place, tuple(_findings(repository, path, place, changes)))


def _findings(
    repository: Repository, path: Path, place: str, changes: Sequence[PathChange] | None
) -> Iterator[CheckFinding]:
    sheet = inspect_sheet(VerificationSheet, path, place, repository.root)
    if isinstance(sheet, tuple):
        yield from map(CheckFinding.of, sheet)
        return
    name = f"{sheet.on.replace('-', '')}-{sheet.by.github}.toml"
    if path.name != name:
        yield refuse(place, f"is of {sheet.by.github} on {sheet.on}.", f"Call it {name}.", "on")
    submission = next((each for each in repository.submissions() if each.id == sheet.submission), None)
    if submission is None:
        yield refuse(place, f"names no submission: {sheet.submission!r}.", "Name one.", "submission")
        return
    if sheet.by.relation == "none" and same_person(sheet.by.github, submission.sheet.submitter.github):
        yield refuse(place, "is by who submitted it.", "Say so: relation is submitter.", "by.relation")
    yield from _changed(place, sheet, changes or ())
    yield from _strays(repository, path)
    if sheet.outcome == "could-not-run":
        yield ask(place, "says that it could not be run, which no row shows.", "Where is its log?", "outcome")
    others = repository.verifications.get(submission.id, ())
    judged = judged_verification(
        repository,
        submission,
        PlacedVerification(path, sheet),
        tuple(each for each in others if each.path != path and each.sheet.sha256),
        lambda ref: GoldTable.read(open_dataset(ref, allow_unpinned=True)),
    )
    if judged.why:
        yield refuse(place, f"does not count: {judged.why}.", "`memgauge results reproduce` writes one that does.")
    elif sheet.bundle:
        yield from _of_bundle(repository, submission, path.with_name(sheet.bundle))


def _changed(place: str, sheet: VerificationSheet, changes: Sequence[PathChange]) -> Iterator[CheckFinding]:
    """Refuse what is changed beside a sheet; the hashes that bundles of a folder share may become more."""
    folder = place.rpartition("/")[0]
    wanted = {place, f"{folder}/{sheet.bundle}", f"{folder}/{SHARED}"}
    for change in changes:
        if change.path not in wanted and not (change.kind == "added" and _POINTS.match(change.path)):
            yield refuse(
                change.path, f"is {change.kind} beside a verification.", "Make that a pull request of its own."
            )
        elif change.kind != "added" and change.path != f"{folder}/{SHARED}":
            yield refuse(change.path, f"is {change.kind}: verifications are add-only.", "Restore it; add another.")


def _strays(repository: Repository, path: Path) -> Iterator[CheckFinding]:
    """Refuse what lies beside the sheets of a submission, and none of them names."""
    placed = [
        each for some in repository.verifications.values() for each in some if each.path.parent == path.parent
    ]
    known = {SHARED, *(each.path.name for each in placed), *(each.sheet.bundle for each in placed)}
    for each in sorted(below(path.parent)):
        if (name := each.relative_to(path.parent).as_posix()) not in known:
            place = each.relative_to(repository.root).as_posix()
            yield refuse(place, f"is a file that no sheet names: {name}.", "Take it out.")


def _of_bundle(repository: Repository, submission: SubmissionFolder, path: Path) -> Iterator[CheckFinding]:
    """Refuse a bundle that holds more than rows, or words of others."""
    place = path.relative_to(repository.root).as_posix()
    try:
        yield from strangers_in(own_bundle(repository.root, path), place)
        with unbundled(path) as folder:
            yield from beside_rows(folder, place)
            ref = load(folder).manifest.dataset.ref
            registered = [repository.dataset_of(run) for run in submission.sheet.runs if run.dataset_ref == ref]
            public = all(sheet is not None and sheet.texts_public for sheet in registered)
            yield from in_bundle(place, folder, public=public)
    except (MemgaugeError, OSError, ValueError) as error:
        yield refuse(place, f"cannot be looked through: {error}", "Pack its run again.")
