"""The tables of a measured model: effective lengths, positional profiles, two scorers, and what curves show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Kind, Table
from memgauge.show.table import cell
from memgauge.studies.context.effective import LEAST_BASE, OWN, LengthRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.show import Value
    from memgauge.stats.intervals import Interval
    from memgauge.studies.context.effective import Effective
    from memgauge.studies.context.profile import Profile
    from memgauge.studies.context.study import ModelStudy

_TOKENS = Column("tokens", Kind.COUNT)
_N = Column("n", Kind.COUNT)
_PENALTY = (
    "Penalty: both edges minus middle, sample by sample; primacy: start minus middle; recency: end minus middle. "
    "95 % intervals over samples."
)


def tables(study: ModelStudy) -> tuple[Table, ...]:
    """Return every table that has a row, in the order of reading."""
    all_tables = (_effective(study), _profiles(study), _matchers(study), _lengths(study), _depths(study))
    return tuple(table for table in all_tables if table.rows)


def _effective(study: ModelStudy) -> Table:
    """Show the effective context of every task under every rule that was asked enough for."""
    absolute = study.effective[0].threshold if study.effective else 0.0
    own_rules = (
        (LengthRule.BOUND,) if study.adaptive else (LengthRule.BOUND, LengthRule.FIRST, LengthRule.PUBLISHED)
    )
    other_rules = () if study.adaptive else (LengthRule.BOUND, LengthRule.PUBLISHED)
    base = f"Threshold: {OWN} of the own base, that is of the accuracy at {study.grid.lengths[0]:,} tokens"
    rules = (
        f"{base}. The other rules, and the absolute {absolute:.3f}, need a full grid (--every)."
        if study.adaptive
        else f"{base}, then the absolute {absolute:.3f}. Go by the lower bound: on simulated models, the other "
        "rules claim too much in about a third of cases."
    )
    return Table.of(
        "effective",
        "Effective context",
        (
            "task",
            Column("type", yields=1),
            Column("base", Kind.NUMBER),
            *(Column(str(rule), Kind.COUNT) for rule in own_rules),
            *(
                Column(f"{rule}, {absolute:.3f}", Kind.COUNT, yields=place)
                for place, rule in enumerate(other_rules, 2)
            ),
        ),
        [
            (length.task, length.type, length.base, *_by_rule(length, own_rules, other_rules))
            for length in study.effective
        ],
        f"In tokens, counted by {study.grid.counter}. {rules} A base below {LEAST_BASE} measures nothing. "
        "≥: the longest length passes; <: not even the shortest does.",
    )


def _by_rule(
    length: Effective, own_rules: Sequence[LengthRule], other_rules: Sequence[LengthRule]
) -> Iterator[Cell]:
    own_cells = {rule_length.rule: str(rule_length) for rule_length in length.own}
    absolute_cells = {rule_length.rule: str(rule_length) for rule_length in length.absolute}
    if length.reason:
        own_cells[own_rules[0]] = length.told
    yield from (Cell(own_cells.get(rule, "")) for rule in own_rules)
    yield from (Cell(absolute_cells.get(rule, "")) for rule in other_rules)


def _profiles(study: ModelStudy) -> Table:
    """Show penalty, primacy, recency and the worst depth; no row where no depths were asked for."""
    profiles = [profile for task in study.tasks for profile in task.profiles]
    warnings = dict.fromkeys(profile.warning for profile in profiles if profile.warning)
    return Table.of(
        "profile",
        "Positional profile",
        (
            "task",
            _TOKENS,
            Column("penalty", Kind.SIGNED),
            Column("primacy", Kind.SIGNED, yields=2),
            Column("recency", Kind.SIGNED, yields=2),
            Column("worst depth", Kind.SHARE, yields=1),
            _N,
        ),
        [
            (
                profile.task,
                profile.length,
                _penalty(profile),
                profile.primacy,
                profile.recency,
                profile.worst,
                profile.least,
            )
            for profile in profiles
        ],
        " ".join((_PENALTY, *(f"(!) {warning}." for warning in warnings))),
    )


def _penalty(profile: Profile) -> Cell:
    """Mark a penalty that stands on few answers; the note says what the mark means."""
    return replace(cell(profile.penalty, Kind.SIGNED), badges=("!",) if profile.warning else ())


def _matchers(study: ModelStudy) -> Table:
    """Show our score beside the published one, task by task."""
    return Table.of(
        "matchers",
        "The same answers under two scorers",
        (
            "task",
            Column("type", yields=2),
            Column("overlap", Kind.NUMBER, yields=1),
            *Column.each(Kind.NUMBER, "set F1, dumps are 0", "string match all"),
            *Column.each(Kind.COUNT, "dumps", "failed"),
        ),
        [
            (task.task, task.type, task.overlap, _mean(task.f1), _mean(task.published), task.dumped, task.failed)
            for task in study.tasks
        ],
        "Overlap: share of the question's content words that the evidence shares. String match all is RULER's: "
        "whoever echoes the whole text is right.",
    )


def _mean(values: Sequence[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None


def _lengths(study: ModelStudy) -> Table:
    return Table.of(
        "lengths",
        "Right answers by length",
        (
            "task",
            _TOKENS,
            Column("right", Kind.COUNT),
            _N,
            *Column.each(Kind.NUMBER, "accuracy", "lower bound", "set F1", "string match"),
        ),
        [
            (task.task, count.length, count.right, count.n, count.interval, count.lower, f1, published)
            for task in study.tasks
            for count, f1, published in zip(task.counts, task.f1, task.published, strict=True)
        ],
        "One answer a sample, its depth by turns, so that answers are independent. Accuracy with its 95 % "
        "interval; lower bound: one-sided, 95 %.",
        brief=False,
    )


def _depths(study: ModelStudy) -> Table:
    rows: list[tuple[Interval | Value, ...]] = [
        (task.task, profile.length, point.depth, point.score, point.score.n)
        for task in study.tasks
        for profile in task.profiles
        for point in profile.points
    ]
    return Table.of(
        "depths",
        "Accuracy by depth",
        ("task", _TOKENS, Column("depth", Kind.SHARE), Column("accuracy", Kind.NUMBER), _N),
        rows,
        "Share of right answers where the evidence stands after that share of the context, 95 % intervals over "
        "samples.",
        brief=False,
    )
