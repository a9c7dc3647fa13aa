"""The tables of a semantic audit, as sheets like those of the audit that it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.report.targets_tables import Sheet, percent
from memgauge.show.numbers import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.stats import Interval
    from memgauge.studies.targets.semantic.audit import ArmRow, SupportAudit
    from memgauge.studies.targets.semantic.graded import Graded

GRADES = ("supports", "partial", "not")


def support_sheets(found: SupportAudit, scored: Sequence[Graded] = ()) -> list[Sheet]:
    """Return every table that has a row."""
    arms = [row for row in found.rows if row.part == "all"]
    parts = [row for row in found.rows if row.part != "all"]
    lower = [found.lower] if found.lower else []
    made = (
        Sheet(
            "support",
            "Tables 3 and 6: does what was credited support the answer?",
            ("judge", "arm", "cases", "labelled", *GRADES, "open"),
            tuple(_row(row) for row in [*arms, *lower]),
            "Shares of the labelled, 95 % intervals over questions. Contested: Raw misses, Canonical hits. Raw "
            "hit and decoy are controls, judged blind among them. A heuristic counts words and is no judge.",
            brief=True,
        ),
        Sheet(
            "support-parts",
            "Contested cases by category and rank",
            ("judge", "part", "cases", *GRADES),
            tuple((row.judge, row.part, f"{row.cases:,}", *_shares(row)) for row in parts),
            "As above.",
        ),
        Sheet(
            "support-agreement",
            "Table 13: agreement two by two",
            ("a", "b", "both decided", "alike", "alike, two classes", "kappa", "kappa, two classes"),
            tuple(
                (
                    row.a,
                    row.b,
                    f"{row.n:,}",
                    percent(row.alike),
                    percent(row.alike_binary),
                    kappa(row.kappa),
                    kappa(row.kappa_binary),
                )
                for row in found.pairs
            ),
            f"Two classes: supports and partial as one. Fleiss' kappa over {found.common:,} cases that all "
            f"of them decided: {kappa(found.fleiss)}.",
            brief=True,
        ),
        Sheet(
            "support-graded",
            "The support-graded target, between Raw and Source",
            ("run", "Raw", "graded, at least", "graded, at most", "Source", "judged", "unjudged"),
            tuple(
                (
                    row.label,
                    number(row.raw),
                    number(row.low),
                    number(row.high),
                    number(row.source),
                    f"{row.judged:,}",
                    f"{row.unjudged:,}",
                )
                for row in scored
            ),
            "Credit 1, 0.5 or 0 by label; raw turns earn 1; what nobody judged earns nothing, or all.",
            brief=True,
        ),
    )
    return [sheet for sheet in made if sheet.rows]


def kappa(value: Interval) -> str:
    """Write a coefficient with its interval."""
    if value.mean is None:
        return "undefined"
    around = "" if value.low is None or value.high is None else f" [{value.low:.2f}, {value.high:.2f}]"
    return f"{value.mean:.2f}{around}"


def _row(row: ArmRow) -> tuple[str, ...]:
    unclear = ", ".join(f"{n} {why}" for why, n in row.open.items()) or "0"
    return row.judge, row.arm, f"{row.cases:,}", f"{row.labelled:,}", *_shares(row), unclear


def _shares(row: ArmRow) -> tuple[str, ...]:
    cells = []
    for grade in GRADES:
        share = row.shares.get(grade)
        if share is None or share.mean is None:
            cells.append("undefined")
        elif share.low is None or share.high is None:
            cells.append(f"{share.mean:.3f}")
        else:
            cells.append(f"{share.mean:.3f} [{share.low:.3f}, {share.high:.3f}]")
    return tuple(cells)
