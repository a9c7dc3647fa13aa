"""What a preflight says: a row a rule, what the platform would do, and remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.records import Verdict
from memgauge.show import Cell, Column, Document, Kind, Note, Table
from memgauge.show.document import CheckOutcome, CountedCheck
from memgauge.show.numbers import plural
from memgauge.systems.aml.preflight.report import PREFLIGHT
from memgauge.systems.aml.preflight.rules import DOTS
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.systems.aml.preflight.report import PreflightReport, PreflightRow

LOCAL: Final = (
    "Local sets are not the leaderboard's own bundles: nothing here predicts a score or a place on the board."
)
UNOFFICIAL: Final = (
    "The rules are what entrants wrote down: ● one says so, ●● two to four, ●●● five or more, or somebody saw it."
)
_RED: Final = {Verdict.FAIL, Verdict.ERROR}


def preflight_document(report: PreflightReport) -> Document:
    """Draw a preflight."""
    return Document(
        title=f"Preflight of {report.address}",
        lead=_lead(report),
        facts=(
            f"Rules of cycle {report.cycle}; {plural(report.calls, 'call')}; users begin with {report.prefix}.",
        ),
        blocks=tuple(table for table in (_remedies(report), _rows(report), _rules(report)) if table.rows),
        notes=tuple(_notes(report)),
        noted="Before you rely on it",
        origin="requests to the server itself",
        identity={"memgauge": __version__, "cycle": str(report.cycle)},
        data=PREFLIGHT.of(report),
        checks=tuple(_check(row) for row in report.rows),
        suites={"preflight": {"address": report.address, "cycle": str(report.cycle)}},
    )


def _lead(report: PreflightReport) -> str:
    errors = sum(row.verdict is Verdict.ERROR for row in report.rows)
    tried = sum(row.verdict in {Verdict.PASS, *_RED} for row in report.rows)
    if report.green:
        return f"All {tried} rules that could be tried are kept."
    undecided = f", and {errors} could not be decided because of them" if errors else ""
    return f"{len(report.failed)} of {plural(tried, 'rule')} broken{undecided}."


def _rows(report: PreflightReport) -> Table:
    columns = (
        Column("", Kind.TEXT),
        Column("rule", Kind.PROSE),
        Column("sure", Kind.TEXT),
        Column("what was seen", Kind.PROSE),
        Column("figures", Kind.PROSE, brief=False),
    )
    rows = [
        (_verdict(row), row.title, DOTS[row.sure], row.detail, ", ".join(_figures(row))) for row in report.rows
    ]
    return Table.of("rows", "Rules", columns, rows)


def _remedies(report: PreflightReport) -> Table:
    columns = Column.each(Kind.PROSE, "rule", "what the platform does", "remedy")
    return Table.of(
        "remedies", "What to do", columns, [(row.title, row.then, row.remedy) for row in report.failed]
    )


def _rules(report: PreflightReport) -> Table:
    columns = (
        *Column.each(Kind.PROSE, "rule", "as entrants wrote it down"),
        Column("sure", Kind.TEXT),
        Column("where it is broken", Kind.PROSE),
    )
    rows = [(row.title, row.rule, DOTS[row.sure], row.then) for row in report.rows]
    return Table.of("contract", "The rules, in words", columns, rows, brief=False)


def _verdict(row: PreflightRow) -> Cell:
    word = (
        "not tried"
        if row.verdict is Verdict.VACUOUS
        else "none"
        if row.verdict is Verdict.UNSUPPORTED
        else row.verdict
    )
    return Cell(str(word), value=str(row.verdict), mark="warn" if row.verdict in _RED else "text")


def _figures(row: PreflightRow) -> Iterator[str]:
    for name, value in row.figures.items():
        yield f"{name} {value:.3g}" if value % 1 else f"{name} {value:.0f}"


def _notes(report: PreflightReport) -> Iterator[Note]:
    yield Note(LOCAL)
    yield Note(UNOFFICIAL)
    if report.is_private:
        yield Note(
            "The platform refuses private, loopback and link-local addresses (●●): this one is for your own tests."
        )
    yield Note(
        "What was added stays on the server, for there is no Delete; entrants delete within 30 days of a run."
    )


def _check(row: PreflightRow) -> CountedCheck:
    return CountedCheck(
        "preflight",
        "preflight",
        row.title,
        CheckOutcome.of(row.verdict),
        message=row.detail,
        kind=row.key,
        detail=f"{row.rule} ({DOTS[row.sure]}) {row.then} {row.remedy}",
        facts={name: f"{value:g}" for name, value in row.figures.items()},
    )
