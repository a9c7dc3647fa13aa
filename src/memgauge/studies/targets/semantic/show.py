"""What a semantic audit says: its document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Column, Document, Kind, Note, Table
from memgauge.show.numbers import listed, plural
from memgauge.show.safety import name_line
from memgauge.stats import Interval
from memgauge.studies.targets.semantic.graded import SUPPORT
from memgauge.studies.targets.semantic.raters import HEURISTICS, JUDGES, PEOPLE
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.targets.semantic.audit import ArmRow, SupportAudit
    from memgauge.studies.targets.semantic.graded import SupportReport

GRADES = ("supports", "partial", "not")
_ONE_OF = {PEOPLE: "person", JUDGES: "judge", HEURISTICS: "heuristic"}
_UNJUDGED = Interval(None, None, None, 0)
_SHARES = tuple(Column(grade, Kind.NUMBER) for grade in GRADES)


def document(report: SupportReport) -> Document:
    """Say how much of the relaxed credit is deserved."""
    cases = ", ".join(f"{n:,} {arm}" for arm, n in report.support.cases.items())
    audit = report.support
    tables = (_arms(audit), _parts(audit), _groups(audit), _agreement(audit), _graded(report))
    return Document(
        title="What relaxed credit is worth",
        lead=verdict(audit),
        facts=(f"{cases}; labelled by {_raters(audit)}.",),
        blocks=tuple(table for table in tables if table.rows),
        notes=tuple(map(Note, _notes(audit))),
        origin="cases of sealed runs and the labels beside them",
        identity={"memgauge": __version__},
        data=SUPPORT.of(report),
    )


def _raters(audit: SupportAudit) -> str:
    """Name who labelled, by what they are."""
    groups = [
        f"{_counted(len(raters), group)} ({', '.join(map(name_line, raters))})"
        for group, raters in audit.raters.items()
    ]
    return listed(groups) if groups else "nobody"


def _counted(n: int, group: str) -> str:
    return f"{n} {_ONE_OF[group] if n == 1 else group}"


def verdict(audit: SupportAudit) -> str:
    """Say in one sentence how much of the contested credit supports an answer, by whom is believed first."""
    shares = [
        (row.rater, share.mean, row.labelled)
        for voice in audit.voices
        for row in audit.rows
        if (row.rater, row.arm, row.part) == (voice, "contested", "all")
        and (share := row.shares.get(GRADES[0])) is not None
        and share.mean is not None
    ]
    if not shares:
        return "No contested case has a label."
    (first, mean, n), *others = shares
    beside = "".join(f"; by {name_line(name)}, {mean:.0%} of {labelled:,}" for name, mean, labelled in others)
    return (
        f"By {name_line(first)}, {mean:.0%} of the {n:,} contested memories that they labelled support the "
        f"answer{beside}."
    )


def _notes(audit: SupportAudit) -> Iterator[str]:
    """Yield what was labelled and counts nowhere."""
    if audit.unknown:
        labelled = plural(len(audit.unknown), "case")
        yield (
            f"Labels of {labelled} count nowhere, for no such case is in the folder; the first is "
            f"{name_line(audit.unknown[0])}. Ids may be misspelt, or the cases extracted anew."
        )


def _arms(audit: SupportAudit) -> Table:
    rows = [row for row in audit.rows if row.part == "all"] + ([audit.lower] if audit.lower else [])
    return Table.of(
        "support",
        "Tables 3 and 6: does what was credited support the answer?",
        ("by", "arm", *Column.each(Kind.COUNT, "cases", "labelled"), *_SHARES, "open"),
        [
            (
                row.rater,
                row.arm,
                row.cases,
                row.labelled,
                *_shares(row),
                ", ".join(f"{n} {why}" for why, n in row.open.items()) or "0",
            )
            for row in rows
        ],
        "Shares of the labelled, 95 % intervals over conversations. Contested: Raw misses, Canonical hits. "
        "Raw hit and decoy are controls, judged blind among them. A group speaks by its majority; ties "
        "down: the first group, its ties decided for the lower label. A heuristic counts words and is no judge.",
    )


def _parts(audit: SupportAudit) -> Table:
    return Table.of(
        "support-parts",
        "Contested cases by category and rank",
        ("by", "part", Column("cases", Kind.COUNT), *_SHARES),
        [(row.rater, row.part, row.cases, *_shares(row)) for row in audit.rows if row.part != "all"],
        "As above.",
        brief=False,
    )


def _groups(audit: SupportAudit) -> Table:
    counts = Column.each(Kind.COUNT, "raters", "all decided")
    return Table.of(
        "support-groups",
        "Agreement within each group",
        ("among", *counts, Column("Fleiss' kappa", Kind.COARSE)),
        [(row.group, row.raters, row.n, row.fleiss) for row in audit.agreement],
        "Over the cases that each of them decided; intervals are over conversations.",
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
        "Intervals are over conversations. Two classes: supports and partial as one.",
    )


def _graded(report: SupportReport) -> Table:
    scores = tuple(Column(head, Kind.NUMBER) for head in ("Raw", "graded, at least", "graded, at most", "Source"))
    return Table.of(
        "support-graded",
        "The support-graded target, between Raw and Source",
        ("run", *scores, *Column.each(Kind.COUNT, "labelled", "unlabelled")),
        [(row.label, row.raw, row.low, row.high, row.source, row.judged, row.unjudged) for row in report.graded],
        "Credit 1, 0.5 or 0 by label: of people where they said anything, else of judges, else of heuristics. Raw "
        "turns earn 1; what nobody labelled earns nothing, or all.",
    )


def _shares(row: ArmRow) -> tuple[Interval, ...]:
    return tuple(row.shares.get(grade, _UNJUDGED) for grade in GRADES)
