"""All checks of one submission, in their order, and what follows: accepted or refused, and at which level."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.errors import MemgaugeError
from memgauge.submissions.checks.catalogue import CHECKS
from memgauge.submissions.checks.rulings import CheckFinding, Ruling, cannot, refuse
from memgauge.submissions.layout import SHEET
from memgauge.submissions.levels import reached_level
from memgauge.submissions.rows.ledger import gold_of
from memgauge.submissions.rows.repeated import judged_verifications

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.submissions.checks.rulings import SubmissionCheck
    from memgauge.submissions.checks.subject import Subject
    from memgauge.submissions.levels import ReachedLevel


@dataclass(frozen=True)
class CheckedSubmission:
    """What all checks found."""

    id: str
    findings: Mapping[str, tuple[CheckFinding, ...]]
    """By check, in their order; none where all is well."""
    level: ReachedLevel | None
    """``None`` where there is no sheet or no product to speak of."""

    @property
    def refused(self) -> tuple[str, ...]:
        """Name the checks that refuse it."""
        return tuple(check for check, findings in self.findings.items() if ruling_of(findings) is Ruling.REFUSE)

    @property
    def accepted(self) -> bool:
        """Whether nothing keeps it out."""
        return not self.refused


def ruling_of(findings: tuple[CheckFinding, ...]) -> Ruling:
    """Return the gravest ruling of a check."""
    order = tuple(Ruling)
    return max((finding.ruling for finding in findings), key=order.index, default=Ruling.PASS)


def check_submission(subject: Subject) -> CheckedSubmission:
    """Make every check that can be made: what reads the sheet, or bundles, waits until these can be read."""
    findings: dict[str, tuple[CheckFinding, ...]] = {}
    readable = {""}
    if not isinstance(subject.read, tuple):
        readable.add("sheet")
    for check in CHECKS:
        if check.reads == "bundles" and "sheet" in readable and all(each.run for each in subject.bundles):
            readable.add("bundles")
        if check.reads in readable:
            findings[check.id] = tuple(_at_home(each, subject) for each in _looked(check, subject))
        else:
            findings[check.id] = (cannot("", f"waits until the {check.reads} can be read."),)
    return CheckedSubmission(subject.submission.id, findings, _level(subject, findings))


def _looked(check: SubmissionCheck, subject: Subject) -> Iterator[CheckFinding]:
    """Yield what a check finds; what keeps one from being made keeps the submission out: it was not checked."""
    try:
        yield from check.look(subject)
    except (MemgaugeError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        yield refuse(SHEET, f"{check.id} could not be made: {error}", "Mend what other checks name.")


def _at_home(finding: CheckFinding, subject: Subject) -> CheckFinding:
    """Name files as they lie in the registry: where that lies on this machine is nobody's business."""
    places = [f"{subject.submission.folder}/", f"{subject.repository.root}/"]
    if not isinstance(subject.read, tuple):
        places += [f"{bundle.folder}/" for bundle in subject.bundles if bundle.folder]
    what = finding.what
    for place in places:
        what = what.replace(place, "")
    return replace(finding, what=what)


def _level(subject: Subject, findings: Mapping[str, tuple[CheckFinding, ...]]) -> ReachedLevel | None:
    """Return the level; none where the sheet, or what the registry says of it, cannot be read."""
    try:
        return _reached(subject, findings)
    except MemgaugeError:  # a check has named the file, or the one of paths that it came with this change
        return None


def _reached(subject: Subject, findings: Mapping[str, tuple[CheckFinding, ...]]) -> ReachedLevel | None:
    if isinstance(subject.read, tuple) or subject.product is None:
        return None
    whole = all(ruling_of(findings[check]) in {Ruling.PASS, Ruling.ASK} for check in ("S3", "S4", "S5", "S6"))
    registered = [subject.registered(run) for run in subject.sheet.runs]
    in_force = all(sheet is not None and sheet.status != "retired" for sheet in registered)
    judged = judged_verifications(subject.repository, subject.submission, gold_of)
    return reached_level(
        subject.sheet,
        subject.product,
        recomputed=whole and in_force,
        verifications=[each.sheet for each in judged if each.counts],
        uncounted=[each.mark for each in judged if not each.counts],
        objections=subject.repository.objections.get(subject.submission.id, ()),
    )
