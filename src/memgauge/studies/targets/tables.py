"""The tables of a targets audit: columns, rows of values, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.scoring.card import MISSING
from memgauge.show import Cell, Column, Kind, Table, Value
from memgauge.show.numbers import listed, number, plural, signed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.targets.study import TargetAudit
    from memgauge.studies.targets.verdicts import PairVerdict

TARGETS = ("raw", "source", "canonical")
NAMES = tuple(target.capitalize() for target in TARGETS)


def tables(audit: TargetAudit) -> tuple[Table, ...]:
    """Return every table that has a row, in the order of reading."""
    all_tables = (
        _shifts(audit),
        _flips(audit),
        _by_target(audit),
        _by_contract(audit),
        _transfers(audit),
        _parts(audit),
        _placebos(audit),
        _ensembles(audit),
        _agreement(audit),
        _categories(audit),
        _coverage(audit),
        _sets(audit),
        _answers(audit),
        _cards(audit),
    )
    return tuple(table for table in all_tables if table.rows)


def _columns(kind: Kind, *heads: str) -> tuple[Column, ...]:
    return tuple(Column(head, kind) for head in heads)


def _shifts(audit: TargetAudit) -> Table:
    return Table.of(
        "shifts",
        "Table 2: the same lists under three targets",
        ("run", *_columns(Kind.NUMBER, *NAMES), *_columns(Kind.SIGNED, "Canonical - Raw", "Canonical - Source")),
        [
            (row.label, *(row.means[t] for t in TARGETS), row.canonical_minus_raw, row.canonical_minus_source)
            for row in audit.shifts
        ],
        f"{plural(audit.covered, 'question')} that every target can score in every run that serves it; "
        f"{audit.contract}; 95 % intervals over conversations, paired by question.",
    )


def _flips(audit: TargetAudit) -> Table:
    return Table.of(
        "flips",
        "Tables 4 and 15: questions that change",
        (
            "run",
            "targets",
            *_columns(Kind.COUNT, "n", "hit flips", "top-1 flips", "changed"),
            Column("rate", Kind.SHARE),
            Column("mean change", Kind.NUMBER),
            Column("by 0.1 or more", Kind.SHARE),
        ),
        [
            (row.label, row.pair, row.n, row.hit, row.top, row.changed, row.rate, row.mean_change, row.large)
            for row in audit.flips
        ],
        audit.contract,
    )


def _by_target(audit: TargetAudit) -> Table:
    rows: list[tuple[Cell | Value, ...]] = []
    for pair in audit.by_target:
        grid = {str(cell.terms.target): cell for cell in pair.cells}
        values = (
            Cell(signed(grid[t].difference), "" if grid[t].winner else "(tie)", grid[t].difference)
            if t in grid
            else Cell("unsupported")
            for t in TARGETS
        )
        rows.append((pair.a, pair.b, *values, pair.verdict, pair.winner or "nobody"))
    return Table.of(
        "targets",
        "Table 5: who wins under which target",
        ("a", "b", *_columns(Kind.SIGNED, *NAMES), "verdict", "winner"),
        rows,
        f"a - b, {audit.contract}; (tie): the simultaneous 95 % interval over conversations holds 0, or there is "
        f"none. Reversed: each wins somewhere by that interval.{_own_questions(audit)}",
    )


def _own_questions(audit: TargetAudit) -> str:
    """Say over how many questions each target was taken, where these differ."""
    counts = {str(cell.terms.target): cell.n for pair in audit.by_target[:1] for cell in pair.cells}
    if len(set(counts.values())) < 2:
        return ""
    counted = listed([f"{target} {n:,}" for target, n in counts.items()])
    return f" Each target over all questions that every run can be scored on under it ({counted}), not Table 2's."


def _by_contract(audit: TargetAudit) -> Table:
    return Table.of(
        "contracts",
        f"The multiverse: who wins under {audit.contracts} contracts",
        ("a", "b", "verdict", "winner", "won by a / b", "turned by"),
        list(_verdicts(audit.by_contract)),
        "Every combination of target, credit, coverage and metric; intervals are over conversations, and "
        "simultaneous over a pair's contracts. Winner: who wins under all of them. Won by: the share of them that "
        "each wins clearly. Turned by: the one choice that most often changes a clear winner.",
    )


def _verdicts(pairs: Sequence[PairVerdict]) -> Iterator[tuple[str, ...]]:
    for pair in pairs:
        shares = f"{pair.share_a:.0%} / {pair.share_b:.0%}"
        yield pair.a, pair.b, pair.verdict, pair.winner or "nobody", shares, pair.axis or "-"


def _transfers(audit: TargetAudit) -> Table:
    return Table.of(
        "transfers",
        "Table 7: each target on all questions that it can score",
        ("run", "metric", *_columns(Kind.NUMBER, *NAMES), "order"),
        [
            (row.label, metric, *(values[t] for t in TARGETS), row.order[metric])
            for row in audit.transfers
            for metric, values in row.values.items()
        ],
        f"credit={audit.spec.credit}, coverage={audit.spec.coverage}; not on one set of questions.",
        brief=False,
    )


def _parts(audit: TargetAudit) -> Table:
    changes = ("C - R", "within a form", "size-matched", "C - S", "by gains", "by norm", "common norm")
    return Table.of(
        "parts",
        "What a shift is made of",
        (
            "run",
            *_columns(Kind.SIGNED, *changes),
            Column("C > S", Kind.COUNT),
            *_columns(Kind.SHARE, "slots derived", "stored derived", "slots repeated"),
        ),
        [
            (
                row.label,
                row.shift,
                row.within_kind,
                row.size_matched,
                row.canonical_minus_source,
                row.gains,
                row.norm,
                row.common_norm,
                row.exceeding,
                row.canonical_slots,
                row.canonical_stored,
                row.repeated,
            )
            for row in audit.parts
        ],
        f"{audit.contract}. Within a form: lists cut to one form. C - S splits exactly into gains and norm. "
        "C > S: questions on which only the norm lets the part exceed the whole.",
        brief=False,
    )


def _placebos(audit: TargetAudit) -> Table:
    return Table.of(
        "placebos",
        "Placebo anchors: what the form earns without evidence",
        ("run", Column("n", Kind.COUNT), *NAMES, *_columns(Kind.SIGNED, *(f"{name} above" for name in NAMES))),
        [
            (
                row.label,
                row.n,
                *(f"{row.real[t]:.3f} / {row.placebo[t]:.3f}" for t in TARGETS),
                *(row.above[t] for t in TARGETS),
            )
            for row in audit.placebos
        ],
        f"Real / placebo, 20 draws, {audit.contract}; above: (real - placebo) / (1 - placebo).",
        brief=False,
    )


def _ensembles(audit: TargetAudit) -> Table:
    return Table.of(
        "ensembles",
        "Table 8: does an average over targets settle it?",
        ("scored by", "order of runs", Column("pairs unlike Raw", Kind.COUNT), "an order of its own"),
        [(row.way, " > ".join(row.order), row.discordant, row.novel) for row in audit.ensembles],
        audit.contract,
        brief=False,
    )


def _agreement(audit: TargetAudit) -> Table:
    return Table.of(
        "agreement",
        "Questions on which all targets agree about a hit",
        ("run", Column("kept", Kind.SHARE), Column("spread that is left", Kind.NUMBER)),
        [(row.label, row.kept, row.spread) for row in audit.agreement],
        f"Spread: mean distance of the best from the worst target; {audit.contract}.",
        brief=False,
    )


def _categories(audit: TargetAudit) -> Table:
    return Table.of(
        "categories",
        "By category, Raw to Canonical",
        ("run", "category", Column("n", Kind.COUNT), Column("changed", Kind.SHARE), Column("C - R", Kind.SIGNED)),
        [(row.label, row.category, row.n, row.rate, row.canonical_minus_raw) for row in audit.categories],
        audit.contract,
        brief=False,
    )


def _coverage(audit: TargetAudit) -> Table:
    return Table.of(
        "coverage",
        "Are questions with derived memories easier?",
        ("run", *_columns(Kind.COUNT, "covered", "others"), Column("Raw on covered - others", Kind.SIGNED)),
        [(row.label, row.covered, row.uncovered, row.difference) for row in audit.coverage],
        audit.contract,
        brief=False,
    )


def _sets(audit: TargetAudit) -> Table:
    first_row = audit.sets[0] if audit.sets else None
    sizes = tuple(first_row.complete) if first_row else ()
    budgets = tuple(first_row.within) if first_row else ()
    return Table.of(
        "sets",
        "Evidence as a set",
        (
            "run",
            "target",
            *(f"{size} turns: all / any" for size in sizes),
            Column("rank when complete", Kind.NUMBER),
            *_columns(Kind.SHARE, *(f"in {budget} tokens" for budget in budgets)),
            Column("by specificity", Kind.NUMBER),
        ),
        [
            (
                row.label,
                row.target,
                *(f"{number(row.complete[size])} / {number(row.hit[size])}" for size in sizes),
                row.rank,
                *(row.within[budget] for budget in budgets),
                row.specific,
            )
            for row in audit.sets
        ],
        f"By specificity: {audit.spec.metrics[0]} with credit divided by the turns that a memory descends from.",
        brief=False,
    )


def _answers(audit: TargetAudit) -> Table:
    return Table.of(
        "answers",
        "Table 12: credit beside answers",
        ("run", "answers", "raw only", "canonical only", "both", "neither"),
        [
            (row.label, row.answers, *(f"{row.n[part]:,}: {number(row.f1[part])}" for part in row.n))
            for row in audit.answers
        ],
        f"Questions: mean token F1, by which target calls the retrieval a hit; {audit.contract}.",
        brief=False,
    )


def _cards(audit: TargetAudit) -> Table:
    return Table.of(
        "cards",
        "Table 14: reporting cards",
        ("run", "transforms?", "unit?", "mapping?", "credit?"),
        [(card.label, *(answer or MISSING for answer in card.answers)) for card in audit.cards],
        "Answered from the frozen record.",
        brief=False,
    )
