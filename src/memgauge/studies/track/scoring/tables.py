"""The document's tables over methods of ours: 3, 4, 5 and 6, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.track.scoring.method import MethodScores
    from memgauge.studies.track.timeline.statistics import InstanceStatistic

Cell = float | str | None
"""A number, a name, or nothing where a measure is undefined."""


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """One table, ready to be written in any format."""

    number: int
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


def tables(
    methods: Sequence[MethodScores], statistics: Sequence[InstanceStatistic] = ()
) -> tuple[ScoreTable, ...]:
    """Return tables 1, 3, 4, 5 and 6, then two that the document has no number for."""
    return (
        dataset(statistics),
        overall(methods),
        follow_up(methods),
        success(methods),
        spread(methods),
        evidence(methods),
        patterns(methods),
    )


def dataset(statistics: Sequence[InstanceStatistic]) -> ScoreTable:
    """Table 1: what the timelines are."""
    rows = tuple((column.name, column.mean, column.largest) for column in statistics)
    return ScoreTable(1, "The timelines", ("statistic", "mean", "max"), rows, "Over instances; entropy in bits.")


def overall(methods: Sequence[MethodScores]) -> ScoreTable:
    """Table 3: correctness, efficiency, redundancy, calls and their entropy."""
    names = ("correctness", "strict", "efficiency", "redundancy", "redundancy_paper", "tc")
    rows = tuple(
        (one.label, *(_mean(one, name) for name in names), one.tc_max, _mean(one, "entropy")) for one in methods
    )
    heads = (
        "method",
        "correct",
        "strict",
        "efficiency",
        "redundancy",
        "redundancy, judged",
        "TC mean",
        "TC max",
        "H(TC) bits",
    )
    note = (
        "Redundancy is counted from what results revealed; the judged column is the document's way. "
        "TC counts calls to the environment, without those to a memory."
    )
    return ScoreTable(3, "Overall", heads, rows, note)


def follow_up(methods: Sequence[MethodScores]) -> ScoreTable:
    """Table 4: what follow-up questions cost."""
    rows = tuple(
        (one.label, _mean(one, "correctness"), _mean(one, "follow_up"), _mean(one, "follow_up_drop"))
        for one in methods
    )
    note = "Follow-up: from the second question of an instance on. The drop is over instances that have one."
    return ScoreTable(4, "Follow-up questions", ("method", "overall", "follow-up", "drop"), rows, note)


def success(methods: Sequence[MethodScores]) -> ScoreTable:
    """Table 5: calls that worked."""
    rows = tuple((one.label, _mean(one, "success_rate"), one.success_median, one.success_min) for one in methods)
    note = "Over instances. A shell command that ran counts as a call that worked, whatever its exit code."
    return ScoreTable(5, "Calls that worked", ("method", "mean", "median", "min"), rows, note)


def spread(methods: Sequence[MethodScores]) -> ScoreTable:
    """Table 6: how much correctness differs between repeats."""
    rows = tuple(
        (one.label, float(one.deviation.repeats), one.deviation.of_runs, one.deviation.of_instances)
        for one in methods
    )
    heads = ("method", "repeats", "sd of runs", "mean sd of instances")
    return ScoreTable(6, "Spread of correctness", heads, rows, "Empty with one repeat.")


def evidence(methods: Sequence[MethodScores]) -> ScoreTable:
    """What was seen: the measures that the document lacks."""
    names = (
        "event_coverage",
        "evidence_coverage",
        "evidence_seen_before",
        "reread_rate",
        "efficiency_per_question",
    )
    rows = tuple((one.label, *(_mean(one, name) for name in names)) for one in methods)
    heads = ("method", "events seen", "evidence seen", "before the answer", "re-read", "efficiency a question")
    return ScoreTable(0, "What was seen", heads, rows, "Evidence where the instance names it.")


def patterns(methods: Sequence[MethodScores]) -> ScoreTable:
    """The three patterns of section 5.2.2."""
    names = ("general_to_specific", "after_interlude", "widening", "overdone")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (one.label, *(float(one.patterns[name]) for name in names)) for one in methods
    )
    heads = ("method", "general to specific", "after an interlude", "widening", "of these overdone")
    return ScoreTable(0, "Fetched again", heads, rows, "Occurrences over all instances and repeats.")


def _mean(one: MethodScores, name: str) -> float | None:
    found = one.scores.get(name)
    return found.mean if found is not None else None
