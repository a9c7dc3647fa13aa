"""What a comparison of two runs says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Column, Document, Kind, Table
from memgauge.show.numbers import listed, plural
from memgauge.studies.track.kinds import COMPARISON
from memgauge.studies.track.tables import histories_counted
from memgauge.version import __version__

if TYPE_CHECKING:
    from memgauge.studies.track.scoring.compare import RunComparison

LEVEL = 0.05
"""A difference below it, after Holm, is said to be one."""


def comparison_document(comparison: RunComparison) -> Document:
    """Say whether two runs over the same instances differ."""
    return Document(
        title="Track comparison",
        lead=_told_apart(comparison),
        facts=(f"First: {comparison.first}. Second: {comparison.second}.",),
        blocks=(_differences(comparison),),
        origin="what was played",
        identity={"first": comparison.first, "second": comparison.second, "memgauge": __version__},
        data=COMPARISON.of(comparison),
    )


def _told_apart(comparison: RunComparison) -> str:
    apart = [
        _spoken(difference.measure)
        for difference in comparison.differences
        if difference.p_adjusted is not None and difference.p_adjusted < LEVEL
    ]
    over = f"over {histories_counted(comparison.histories)}"
    if comparison.histories < 2 or all(difference.p_adjusted is None for difference in comparison.differences):
        return f"Whether the two runs differ cannot be tested {over}."
    if not apart:
        return f"No measure tells the two runs apart, {over}{_uncorrected(comparison)}."
    return f"The two runs differ in {listed(apart)}, {over} and after Holm over all measures."


def _uncorrected(comparison: RunComparison) -> str:
    """Name the measures whose intervals, each of it alone, leave out 0 although Holm tells nothing apart."""
    alone = [
        _spoken(difference.measure)
        for difference in comparison.differences
        if difference.p is not None and difference.p < LEVEL and not difference.same_as
    ]
    tests = plural(comparison.tests, "measure")
    return f" and after Holm over {tests}; {listed(alone)} would if nothing else were tested" if alone else ""


def _copies(comparison: RunComparison) -> str:
    """Say which measures are one test with another."""
    copies = [
        f"{_spoken(difference.measure)} has the values of {_spoken(difference.same_as)}"
        for difference in comparison.differences
        if difference.same_as
    ]
    return f" In both runs {listed(copies)}: Holm counts them once." if copies else ""


def _spoken(measure: str) -> str:
    return measure.replace("_", " ")


def _differences(comparison: RunComparison) -> Table:
    return Table.of(
        "differences",
        "The second beside the first",
        (
            "measure",
            *Column.each(Kind.NUMBER, "first", "second"),
            Column("second - first", Kind.SIGNED),
            Column("n", Kind.COUNT),
            *Column.each(Kind.NUMBER, "p", "p, Holm"),
        ),
        [
            (
                difference.measure,
                difference.first,
                difference.second,
                difference.difference,
                difference.difference.n,
                difference.p,
                difference.p_adjusted,
            )
            for difference in comparison.differences
        ],
        f"Paired over instances. 95 % intervals and tests are over {histories_counted(comparison.histories)}: "
        f"instances that share one are no independent samples.{_copies(comparison)}",
    )
