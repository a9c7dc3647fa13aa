"""What checks found, as a document: accepted or refused first, then everything that has to be done."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from memgauge.results import ReadyData
from memgauge.show import (
    CheckOutcome,
    Column,
    CountedCheck,
    Document,
    Kind,
    Note,
    Table,
)
from memgauge.show.numbers import plural
from memgauge.submissions.checks.catalogue import CHECKS
from memgauge.submissions.checks.checking import ruling_of
from memgauge.submissions.checks.rulings import Ruling
from memgauge.submissions.sheets.base import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memgauge.submissions.checks.checking import CheckedSubmission
    from memgauge.submissions.checks.report import CheckReport, ReportedFinding
    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.verifications import CheckedVerification

_ENDED = {
    Ruling.PASS: CheckOutcome.PASS,
    Ruling.ASK: CheckOutcome.PASS,
    Ruling.CANNOT: CheckOutcome.SKIP,
    Ruling.REFUSE: CheckOutcome.FAIL,
}
_SHOWN = {Ruling.PASS: "holds", Ruling.ASK: "a question", Ruling.CANNOT: "not looked at", Ruling.REFUSE: "refused"}


def document(checked: CheckedSubmission, report: CheckReport) -> Document:
    """Say whether a submission is accepted, what is missing for the next level, and what each check found."""
    titles = {check.id: check.title for check in CHECKS}
    rows = [
        (f"{check} {titles.get(check, '')}", _SHOWN[ruling_of(findings)], len(findings) or "")
        for check, findings in checked.findings.items()
    ]
    by_check = [(check, finding) for check, findings in checked.findings.items() for finding in findings]
    refusals = [each for each in by_check if each[1].ruling is Ruling.REFUSE]
    others = [each for each in by_check if each[1].ruling is not Ruling.REFUSE]
    blocks = tuple(
        table
        for table in (
            findings_table("refused", "What keeps it out", refusals),
            findings_table("open", "Questions, and what was not looked at", others),
            Table.of("checks", "Every check", (Column("check"), Column("ended"), Column("findings")), rows),
        )
        if table.rows
    )
    return Document(
        f"Checks of {checked.id}",
        lead=lead_of(checked, len(refusals)),
        blocks=blocks,
        notes=(Note("Recomputed from rows; who made them is not shown by that: levels 3 to 5 speak of origin."),),
        next="Commit it, and open a pull request." if checked.accepted else "Mend what is named, and check again.",
        origin="the submission and the registry",
        data=ReadyData(report.model_dump(mode="json", by_alias=True)),
        checks=tuple(_counted(checked, check, findings) for check, findings in checked.findings.items()),
    )


def verification_document(checked: CheckedVerification) -> Document:
    """Say whether a verification counts, and what keeps it out."""
    tables = [
        findings_table(
            key, title, [("verification", each) for each in checked.findings if (each.ruling is kind) == wanted]
        )
        for key, title, kind, wanted in (
            ("refused", "What keeps it out", Ruling.REFUSE, True),
            ("open", "Questions", Ruling.REFUSE, False),
        )
    ]
    refusals = sum(each.ruling is Ruling.REFUSE for each in checked.findings)
    return Document(
        f"Check of {checked.place}",
        lead="Accepted: its rows show what it says."
        if checked.accepted
        else f"Refused: {plural(refusals, 'thing')} to mend.",
        blocks=tuple(table for table in tables if table.rows),
        notes=(Note("Who played it no row shows: whoever reviews asks."),),
        next="Commit it, and open a pull request." if checked.accepted else "Mend what is named, and check again.",
        origin="the sheet, its bundle and the submission",
        data=ReadyData(
            {
                "place": checked.place,
                "accepted": checked.accepted,
                "findings": [{**asdict(each), "ruling": str(each.ruling)} for each in checked.findings],
            }
        ),
        checks=(
            CountedCheck(
                "results check",
                checked.place,
                "verification",
                CheckOutcome.PASS if checked.accepted else CheckOutcome.FAIL,
                str(checked.findings[0]) if checked.findings else "",
                "" if checked.accepted else "refused",
            ),
        ),
    )


def lead_of(checked: CheckedSubmission | CheckReport, refusals: int, marks: Sequence[str] = ()) -> str:
    """Say whether a submission is accepted, and at which level, with what must be read beside that."""
    if not checked.accepted:
        return f"Refused by {', '.join(checked.refused)}: {plural(refusals, 'thing')} to mend."
    level = checked.level
    if level is None:
        return "Accepted."
    beside = f" ({'; '.join(marks)})" if marks else ""
    missing = f" For the next level: {level.missing}." if level.missing else ""
    return f"Accepted, at level {int(level.level)}, {level.name}{beside}.{missing}"


def findings_table(key: str, title: str, by_check: Iterable[tuple[str, CheckFinding | ReportedFinding]]) -> Table:
    """List findings, each with its check, where it is, and what to do."""
    columns = (Column("check"), Column("where"), *Column.each(Kind.PROSE, "what", "what to do"))
    rows = [(check, place_of(each.file, each.field), each.what, each.remedy) for check, each in by_check]
    return Table.of(key, title, columns, rows)


def _counted(checked: CheckedSubmission, check: str, findings: tuple[CheckFinding, ...]) -> CountedCheck:
    ended = _ENDED[ruling_of(findings)]
    sentences = [str(finding) for finding in findings]
    return CountedCheck(
        suite="results check",
        group=checked.id,
        name=check,
        outcome=ended,
        message=sentences[0] if sentences else "",
        kind="refused" if ended is CheckOutcome.FAIL else "",
        detail="\n".join(sentences),
    )
