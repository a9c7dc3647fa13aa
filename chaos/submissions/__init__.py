"""Submissions spoilt on purpose, each in one way, and which check refuses it.

A way to spoil one is a function and one line in :mod:`chaos.submissions.spoilings`; what refuses it stands in the
product, never here.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from chaos.submissions.spoilings import SPOILINGS
from chaos.submissions.world import good_registry, site_of, submission_in
from memgauge.submissions.checks.changes import changes_against
from memgauge.submissions.checks.checking import check_submission, ruling_of
from memgauge.submissions.checks.rulings import Ruling
from memgauge.submissions.checks.subject import subject_of
from memgauge.submissions.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chaos.submissions.kinds import Spoiling
    from memgauge.submissions.checks.checking import CheckedSubmission


def checked(root: Path, site: Path | None = None, base: str = "main") -> CheckedSubmission:
    """Check the new submission of the registry at *root*, as the build server does beside an earlier *site*."""
    placed = submission_in(root)
    against = site or site_of(root)
    with subject_of(Repository.at(root), placed, changes_against(base, root), against) as subject:
        return check_submission(subject)


def spoilt(spoiling: Spoiling, good: Path, root: Path) -> CheckedSubmission:
    """Copy the registry *good* to *root*, spoil its new submission, and check it."""
    shutil.copytree(good, root, symlinks=True)
    spoiling.spoil(submission_in(root).folder)
    return checked(root, site_of(root) if site_of(root).exists() else site_of(good))


def noticed_by(spoiling: Spoiling, checks: CheckedSubmission) -> str:
    """Name the check that noticed: the one that is meant where it did, else the first, else none."""
    wanted = Ruling.ASK if spoiling.only_asked else Ruling.REFUSE
    by = [check for check, findings in checks.findings.items() if ruling_of(findings) is wanted]
    return spoiling.check if spoiling.check in by else next(iter(by), "")


def refusals(root: Path | None = None) -> Mapping[str, tuple[str, str]]:
    """Say of each of the forged kinds which check is meant, and which noticed; *root* keeps what was tried."""
    with tempfile.TemporaryDirectory(prefix="memgauge-results-") as scratch:
        folder = root or Path(scratch)
        good = folder / "good"
        good_registry(good)
        return {
            each.kind: (each.check, noticed_by(each, spoilt(each, good, folder / each.slug)))
            for each in SPOILINGS
            if each.forged
        }
