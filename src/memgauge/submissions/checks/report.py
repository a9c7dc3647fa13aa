"""What a build leaves of its checks for another to post: plain data, bounded, read as a stranger's."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal

from pydantic import Field, StringConstraints

from memgauge.errors import MalformedDataError, MemgaugeError, RunError
from memgauge.records import Verdict
from memgauge.submissions.checks.beside import ReportedMeasure, Short, measures_beside
from memgauge.submissions.checks.rulings import Ruling  # noqa: TC001 - pydantic reads it
from memgauge.submissions.layout import CARD
from memgauge.submissions.levels import NAMES, Level
from memgauge.submissions.sheets.base import Sheet, SheetPart, read_sheet
from memgauge.systems.conformance.matrix import read_cards

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.submissions.checks.checking import CheckedSubmission
    from memgauge.submissions.checks.subject import Subject
    from memgauge.submissions.repository import SubmissionFolder
    from memgauge.systems.conformance.card import SystemCard

_MANY: Final = 200
Long = Annotated[str, StringConstraints(max_length=1000)]


class ReportedFinding(SheetPart):
    """One finding of a check."""

    check: Annotated[str, StringConstraints(pattern=r"^S\d{1,2}$")]
    ruling: Ruling
    file: Short
    field: Short
    what: Long
    remedy: Long


class ReportedCost(SheetPart):
    """What one run cost, as it counted."""

    bundle: Short
    ingest_s: float | None
    query_s: float | None
    model_calls: int | None
    tokens: int | None
    p95_ms: float | None


class ReportedLevel(SheetPart):
    """The rung that was reached, and what the next one needs."""

    level: int = Field(ge=0, le=5)
    name: Short
    marks: tuple[Short, ...] = Field(max_length=_MANY)
    missing: Long
    caution: Short


class CheckReport(Sheet):
    """Everything that is said of a submission where it is proposed."""

    SCHEMA: ClassVar[str] = "memgauge.check/1"

    id: Short
    place: Short
    accepted: bool
    refused: tuple[Short, ...] = Field(max_length=_MANY)
    level: ReportedLevel | None
    findings: tuple[ReportedFinding, ...] = Field(max_length=_MANY)
    left_out: int = Field(default=0, ge=0)
    """Findings beyond those that are listed."""
    measures: tuple[ReportedMeasure, ...] = Field(max_length=_MANY)
    costs: tuple[ReportedCost, ...] = Field(max_length=_MANY)
    contradicted: tuple[Long, ...] = Field(max_length=_MANY)
    """What the card claims, and what was observed instead."""
    golden: tuple[Long, ...] = Field(max_length=_MANY)
    """Scenarios that fail now and did not in the version before, and the other way round."""

    @property
    def unlike(self) -> Literal["", "refused, and accepted", "accepted at a level with another name"]:
        """Say how a report contradicts itself; empty where it does not."""
        if self.accepted == bool(self.refused):
            return "refused, and accepted"
        if self.level is not None and not self.level.name.startswith(NAMES[Level(self.level.level)]):
            return "accepted at a level with another name"
        return ""


def report_of(checked: CheckedSubmission, subject: Subject) -> CheckReport:
    """Put down what checks found, and what stands beside it where everything could be read."""
    listed = [(check, each) for check, findings in checked.findings.items() for each in findings]
    readable = checked.level is not None and all(bundle.run is not None for bundle in subject.bundles)
    return CheckReport(
        schema=CheckReport.SCHEMA,
        id=_cut(checked.id, 300),
        place=_cut(subject.submission.place, 300),
        accepted=checked.accepted,
        refused=checked.refused,
        level=_level(checked),
        findings=tuple(
            ReportedFinding(
                check=check,
                ruling=each.ruling,
                file=_cut(each.file, 300),
                field=_cut(each.field, 300),
                what=_cut(each.what, 1000),
                remedy=_cut(each.remedy, 1000),
            )
            for check, each in listed[:_MANY]
        ),
        left_out=max(0, len(listed) - _MANY),
        measures=tuple(measures_beside(subject))[:_MANY] if readable else (),
        costs=tuple(_costs(subject))[:_MANY] if readable else (),
        contradicted=tuple(_contradicted(subject))[:_MANY] if readable else (),
        golden=tuple(_golden(subject))[:_MANY] if readable else (),
    )


def _level(checked: CheckedSubmission) -> ReportedLevel | None:
    level = checked.level
    if level is None:
        return None
    return ReportedLevel(
        level=int(level.level),
        name=level.name,
        marks=tuple(_cut(mark, 300) for mark in level.marks[:_MANY]),
        missing=level.missing,
        caution=level.caution,
    )


def read_report(path: Path) -> CheckReport:
    """Read what another build left.

    Raises:
        MalformedDataError: It is no report, is too large, or contradicts itself.
    """
    report = read_sheet(CheckReport, path, path.name)
    if report.unlike:
        raise MalformedDataError(f"{path.name} says that it is {report.unlike}.", "Check the submission again.")
    return report


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _costs(subject: Subject) -> Iterator[ReportedCost]:
    from memgauge.runs.record.cost import CostRecord

    for bundle, run in subject.runs:
        cost = None
        with suppress(RunError):  # S10 has named it
            cost = CostRecord.read(run.folder)
        if cost is not None:
            tokens = [cost.total(name).value for name in ("tokens_in", "tokens_out", "embedding_tokens")]
            yield ReportedCost(
                bundle=bundle.file,
                ingest_s=cost.ingest.wall_s.value,
                query_s=cost.query.wall_s.value,
                model_calls=_whole(cost.total("model_calls").value),
                tokens=None if None in tokens else _whole(sum(each or 0 for each in tokens)),
                p95_ms=cost.search_p95_ms.value,
            )


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _contradicted(subject: Subject) -> Iterator[str]:
    """Name the promises that a card shows to be broken."""
    for card in _cards(subject.submission):
        for check in card.checks:
            if check.verdict is Verdict.FAIL:
                yield _cut(f"{check.name}: {check.detail}", 1000)


def _golden(subject: Subject) -> Iterator[str]:
    """Name the scenarios of the golden suite that fail now and did not before, and those that are repaired."""
    others = [each for each in subject.others if each.product == subject.sheet.product]
    before = max(others, key=lambda each: each.folder.name[:8], default=None)
    was = None if before is None else _failing(before)
    now = _failing(subject.submission)
    if was is not None and now is not None:
        yield from (f"new: {scenario}" for scenario in sorted(now - was))
        yield from (f"repaired: {scenario}" for scenario in sorted(was - now))


def _failing(submission: SubmissionFolder) -> frozenset[str] | None:
    played = [card.golden for card in _cards(submission) if card.golden is not None]
    if not played:
        return None
    return frozenset(scenario for golden in played for which in golden.found.values() for scenario in which)


def _cards(submission: SubmissionFolder) -> tuple[SystemCard, ...]:
    try:
        return read_cards(submission.file(CARD)) if submission.has(CARD) else ()
    except MemgaugeError:  # the check of files names it
        return ()
