"""What a comparison of two runs says, the same on the terminal and in the viewer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.report.words import contract_named
from memgauge.scoring.compare import BETTER, NO_VERDICT, OPEN, WORSE
from memgauge.show import Cell, Column, Document, Kind, Note, Table, embedded
from memgauge.show.numbers import UNDEFINED, plural, signed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.scoring.compare import Comparison, Difference
    from memgauge.show import Block

_MEANING = (
    "In brackets: paired 95 % intervals over conversations; over questions: percentile bootstrap, where questions "
    "are independent. Detectable: a true difference that gets a verdict with a chance of 80 %."
)


def p_value(value: float | None) -> str:
    """Write a p-value."""
    return "undefined" if value is None else "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def around(low: float | None, high: float | None) -> str:
    """Write the interval of a difference, or nothing."""
    return "" if low is None or high is None else f"[{low:+.3f}, {high:+.3f}]"


def verdict_sentence(first: Difference, a: str, b: str) -> str:
    """Say what was shown of one measure."""
    shown = {
        BETTER: f"{b} is better than {a} on {first.measure}",
        WORSE: f"{b} is worse than {a} on {first.measure}",
        OPEN: f"{b} and {a} are not told apart on {first.measure}",
        NO_VERDICT: f"Nothing can be said of {b} beside {a} on {first.measure}, because {first.reason}",
    }.get(first.verdict, f"{b} and {a} are {first.verdict} on {first.measure}")
    ends = around(first.low, first.high)
    return f"{shown}: {first.difference:+.3f}{f' {ends}' if ends else ''} over {first.n:,} shared questions."


def notes(made: Comparison) -> Iterator[str]:
    """Yield what a reader has to know of tests, power and equality."""
    if made.unpaired:
        yield f"{plural(made.unpaired, 'question')} scored on one side only and left out."
    first = made.differences[0]
    if first.clusters < 2:
        yield f"No interval and no test: {first.reason}."
        return
    yield (
        f"Intervals and tests are over {plural(first.clusters, 'conversation')}, paired by question "
        f"({first.test}); p after Holm over {plural(len(made.differences), 'measure')}, intervals of each alone."
    )
    if first.minimum_detectable is None:
        yield f"What would have been seen is unknown: {first.reason}."
    else:
        yield (
            f"A true difference of {first.minimum_detectable:.3f} in {first.measure} would get a verdict with a "
            "chance of 80 %."
        )
    if made.margin is not None:
        yield f"Equal within {made.margin:g}: larger differences either way are rejected at 5 %, after Holm."
    elif any(difference.verdict == OPEN for difference in made.differences):
        yield "Not told apart is not equal: that is tested within a margin, as in --equivalent 0.02."


def document(made: Comparison, *, blocks: tuple[Block, ...] = ()) -> Document:
    """Say everything that a comparison of two runs holds.

    Args:
        made: The comparison.
        blocks: What is shown below its differences.
    """
    return Document(
        title=f"{made.b} beside {made.a}",
        lead=verdict_sentence(made.differences[0], made.a, made.b),
        blocks=(differences(made), *blocks),
        notes=tuple(map(Note, notes(made))),
        identity={"contract": made.contract},
        data=made,
    )


def documents(comparisons: Sequence[Comparison]) -> Document:
    """Say what several comparisons hold, a section each; of one, a document alone."""
    each = [document(made) for made in comparisons]
    if len(each) == 1:
        return replace(each[0], data=list(comparisons))
    sections = tuple(embedded(shown, f"comparison-{place}") for place, shown in enumerate(each, 1))
    return Document(title="", blocks=sections, data=list(comparisons))


def differences(made: Comparison) -> Table:
    """Return what differs by how much, measure by measure."""
    wild = any(difference.p_wild is not None for difference in made.differences)
    columns = (
        Column("measure", Kind.TEXT),
        Column(made.a, Kind.NUMBER),
        Column(made.b if made.b != made.a else f"{made.b} (b)", Kind.NUMBER),
        Column("difference", Kind.SIGNED),
        Column("over questions", Kind.SIGNED, yields=9),
        Column("n", Kind.COUNT, yields=4),
        Column("gains / losses", Kind.COUNT, yields=7),
        *([Column("p (CR2)", Kind.NUMBER, yields=3), Column("p (wild)", Kind.NUMBER, yields=2)] if wild else []),
        Column("p (Holm)", Kind.NUMBER, yields=1),
        Column("detectable", Kind.NUMBER, yields=8),
        Column("verdict", Kind.TEXT),
    )
    rows = [
        (
            difference.measure,
            difference.a,
            difference.b,
            _estimate(difference),
            Cell(around(difference.question_low, difference.question_high) or UNDEFINED),
            difference.n,
            Cell(f"{difference.wins:,} / {difference.losses:,}"),
            *([_p(difference.p), _p(difference.p_wild)] if wild else []),
            _p(difference.p_adjusted, difference.reason),
            difference.minimum_detectable,
            Cell(difference.verdict, mark="" if difference.verdict in {OPEN, NO_VERDICT} else "told"),
        )
        for difference in made.differences
    ]
    table = Table.of("differences", "Differences", columns, rows, f"contract {made.contract}.\n{_MEANING}")
    return replace(table, short=f"{contract_named(made.contract)}\n{_MEANING}")


def _estimate(difference: Difference) -> Cell:
    low, high = difference.low, difference.high
    return Cell(signed(difference.difference), around(low, high), difference.difference, low, high)


def _p(value: float | None, reason: str = "") -> Cell:
    return Cell(p_value(value), reason if value is None else "", value)
