"""What a semantic audit says: its document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Column, Document, Kind, Table
from memgauge.show.numbers import plural
from memgauge.show.table import cell
from memgauge.stats import Interval
from memgauge.studies.targets.semantic.graded import SUPPORT
from memgauge.version import __version__

if TYPE_CHECKING:
    from memgauge.studies.targets.semantic.audit import ArmRow, SupportAudit
    from memgauge.studies.targets.semantic.graded import SupportReport

GRADES = ("supports", "partial", "not")
_UNJUDGED = Interval(None, None, None, 0)
_SHARES = tuple(Column(grade, Kind.NUMBER) for grade in GRADES)


def document(report: SupportReport) -> Document:
    """Say how much of the relaxed credit is deserved."""
    cases = ", ".join(f"{n:,} {arm}" for arm, n in report.support.cases.items())
    tables = (_arms(report.support), _parts(report.support), _agreement(report.support), _graded(report))
    return Document(
        title="What relaxed credit is worth",
        lead=verdict(report.support),
        facts=(f"{cases}; {plural(len(report.support.judges), 'judge')}: {', '.join(report.support.judges)}.",),
        blocks=tuple(table for table in tables if table.rows),
        origin="cases of sealed runs and the labels beside them",
        identity={"memgauge": __version__},
        data=SUPPORT.of(report),
    )


def verdict(audit: SupportAudit) -> str:
    """Say in one sentence how much of the contested credit supports an answer."""
    top = next((row for row in audit.rows if row.arm == "contested" and row.part == "all"), None)
    share = top.shares.get(GRADES[0]) if top else None
    if top is None or share is None or share.mean is None:
        return "No contested case has a label."
    return (
        f"By {top.judge}, {share.mean:.0%} of the {top.labelled:,} contested memories that were labelled "
        "support the answer."
    )


def _arms(audit: SupportAudit) -> Table:
    rows = [row for row in audit.rows if row.part == "all"] + ([audit.lower] if audit.lower else [])
    return Table.of(
        "support",
        "Tables 3 and 6: does what was credited support the answer?",
        ("judge", "arm", *Column.each(Kind.COUNT, "cases", "labelled"), *_SHARES, "open"),
        [
            (
                row.judge,
                row.arm,
                row.cases,
                row.labelled,
                *_shares(row),
                ", ".join(f"{n} {why}" for why, n in row.open.items()) or "0",
            )
            for row in rows
        ],
        "Shares of the labelled, 95 % intervals over conversations. Contested: Raw misses, Canonical hits. "
        "Raw hit and decoy are controls, judged blind among them. A heuristic counts words and is no judge.",
    )


def _parts(audit: SupportAudit) -> Table:
    return Table.of(
        "support-parts",
        "Contested cases by category and rank",
        ("judge", "part", Column("cases", Kind.COUNT), *_SHARES),
        [(row.judge, row.part, row.cases, *_shares(row)) for row in audit.rows if row.part != "all"],
        "As above.",
        brief=False,
    )


def _agreement(audit: SupportAudit) -> Table:
    alike = Column.each(Kind.SHARE, "alike", "alike, two classes")
    kappas = Column.each(Kind.COARSE, "kappa", "kappa, two classes")
    return Table.of(
        "support-agreement",
        "Table 13: agreement two by two",
        ("a", "b", Column("both decided", Kind.COUNT), *alike, *kappas),
        [
            (pair.a, pair.b, pair.n, pair.alike, pair.alike_binary, pair.kappa, pair.kappa_binary)
            for pair in audit.pairs
        ],
        "Intervals are over conversations. Two classes: supports and partial as one. Fleiss' kappa over "
        f"{audit.common:,} cases that all of them decided: {_words(audit.fleiss)}.",
    )


def _graded(report: SupportReport) -> Table:
    scores = tuple(Column(head, Kind.NUMBER) for head in ("Raw", "graded, at least", "graded, at most", "Source"))
    return Table.of(
        "support-graded",
        "The support-graded target, between Raw and Source",
        ("run", *scores, *Column.each(Kind.COUNT, "judged", "unjudged")),
        [(row.label, row.raw, row.low, row.high, row.source, row.judged, row.unjudged) for row in report.graded],
        "Credit 1, 0.5 or 0 by label; raw turns earn 1; what nobody judged earns nothing, or all.",
    )


def _words(value: Interval) -> str:
    interval_cell = cell(value, Kind.COARSE)
    return f"{interval_cell.text} {interval_cell.under}".rstrip()


def _shares(row: ArmRow) -> tuple[Interval, ...]:
    return tuple(row.shares.get(grade, _UNJUDGED) for grade in GRADES)
