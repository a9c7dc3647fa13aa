"""The tables of the quality study: what was measured beside what was published."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Kind, Table
from memgauge.show.numbers import listed
from memgauge.show.table import cell
from memgauge.stats import Interval
from memgauge.studies.quality.published import TABLE
from memgauge.studies.quality.study import HOLDS, OPEN, PUBLISHED_AS, REVERSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.scoring.board import Score
    from memgauge.show import Value
    from memgauge.studies.quality.published import FigureDoubt
    from memgauge.studies.quality.study import Quality, SystemQuality

MORE = (
    "Recall@5",
    "Complete@10",
    "Precision(conv=cap)@5",
    "Temporal(strict)@5",
    "Contaminated@5",
    "Omitted@5",
    "AsOf@5",
    "StaleShare@5",
    "AnyContradiction",
    "Contradiction@5",
    "AnyContradiction@5",
    "Unresolved@5",
    "SilentRightly",
    "SilentWrongly",
)
"""Measures beyond the document's five columns, in the order in which they are shown."""


def main(quality: Quality) -> Table:
    """Return the document's table, measured."""
    return Table.of(
        "quality",
        "The document's table, measured",
        ("system", *(Column(column, Kind.NUMBER, yields=n) for n, column in enumerate(PUBLISHED_AS))),
        [(row.name, *(_measured(row, column) for column in PUBLISHED_AS)) for row in quality.rows],
        "In brackets: 95 % interval over conversations. In parentheses: published. Temporal accuracy: what holds "
        "is there, and before what does not. Contradiction rate: functional slots with two values at once, of all "
        "that are expressed in what is shown; lower is better.",
        stacks=True,
    )


def more(quality: Quality) -> Table:
    """Return every other measure, one a line."""
    rows: list[tuple[Cell | Value, ...]] = []
    for measure in MORE:
        scores = [row.scores[measure] for row in quality.rows]
        rows.append((measure, *map(_value, scores), scores[0].denominator.scored))
    columns = (Column(row.name, Kind.NUMBER, yields=1 + place) for place, row in enumerate(quality.rows))
    return Table.of(
        "more",
        "Every other measure",
        ("measure", *columns, Column("n", Kind.COUNT)),
        rows,
        "n: questions that the measure is defined on. In brackets: 95 % interval over conversations.",
        brief=False,
        stacks=True,
    )


def orders(quality: Quality) -> Table:
    """Return column by column how far the document's order of systems holds."""
    rows = []
    for column in PUBLISHED_AS:
        counts = quality.order(column)
        if sum(counts.values()):
            verdicts = (counts[HOLDS], counts[REVERSED], counts[OPEN])
            rows.append((column, sum(verdicts), *verdicts, "; ".join(_reversed(quality, column))))
    count_columns = (Column(head, Kind.COUNT) for head in ("pairs", HOLDS, REVERSED, OPEN))
    return Table.of(
        "orders",
        "Does the document's order of systems hold?",
        ("column", *count_columns, Column("reversed are", Kind.PROSE)),
        rows,
        "Pairs of the document's systems, compared over conversations; Holm corrects within a column.",
    )


def pairs(quality: Quality) -> Table:
    """Return every pair of the document's systems on every column."""
    return Table.of(
        "pairs",
        "Pair by pair",
        ("column", "claimed lower", "claimed higher", Column("higher - lower", Kind.SIGNED), "verdict"),
        [
            (
                order.column,
                order.lower,
                order.higher,
                Interval(
                    order.difference.difference, order.difference.low, order.difference.high, order.difference.n
                ),
                order.verdict,
            )
            for order in quality.orders
        ],
        "95 % intervals over conversations, paired by question; the verdict is Holm's.",
        brief=False,
    )


def doubts(doubted: Sequence[FigureDoubt]) -> Table:
    """Return what cannot be reproduced and why, one line for each column and verdict."""
    columns: dict[tuple[str, str], list[FigureDoubt]] = {}
    for doubt in doubted:
        columns.setdefault((doubt.column, doubt.verdict), []).append(doubt)
    return Table.of(
        "doubts",
        "What cannot be reproduced",
        (
            "column",
            Column("systems", Kind.PROSE),
            "published",
            Column("bound", Kind.COARSE),
            "verdict",
            Column("why", Kind.PROSE),
        ),
        [
            (
                column,
                listed([doubt.system for doubt in alike]) if len(alike) < len(TABLE) else "all six",
                Cell(" to ".join(f"{value:.2f}" for value in sorted({alike[0].published, alike[-1].published}))),
                Cell("") if alike[0].bound is None else cell(alike[0].bound, Kind.COARSE),
                verdict,
                alike[-1].why,
            )
            for (column, verdict), alike in columns.items()
        ],
        "Bound: the most, or the least, that the document's own definitions allow on its own suite.",
    )


def measured_runs(quality: Quality) -> Table:
    """Return which memory system and which run each row is."""
    return Table.of(
        "runs",
        "What was measured",
        ("system", *Column.each(Kind.PROSE, "memory system", "run")),
        [(row.name, row.system, row.run) for row in quality.rows],
        brief=False,
    )


def _measured(row: SystemQuality, column: str) -> Cell:
    published_value = row.published.get(column)
    in_parentheses = "" if published_value is None else f"({published_value:.2f})"
    return replace(_value(row.scores[PUBLISHED_AS[column]]), beside=in_parentheses)


def _value(score: Score) -> Cell:
    """Show a score with its interval; one conversation alone has none."""
    return cell(Interval(score.value, score.low, score.high, score.denominator.scored, score.reason), Kind.NUMBER)


def _reversed(quality: Quality, column: str) -> Iterator[str]:
    for order in quality.orders:
        if order.column == column and order.verdict == REVERSED:
            yield f"{order.lower} over {order.higher}"
