"""The tables of the shift study: columns, rows of values, and what they mean."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Kind, Table
from memgauge.show.numbers import UNDEFINED, listed
from memgauge.show.table import cell
from memgauge.studies.shift import words
from memgauge.studies.shift.knobs import knobs
from memgauge.studies.shift.protocol.spec import PRESETS
from memgauge.studies.shift.published import in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.show import Value
    from memgauge.stats import Interval
    from memgauge.studies.shift.findings.answering import AnswerCheck
    from memgauge.studies.shift.findings.result import Gap, RankRow, ShiftResult
    from memgauge.studies.shift.findings.sensitivity import DefinitionResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec
    from memgauge.studies.shift.report import ShiftReport

TIMES = "What a burst costs, and when it is over"
UNORDERED = "the policies cannot be ordered"


def scores(report: ShiftReport) -> Table:
    """Return Table 1: overall on the clean stream, and after every burst length."""
    spec = report.spec
    values = [(row.overall, *(row.recovery[m] for m in spec.bursts)) for row in report.result.rows]
    best_values = [_highest(column) for column in zip(*values, strict=True)]
    rows: list[tuple[Cell | Value, ...]] = []
    for row, row_values in zip(report.result.rows, values, strict=True):
        published_values = (
            words.published_overall(row.policy),
            *(words.published_recovery(row.policy, m) for m in spec.bursts),
        )
        cells = (
            words.score(value, published_value if report.like_published else None)
            for value, published_value in zip(row_values, published_values, strict=True)
        )
        rows.append((row.policy, *map(_lifted, cells, best_values)))
    recovery = (
        Column(f"Recovery@{spec.horizon}, m={m}", Kind.NUMBER, yields=0 if m == report.result.told else 1 + place)
        for place, m in enumerate(spec.bursts)
    )
    return Table.of(
        "scores",
        "Table 1: overall and after a shift",
        ("policy", Column(f"Hit@{spec.k} overall", Kind.NUMBER), *recovery),
        rows,
        f"Overall is on the clean stream. {_printed(report.like_published)} Bold: the best of its column.",
        stacks=True,
    )


def conversations(report: ShiftReport) -> Table:
    """Return what Table 1 does not say: other units, and overall on the interrupted stream."""
    spec = report.spec
    heads = (
        *(f"Recovery@{spec.horizon}, m={m}, over questions" for m in spec.bursts),
        *(f"Recovery@{spec.horizon}, m={m}, mean of segments" for m in spec.bursts),
        *(f"Hit@{spec.k} overall, stream with m={m}" for m in spec.bursts if m),
    )
    return Table.of(
        "conversations",
        "Over questions, by segment, and overall on the interrupted stream",
        ("policy", *(Column(head, Kind.NUMBER, yields=1 + place) for place, head in enumerate(heads))),
        [
            (
                row.policy,
                *(words.score(row.recovery_over_questions[m]) for m in spec.bursts),
                *(words.score(row.per_segment[m]) for m in spec.bursts),
                *(row.polluted[m] for m in spec.bursts if m),
            )
            for row in report.result.rows
        ],
        "In brackets: over questions the 95 % interval over questions, as in the paper; else over conversations.",
        brief=False,
        stacks=True,
    )


def ranks(report: ShiftReport) -> Table:
    """Return Table 5 of the policies that the paper orders."""
    is_ordered = report.like_published and words.ordered_as_published(report.result)
    spec = report.spec
    note = (
        f"Ordered are {listed(report.result.ranked)}. rho: Spearman's rank correlation of Recovery@{spec.horizon} "
        f"with overall Hit@{spec.k} on the clean stream, or on the same interrupted one. Inversion: share of "
        "pairs of policies that change their order. Beyond noise: pairs that are not told apart over "
        "conversations count as ties. Drop: from m=0. In brackets: for means over conversations their 95 % "
        "interval, for one order of all the middle 95 % of resampled conversations, which is a spread and no "
        "confidence interval. "
        f"{_parenthesis(is_ordered)}"
    ).rstrip()
    return _ranks("ranks", "Table 5: does the order survive?", report.result.ranks, note, published=is_ordered)


def ranks_of_all(report: ShiftReport) -> Table:
    """Return Table 5 of all policies, where more were played than the paper orders."""
    return _ranks("ranks-of-all", "Table 5 of all policies", report.result.ranks_of_all, "As above.")


def _ranks(key: str, title: str, rows: Sequence[RankRow], note: str, *, published: bool = False) -> Table:
    heads = (
        ("inversion", 0),
        ("rho", 0),
        ("inversion beyond noise", 4),
        ("rho on the same stream", 3),
        ("rho by conversation on the same stream", 1),
        ("drop on the same stream", 2),
        ("rho beyond noise", 7),
        ("rho by conversation on the clean stream", 6),
        ("drop on the clean stream", 5),
    )
    columns = (Column(head, Kind.COARSE, yields=yields) for head, yields in heads)
    cells: list[tuple[Cell | Value, ...]] = [(row.burst, *_agreements(row, published=published)) for row in rows]
    return Table.of(key, title, (Column("m", Kind.COUNT), *columns), cells, note, stacks=True)


def _agreements(row: RankRow, *, published: bool) -> Iterator[Cell]:
    inversion, rho = words.published_ranks(row.burst) if published else (None, None)
    yield words.rank(row.inversion_spread, inversion)
    yield words.rank(row.rho_spread, rho)
    yield words.rank(row.inversion_beyond_noise)
    yield words.rank(row.rho_same_stream)
    yield words.rank(row.rho_by_conversation)
    yield words.rank(row.delta_rho)
    yield words.rank(row.rho_beyond_noise)
    yield words.rank(row.rho_by_conversation_clean)
    yield words.rank(row.delta_rho_clean)


def gaps(report: ShiftReport) -> Table:
    """Return every pair of policies under the burst that is told."""
    result = report.result
    heads = (Column("over conversations", Kind.SIGNED), Column("over questions", Kind.SIGNED, yields=1))
    return Table.of(
        "gap-table",
        "Gaps",
        ("pair", *heads, "holds over conversations"),
        [(f"{gap.a} - {gap.b}", *_gap(gap)) for gap in result.gaps],
        f"Recovery@{report.spec.horizon} {words.after(result.told)}, the first policy less the second, with 95 % "
        "intervals. Bold: told from 0 over conversations, after Holm over all pairs.",
        brief=False,
    )


def _gap(gap: Gap) -> tuple[Cell, Cell, Cell]:
    over_conversations = words.difference(gap.over_conversations)
    if words.holds(gap):
        return (
            replace(over_conversations, mark="value"),
            words.difference(gap.over_questions),
            Cell("yes", mark="value"),
        )
    unbounded = "no interval" if gap.p_adjusted is None else f"no interval; p = {gap.p_adjusted:.2g}"
    reason = unbounded if gap.over_conversations.low is None else "not told from 0"
    return over_conversations, words.difference(gap.over_questions), Cell("no", reason)


def times(report: ShiftReport) -> Table:
    """Return what a burst costs, and when it is over."""
    bursts = [m for m in report.spec.bursts if m]
    heads = [
        column
        for place, m in enumerate(bursts)
        for column in (
            Column(f"deficit, m={m}", Kind.COARSE, yields=place),
            Column(f"back at, m={m}", Kind.PROSE, yields=place),
        )
    ]
    return Table.of(
        "times",
        TIMES,
        ("policy", *heads),
        [
            (row.policy, *(each for m in bursts for each in (words.deficit(row, m), words.back(row, m))))
            for row in report.result.rows
        ],
        "Deficit: area between the clean and the interrupted curve of Figure 2, in hits summed over T. Back at: "
        "the first T at which the interrupted curve is near its clean level; in brackets the middle 95 % of "
        "resampled conversations, which is a spread and no confidence interval.",
        brief=False,
        stacks=True,
    )


def answers(check: AnswerCheck) -> Table:
    """Return what an answerer made of what each policy found."""
    numbers = (Column(head, Kind.NUMBER) for head in ("hits", "exact match", "token F1"))
    return Table.of(
        "answer-table",
        "Answers",
        ("policy", Column("m", Kind.COUNT), *numbers),
        [(row.policy, row.burst, row.recovery, words.score(row.exact), words.score(row.f1)) for row in check.rows],
        "The same questions for every policy. In brackets: 95 % interval over conversations.",
    )


def routes(result: ShiftResult) -> Table:
    """Return what routers chose and lost."""
    regrets = (
        Column("regret, fixed arm", Kind.SIGNED, means="against the best fixed arm"),
        Column(
            "regret, best arm each time", Kind.SIGNED, means="against the best arm for each question", yields=1
        ),
    )
    return Table.of(
        "routes",
        "What routers chose, and what learning cost",
        ("router", Column("m", Kind.COUNT), Column("chosen", Kind.PROSE, yields=2), "best arm", *regrets),
        [
            (
                route.policy,
                route.burst,
                words.chosen(route),
                route.best or "unknown",
                words.difference(route.regret_fixed),
                words.difference(route.regret_oracle),
            )
            for route in result.routes
        ],
        "Chosen: share of questions by arm. Regret: hits per question that somebody who knew the best arm "
        "beforehand, of all or for each question, would have had more, with 95 % intervals over conversations.",
        stacks=True,
    )


def definitions(readings: Sequence[DefinitionResult], horizon: int, *, brief: bool) -> Table:
    """Return Recovery@T under every definition."""
    policies = in_order(readings[0].recovery)
    rows: list[tuple[Cell | Value, ...]] = [
        (
            reading.name,
            *(_lifted(cell(reading.recovery[p], Kind.NUMBER), max(reading.recovery.values())) for p in policies),
            *(_order(value) for value in (reading.inversion, reading.rho)),
        )
        for reading in readings
    ]
    return Table.of(
        "definition-table",
        f"Recovery@{horizon} by definition",
        (
            "definition",
            *(Column(policy, Kind.NUMBER, yields=1) for policy in policies),
            *(Column(head, Kind.COARSE) for head in ("inversion", "rho")),
        ),
        rows,
        f"Recovery@{horizon} after the burst, the same policies under every definition. Bold: who recovers best.",
        brief=brief,
    )


def _order(value: float | None) -> Cell:
    return Cell(UNDEFINED, UNORDERED) if value is None else cell(value, Kind.COARSE)


def protocol(spec: ShiftSpec) -> Table:
    """Return every knob as it was set, and what that means."""
    return Table.of(
        "protocol",
        "What was played",
        ("knob", *Column.each(Kind.PROSE, "setting", "what it means")),
        [(knob.name, knob.setting, knob.meaning) for knob in knobs(spec)],
        brief=False,
    )


def presets() -> Table:
    """Return every knob of every preset."""
    settings = {name: {knob.name: knob.setting for knob in knobs(spec)} for name, spec in PRESETS.items()}
    return Table.of(
        "presets",
        "Every knob of every preset",
        ("knob", *settings),
        [(knob.name, *(own[knob.name] for own in settings.values())) for knob in knobs(PRESETS["paper"])],
    )


def _highest(column: Sequence[Interval]) -> float | None:
    return max((value.mean for value in column if value.mean is not None), default=None)


def _lifted(value: Cell, best: float | None) -> Cell:
    """Lift the best of a column or a row."""
    return replace(value, mark="best") if value.value is not None and value.value == best else value


def _printed(published: bool) -> str:
    return f"In brackets: 95 % interval over conversations. {_parenthesis(published)}".rstrip()


def _parenthesis(published: bool) -> str:
    return "In parentheses: published for LoCoMo." if published else ""
