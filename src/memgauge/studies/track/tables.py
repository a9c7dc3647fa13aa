"""The document's tables over methods of ours: 1, 3, 4, 5 and 6, then two that it has no number for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Kind, Table
from memgauge.show.numbers import number
from memgauge.studies.track.scoring.patterns import COUNTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.show import Value
    from memgauge.studies.track.scoring.method import MethodScores
    from memgauge.studies.track.scoring.scored import TrackScores
    from memgauge.studies.track.timeline.statistics import InstanceStatistic


def tables(scores: TrackScores) -> tuple[Table, ...]:
    """Return every table that has a row, in the document's order."""
    methods = [run.method for run in scores.runs]
    all_tables = (
        timelines(scores.statistics),
        _overall(methods),
        _follow_up(methods),
        _success(methods),
        _spread(methods),
        _evidence(methods),
        _patterns(methods),
    )
    return tuple(table for table in all_tables if table.rows)


def timelines(statistics: Sequence[InstanceStatistic]) -> Table:
    """Table 1: what the timelines are."""
    return Table.of(
        "timelines",
        "Table 1. The timelines",
        ("statistic", *_numbers("mean", "max")),
        [(column.name, _amount(column.mean), _amount(column.largest)) for column in statistics],
        "Over instances; entropy in bits. Heterophily: share of events that are followed by one of another "
        "platform.",
    )


def _overall(methods: Sequence[MethodScores]) -> Table:
    names = ("correctness", "strict", "efficiency", "redundancy", "redundancy_paper", "tc")
    return Table.of(
        "overall",
        "Table 3. Overall",
        (
            "method",
            *_numbers("correct", "strict", "efficiency", "redundancy"),
            Column("redundancy, judged", Kind.NUMBER, yields=3),
            Column("TC mean", Kind.NUMBER),
            Column("TC max", Kind.NUMBER, yields=2),
            Column("H(TC) bits", Kind.NUMBER, yields=1),
        ),
        [
            (method.label, *(_mean(method, name) for name in names), method.tc_max, _mean(method, "entropy"))
            for method in methods
        ],
        "Redundancy is counted from what results revealed; the judged column is the document's way. TC counts "
        "calls to the environment, without those to a memory.",
    )


def _follow_up(methods: Sequence[MethodScores]) -> Table:
    names = ("correctness", "follow_up", "follow_up_drop")
    return Table.of(
        "follow-up",
        "Table 4. Follow-up questions",
        ("method", *_numbers("overall", "follow-up", "drop")),
        [(method.label, *(_mean(method, name) for name in names)) for method in methods],
        "Follow-up: from the second question of an instance on. The drop is over instances that have one.",
    )


def _success(methods: Sequence[MethodScores]) -> Table:
    return Table.of(
        "success",
        "Table 5. Calls that worked",
        ("method", *_numbers("mean", "median", "min")),
        [
            (method.label, _mean(method, "success_rate"), method.success_median, method.success_min)
            for method in methods
        ],
        "Over instances. A shell command that ran counts as a call that worked, whatever its exit code.",
    )


def _spread(methods: Sequence[MethodScores]) -> Table:
    return Table.of(
        "spread",
        "Table 6. Spread of correctness",
        ("method", Column("repeats", Kind.COUNT), *_numbers("sd of runs", "mean sd of instances")),
        [
            (method.label, method.deviation.repeats, method.deviation.of_runs, method.deviation.of_instances)
            for method in methods
        ],
        "Undefined with one repeat.",
    )


def _evidence(methods: Sequence[MethodScores]) -> Table:
    """Show what was seen: the measures that the document lacks."""
    names = (
        "event_coverage",
        "evidence_coverage",
        "evidence_seen_before",
        "reread_rate",
        "efficiency_per_question",
    )
    heads = ("events seen", "evidence seen", "before the answer", "re-read", "efficiency a question")
    return Table.of(
        "seen",
        "What was seen",
        ("method", *_numbers(*heads)),
        [(method.label, *(_mean(method, name) for name in names)) for method in methods],
        "Evidence where the instance names it.",
    )


def _patterns(methods: Sequence[MethodScores]) -> Table:
    """Show the three patterns of section 5.2.2."""
    heads = ("general to specific", "after an interlude", "widening", "of these overdone")
    return Table.of(
        "patterns",
        "Fetched again",
        ("method", *(Column(head, Kind.COUNT) for head in heads)),
        [(method.label, *(method.patterns[name] for name in COUNTED)) for method in methods],
        "Occurrences over all instances and repeats.",
    )


def _numbers(*heads: str) -> tuple[Column, ...]:
    return tuple(Column(head, Kind.NUMBER) for head in heads)


def _mean(method: MethodScores, name: str) -> Cell | Value:
    """Show a mean; its interval over histories, for which columns have no room, is exported."""
    interval = method.scores.get(name)
    if interval is None or interval.mean is None:
        return None
    return Cell(number(interval.mean), "", interval.mean, interval.low, interval.high)


def _amount(value: float) -> Cell:
    return Cell(f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3f}", value=value)


def histories_counted(count: int) -> str:
    """Count distinct histories in words."""
    return f"{count:,} different {'history' if count == 1 else 'histories'}"
