"""The tables of a targets audit, once for the terminal and the page: heads, rows of text, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.scoring.card import MISSING
from memgauge.show.numbers import number, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.stats import Interval
    from memgauge.studies.targets.study import Audit
    from memgauge.studies.targets.verdicts import Verdict

TARGETS = ("raw", "source", "canonical")


@dataclass(frozen=True)
class Sheet:
    """One table."""

    key: str
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str
    """What it counts, by which contract."""
    brief: bool = False
    """Whether the terminal shows it unasked."""


def sheets(audit: Audit) -> list[Sheet]:
    """Return every table that has a row, in the order of reading."""
    made = (
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
    return [sheet for sheet in made if sheet.rows]


def signed(value: float | None) -> str:
    """Write a difference with its sign."""
    return number(None) if value is None else f"{value:+.3f}"


def around(value: Interval) -> str:
    """Write a difference with its interval."""
    if value.mean is None or value.low is None or value.high is None:
        return signed(value.mean)
    return f"{value.mean:+.3f} [{value.low:+.3f}, {value.high:+.3f}]"


def percent(value: float | None) -> str:
    """Write a share."""
    return number(None) if value is None else f"{value:.1%}"


def _shifts(audit: Audit) -> Sheet:
    rows = [
        (
            row.label,
            *(number(row.means[t]) for t in TARGETS),
            around(row.canonical_minus_raw),
            around(row.canonical_minus_source),
        )
        for row in audit.shifts
    ]
    return Sheet(
        "shifts",
        "Table 2: the same lists under three targets",
        ("run", "Raw", "Source", "Canonical", "Canonical - Raw", "Canonical - Source"),
        tuple(rows),
        f"{plural(audit.covered, 'question')} that every target can score in every run that serves it; "
        f"{audit.contract}; 95 % intervals over conversations, paired by question.",
        brief=True,
    )


def _flips(audit: Audit) -> Sheet:
    rows = [
        (
            row.label,
            row.pair,
            f"{row.n:,}",
            f"{row.hit:,}",
            f"{row.top:,}",
            f"{row.changed:,}",
            percent(row.rate),
            number(row.mean_change),
            percent(row.large),
        )
        for row in audit.flips
    ]
    heads = ("run", "targets", "n", "hit flips", "top-1 flips", "changed", "rate", "mean change", "by 0.1 or more")
    return Sheet("flips", "Tables 4 and 15: questions that change", heads, tuple(rows), audit.contract, brief=True)


def _verdict_rows(verdicts: Sequence[Verdict]) -> Iterator[tuple[str, ...]]:
    for one in verdicts:
        shares = f"{one.share_a:.0%} / {one.share_b:.0%}"
        yield one.a, one.b, one.verdict, one.winner or "nobody", shares, one.axis or "-"


def _by_target(audit: Audit) -> Sheet:
    rows = []
    for one in audit.by_target:
        cells = {cell.terms.target: cell for cell in one.cells}
        values = (
            f"{cells[t].difference:+.3f} {'' if cells[t].winner else '(tie)'}".strip()
            if t in cells
            else "unsupported"
            for t in TARGETS
        )
        rows.append((one.a, one.b, *values, one.verdict, one.winner or "nobody"))
    return Sheet(
        "targets",
        "Table 5: who wins under which target",
        ("a", "b", "Raw", "Source", "Canonical", "verdict", "winner"),
        tuple(rows),
        f"a - b, {audit.contract}; (tie): the simultaneous 95 % interval over conversations holds 0, or there is "
        "none. Reversed: each wins somewhere by that interval.",
        brief=True,
    )


def _by_contract(audit: Audit) -> Sheet:
    return Sheet(
        "contracts",
        f"The multiverse: who wins under {audit.contracts} contracts",
        ("a", "b", "verdict", "winner", "won by a / b", "turned by"),
        tuple(_verdict_rows(audit.by_contract)),
        "Every combination of target, credit, coverage and metric; intervals are over conversations, and "
        "simultaneous over a pair's contracts. Turned by: the one choice that most often changes a clear winner.",
        brief=True,
    )


def _transfers(audit: Audit) -> Sheet:
    rows = [
        (row.label, metric, *(number(values[t]) for t in TARGETS), row.order[metric])
        for row in audit.transfers
        for metric, values in row.values.items()
    ]
    return Sheet(
        "transfers",
        "Table 7: each target on all questions that it can score",
        ("run", "metric", "Raw", "Source", "Canonical", "order"),
        tuple(rows),
        f"credit={audit.spec.credit}, coverage={audit.spec.coverage}; not on one set of questions.",
    )


def _parts(audit: Audit) -> Sheet:
    heads = (
        "run", "C - R", "within a form", "size-matched", "C - S", "by gains", "by norm", "common norm", "C > S",
        "slots derived", "stored derived", "slots repeated",
    )  # fmt: skip
    rows = [
        (
            row.label,
            *map(
                signed,
                (
                    row.shift,
                    row.within_kind,
                    row.size_matched,
                    row.canonical_minus_source,
                    row.gains,
                    row.norm,
                    row.common_norm,
                ),
            ),
            f"{row.exceeding:,}",
            *map(percent, (row.canonical_slots, row.canonical_stored, row.repeated)),
        )
        for row in audit.parts
    ]
    return Sheet(
        "parts",
        "What a shift is made of",
        heads,
        tuple(rows),
        f"{audit.contract}. Within a form: lists cut to one form. C - S splits exactly into gains and norm. "
        "C > S: questions on which only the norm lets the part exceed the whole.",
    )


def _placebos(audit: Audit) -> Sheet:
    rows = [
        (row.label, f"{row.n:,}", *(f"{row.real[t]:.3f} / {row.placebo[t]:.3f}" for t in TARGETS),
         *(signed(row.above[t]) for t in TARGETS))
        for row in audit.placebos
    ]  # fmt: skip
    return Sheet(
        "placebos",
        "Placebo anchors: what the form earns without evidence",
        ("run", "n", "Raw", "Source", "Canonical", "Raw above", "Source above", "Canonical above"),
        tuple(rows),
        f"Real / placebo, 20 draws, {audit.contract}; above: (real - placebo) / (1 - placebo).",
    )


def _ensembles(audit: Audit) -> Sheet:
    rows = [
        (row.way, " > ".join(row.order), str(row.discordant), "yes" if row.novel else "no")
        for row in audit.ensembles
    ]
    return Sheet(
        "ensembles",
        "Table 8: does an average over targets settle it?",
        ("scored by", "order of runs", "pairs unlike Raw", "an order of its own"),
        tuple(rows),
        audit.contract,
    )


def _agreement(audit: Audit) -> Sheet:
    rows = [(row.label, percent(row.kept), number(row.spread)) for row in audit.agreement]
    return Sheet(
        "agreement",
        "Questions on which all targets agree about a hit",
        ("run", "kept", "spread that is left"),
        tuple(rows),
        f"Spread: mean distance of the best from the worst target; {audit.contract}.",
    )


def _categories(audit: Audit) -> Sheet:
    rows = [
        (row.label, row.category, f"{row.n:,}", percent(row.rate), signed(row.canonical_minus_raw))
        for row in audit.categories
    ]
    heads = ("run", "category", "n", "changed", "C - R")
    return Sheet("categories", "By category, Raw to Canonical", heads, tuple(rows), audit.contract)


def _coverage(audit: Audit) -> Sheet:
    rows = [
        (row.label, f"{row.covered:,}", f"{row.uncovered:,}", around(row.difference)) for row in audit.coverage
    ]
    return Sheet(
        "coverage",
        "Are questions with derived memories easier?",
        ("run", "covered", "others", "Raw on covered - others"),
        tuple(rows),
        audit.contract,
    )


def _sets(audit: Audit) -> Sheet:
    first = audit.sets[0] if audit.sets else None
    sizes = tuple(first.complete) if first else ()
    budgets = tuple(first.within) if first else ()
    rows = [
        (
            row.label,
            row.target,
            *(f"{number(row.complete[size])} / {number(row.hit[size])}" for size in sizes),
            number(row.rank),
            *(percent(row.within[budget]) for budget in budgets),
            number(row.specific),
        )
        for row in audit.sets
    ]
    heads = (
        "run",
        "target",
        *(f"{size} turns: all / any" for size in sizes),
        "rank when complete",
        *(f"in {budget} tokens" for budget in budgets),
        "by specificity",
    )
    return Sheet(
        "sets",
        "Evidence as a set",
        heads,
        tuple(rows),
        f"By specificity: {audit.spec.metrics[0]} with credit divided by the turns that a memory descends from.",
    )


def _answers(audit: Audit) -> Sheet:
    rows = [
        (row.label, row.answers, *(f"{row.n[cell]:,}: {number(row.f1[cell])}" for cell in row.n))
        for row in audit.answers
    ]
    heads = ("run", "answers", "raw only", "canonical only", "both", "neither")
    note = f"Questions: mean token F1, by which target calls the retrieval a hit; {audit.contract}."
    return Sheet("answers", "Table 12: credit beside answers", heads, tuple(rows), note)


def _cards(audit: Audit) -> Sheet:
    rows = [(card.label, *(said or MISSING for said in card.answers)) for card in audit.cards]
    heads = ("run", "transforms?", "unit?", "mapping?", "credit?")
    return Sheet("cards", "Table 14: reporting cards", heads, tuple(rows), "Answered from the frozen record.")
