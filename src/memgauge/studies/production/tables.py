"""The tables of health and drift."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Final

from memgauge.show import Cell, Column, Kind, Table
from memgauge.show.numbers import count, percent
from memgauge.show.table import cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.production.confounders import NewVersion
    from memgauge.studies.production.drift import DriftLine, TrafficAlarm
    from memgauge.studies.production.health import FirstWitness, HealthRow
    from memgauge.studies.production.mix import MixWeek
    from memgauge.studies.production.replaying import RuleSensitivity

_UNITS: Final = {"ms": ", in ms", "days": ", in days"}
"""What stands behind the name of a measure that does not say its unit."""
GROUPS: Final = {
    "capture": "What was recorded",
    "faults": "What should never be returned",
    "service": "Times and failures",
    "lists": "What searches return",
    "scores": "Scores",
    "use": "What answers have of it",
    "lives": "How memories live",
    "repeats": "The same question again",
}
_KINDS: Final = {"share": Kind.SHARE, "ms": Kind.MILLISECONDS, "tokens": Kind.COARSE, "days": Kind.MILLISECONDS}


def groups(rows: Sequence[HealthRow]) -> tuple[Table, ...]:
    """Make a table of every group of measures, in the order of reading."""
    return tuple(
        _group(group, title, [row for row in rows if row.group == group]) for group, title in GROUPS.items()
    )


def _group(group: str, title: str, rows: Sequence[HealthRow]) -> Table:
    has_other = any(row.against is not None for row in rows)
    columns = [
        Column("measure", Kind.PROSE),
        Column("value", means="with the 95 % interval, clustered by scope"),
        *([Column("less the other", means="a difference of means, clustered by scope")] if has_other else []),
        Column("cases", means="of how many it is true"),
        Column("of", Kind.COUNT),
        Column("what is counted", Kind.PROSE, yields=2),
        *([Column("first seen", means="the first operation that it is true of")] if group == "faults" else []),
    ]
    cells: list[tuple[Cell | int | str, ...]] = [
        (
            f"{row.name}{_UNITS.get(row.unit, '')}",
            _value(row),
            *([_difference(row)] if has_other else []),
            Cell("" if row.cases is None else count(row.cases)),
            row.value.n,
            row.of,
            *([_seen(row.first)] if group == "faults" else []),
        )
        for row in rows
    ]
    return Table.of(group, title, columns, cells, _NOTES.get(group, ""))


_NOTES: Final = {
    "faults": "An index may lag: by how long is the curve of graces; what is wrong an hour later is a fault. "
    "None of n: the true share is below 3/n with 95 %.",
    "use": "Traceable is not relevant: an answer may use a memory in other words, or know the same without it.",
    "lives": "Not returned is an upper bound of what is dead, and no fault.",
}


def _value(row: HealthRow) -> Cell:
    if row.bound is not None:
        return Cell("none", f"below {_small(row.bound)}", 0.0, 0.0, row.value.high)
    return cell(row.value, _KINDS.get(row.unit, Kind.NUMBER))


def _small(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.001 else percent(share)


def _difference(row: HealthRow) -> Cell:
    return Cell("") if row.against is None else cell(row.against, Kind.SIGNED)


def _seen(first_witness: FirstWitness | None) -> Cell:
    return Cell("") if first_witness is None else Cell(f"week {first_witness.week}")


def alarm_table(alarms: Sequence[TrafficAlarm]) -> Table:
    """Name every alarm with its weeks, and with what else changed in them."""
    has_beside = any(alarm.beside for alarm in alarms)
    columns = (
        Column("what", Kind.PROSE),
        Column("noticed"),
        Column("began", means="as far as can be told"),
        Column("says", Kind.PROSE),
        *([Column("beside it", Kind.PROSE, means=_BESIDE)] if has_beside else []),
    )
    cells = [
        (
            alarm.name,
            f"week {alarm.week}",
            f"week {alarm.since}",
            alarm.says,
            *(["; ".join(alarm.beside)] if has_beside else []),
        )
        for alarm in alarms
    ]
    return Table.of("alarms", "Alarms", columns, cells)


_BESIDE: Final = "versions that came, and mixes that moved, in these weeks or the one before"


def arrival_table(came: Sequence[NewVersion]) -> Table:
    """Name every version that came while traffic was recorded."""
    columns = (
        Column("what"),
        Column("name", Kind.PROSE),
        Column("came"),
        Column("most of a week", Kind.SHARE, means="of the searches of the week in which it had most of them"),
        Column("last week", Kind.SHARE),
    )
    cells = [(version.what, version.name, f"week {version.week}", version.most, version.share) for version in came]
    return Table.of("came", "Who came", columns, cells)


def sensitivity_table(rules: Sequence[RuleSensitivity], k: int) -> Table:
    """Say what each way of rewording changes."""
    columns = (
        Column("reworded", Kind.PROSE),
        Column(
            f"overlap@{k}", means=f"share of the first {k} that both lists have, with a 95 % interval by scope"
        ),
        Column("rank-biased overlap", means="of both orders, the first places counting most"),
        Column("same first", means="share of pairs whose first memory is the same"),
        Column("pairs", Kind.COUNT),
        Column("such as", Kind.PROSE, yields=2),
    )
    cells: list[tuple[Cell | int | str, ...]] = [
        (rule.rule, *(cell(each, Kind.SHARE) for each in (rule.overlap, rule.ordered, rule.first)), rule.overlap.n,
         rule.example)
        for rule in rules
    ]  # fmt: skip
    return Table.of("rules", "The same in other words", columns, cells)


def line_table(lines: Sequence[DriftLine], weeks: int) -> Table:
    """Follow every charted measure week by week."""
    columns = (
        Column("measure", Kind.PROSE),
        Column("usual", means="in the weeks of the baseline"),
        Column("last week"),
        Column("change", Kind.SIGNED, means="the last week less the baseline, with a 95 % interval by scope"),
        *(Column(f"week {week + 1}", Kind.NUMBER, brief=False, aside=True) for week in range(weeks)),
        Column("why no chart", Kind.PROSE, brief=any(line.chart.chart is None for line in lines)),
    )
    cells = [
        (
            line.chart.name,
            line.usual,
            line.weeks[-1] if weeks else None,
            line.change,
            *line.weeks,
            line.chart.reason,
        )
        for line in lines
    ]
    return Table.of("weeks", "By week", columns, cells)


def mix_table(mixes: Sequence[MixWeek]) -> Table:
    """Say what else changed."""
    moved_share = "share of searches that would have to move for the mix to be the baseline's"
    columns = (
        Column("week", Kind.COUNT),
        Column("searches", Kind.COUNT),
        Column("agents", Kind.SHARE, means=moved_share),
        Column("stores", Kind.SHARE, means=moved_share),
        Column("dialects", Kind.SHARE, means=moved_share),
        Column("services", Kind.SHARE, means=f"{moved_share}, by name and version"),
        Column("models", Kind.SHARE, means=moved_share),
        Column("k", Kind.COARSE),
        Column("repeated", Kind.SHARE, means="queries that their scope had asked before"),
        Column("newcomers", Kind.SHARE, means="searches in scopes that had not searched before that week"),
    )
    return Table.of("mix", "What else changed", columns, [astuple(week) for week in mixes], _MIXED)


_MIXED: Final = "A drift that comes with another mix may be the mix's, and not the memory's."
