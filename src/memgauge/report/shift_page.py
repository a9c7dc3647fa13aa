"""The shift study as one self-contained page: the verdict, the two figures, every table, the protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.report import shift_words as words
from memgauge.report.page import Drawn, render
from memgauge.report.shift_charts import curves_chart, slope_chart
from memgauge.report.shift_knobs import knobs
from memgauge.report.shift_words import Cell, score
from memgauge.show.numbers import listed
from memgauge.studies.shift.findings.sensitivity import words as surviving

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.studies.shift.findings.answering import AnswerCheck
    from memgauge.studies.shift.findings.result import Gap, RankRow, Route, ShiftResult
    from memgauge.studies.shift.findings.sensitivity import DefinitionResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec

RHO = "\N{GREEK SMALL LETTER RHO}"


@dataclass(frozen=True)
class Line:
    """One row of a table; *told* lifts it, *best* names the columns to lift."""

    name: str
    cells: tuple[Cell, ...]
    best: tuple[int, ...] = ()
    told: bool = False


@dataclass(frozen=True)
class Column:
    """A heading, and under it what it means."""

    head: str
    under: str = ""


@dataclass(frozen=True)
class Grid:
    """A table as the page shows it."""

    title: str
    corner: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]


def render_shift(
    result: ShiftResult,
    spec: ShiftSpec,
    *,
    title: str,
    identity: Mapping[str, str],
    beside: bool,
    answers: AnswerCheck | None = None,
    readings: Sequence[DefinitionResult] = (),
    notes: Sequence[str] = (),
) -> str:
    """Render one reading of the protocol as one page.

    Args:
        result: What the study found.
        spec: What was played.
        title: Of the page.
        identity: What a reader needs to make the page again, shown at its foot.
        beside: Whether the numbers published for LoCoMo stand beside ours.
        answers: What an answerer made of what was found.
        readings: What other definitions find, for the sensitivity grid.
        notes: Sentences that a reader should know before quoting the numbers.
    """
    burst = result.told
    return render(
        "shift.html.j2",
        title=title,
        identity=identity,
        spec=spec,
        beside=beside,
        after=words.after(burst),
        verdict=words.verdict(result),
        counts=words.counts(result, spec),
        figures=_figures(result, spec, burst, beside=beside),
        **_tables(result, spec, beside=beside),
        answers=answers and _answers(answers),
        answered=answers and words.answered(answers),
        follows=answers and words.follows(answers),
        readings=readings and _readings(readings, spec),
        surviving=readings and surviving(readings),
        knobs=knobs(spec),
        notes=notes,
    )


def _figures(result: ShiftResult, spec: ShiftSpec, burst: int, *, beside: bool) -> Iterator[Drawn]:
    slope = slope_chart(result, spec, burst, "shift-slope", beside=beside)
    curves = curves_chart(result, spec, burst, "shift-curves")
    hollow = " Hollow: published." if beside else ""
    if slope is not None:
        yield Drawn.of(slope, f"Figure 1. Thick, in colour: policies that change places.{hollow}")
    if curves is not None:
        clean = " Dashed: without bursts." if 0 in spec.bursts and burst else ""
        yield Drawn.of(
            curves,
            f"Figure 2. Bands: 95 % interval over conversations.{clean} Dotted: T={spec.horizon}.",
        )


def _tables(result: ShiftResult, spec: ShiftSpec, *, beside: bool) -> dict[str, Any]:
    return {
        "scores": _scores(result, spec, beside=beside),
        "conversations": _conversations(result, spec),
        "ranks": _ranks("Table 5", result.ranks, beside=beside and words.ordered_as_published(result)),
        "ranked": listed(result.ranked),
        "ranks_of_all": result.ranks_of_all and _ranks("Table 5 of all policies", result.ranks_of_all),
        "routes": result.routes and _routes(result.routes),
        "gaps": _gaps(result),
        "times": _times(result, spec),
    }


def _scores(result: ShiftResult, spec: ShiftSpec, *, beside: bool) -> Grid:
    heads = [Column(f"Hit@{spec.k} overall", "clean stream")]
    heads += [Column(f"Recovery@{spec.horizon}", f"m={m}") for m in spec.bursts]
    ours = [(row.overall, *(row.recovery[m] for m in spec.bursts)) for row in result.rows]
    best = [
        max((v.mean for v in column if v.mean is not None), default=None) for column in zip(*ours, strict=True)
    ]
    lines = []
    for row, values in zip(result.rows, ours, strict=True):
        printed = (
            words.published_overall(row.policy),
            *(words.published_recovery(row.policy, m) for m in spec.bursts),
        )
        cells = tuple(score(v, p if beside else None) for v, p in zip(values, printed, strict=True))
        lifted = tuple(i for i, v in enumerate(values) if v.mean is not None and v.mean == best[i])
        lines.append(Line(row.policy, cells, lifted))
    return Grid("Table 1", "Policy", tuple(heads), tuple(lines))


def _conversations(result: ShiftResult, spec: ShiftSpec) -> Grid:
    """Show what Table 1 does not: other units, and overall on the interrupted stream."""
    heads = [Column(f"Recovery@{spec.horizon}", f"m={m}, over questions") for m in spec.bursts]
    heads += [Column(f"Recovery@{spec.horizon}", f"m={m}, mean of segments") for m in spec.bursts]
    heads += [Column(f"Hit@{spec.k} overall", f"stream with m={m}") for m in spec.bursts if m]
    lines = tuple(
        Line(
            row.policy,
            (
                *(score(row.recovery_over_questions[m]) for m in spec.bursts),
                *(score(row.per_segment[m]) for m in spec.bursts),
                *(Cell(f"{row.polluted[m]:.3f}") for m in spec.bursts if m),
            ),
        )
        for row in result.rows
    )
    return Grid("Over questions, by segment, and overall on the interrupted stream", "Policy", tuple(heads), lines)


def _ranks(title: str, rows: Sequence[RankRow], *, beside: bool = False) -> Grid:
    heads = (
        Column("Inversion", "pairs in another order"),
        Column(RHO, "with overall, clean stream"),
        Column("Inversion", "beyond noise"),
        Column(RHO, "beyond noise"),
        Column(RHO, "with overall, same stream"),
        Column(f"{RHO} by conversation", "with overall, same stream"),
        Column("Drop of it", "from m=0"),
        Column(f"{RHO} by conversation", "with overall, clean stream"),
        Column("Drop of it", "from m=0"),
    )
    lines = []
    for row in rows:
        inversion, rho = words.published_ranks(row.burst) if beside else (None, None)
        cells = (
            words.rank(row.inversion_spread, inversion),
            words.rank(row.rho_spread, rho),
            words.rank(row.inversion_beyond_noise),
            words.rank(row.rho_beyond_noise),
            words.rank(row.rho_same_stream),
            words.rank(row.rho_by_conversation),
            words.rank(row.delta_rho),
            words.rank(row.rho_by_conversation_clean),
            words.rank(row.delta_rho_clean),
        )
        lines.append(Line(str(row.burst), cells))
    return Grid(title, "m", heads, tuple(lines))


def _routes(routes: Sequence[Route]) -> Grid:
    """Show what routers chose and lost."""
    heads = (
        Column("Chosen", "share of questions by arm"),
        Column("Best arm"),
        Column("Regret", "against the best fixed arm"),
        Column("Regret", "against the best arm for each question"),
    )
    lines = tuple(
        Line(
            f"{route.policy}, m={route.burst}",
            (
                Cell(words.chosen(route)),
                Cell(route.best or "unknown"),
                words.difference(route.regret_fixed),
                words.difference(route.regret_oracle),
            ),
        )
        for route in routes
    )
    return Grid("What routers chose", "Router", heads, lines)


def _gaps(result: ShiftResult) -> Grid:
    heads = (Column("Over conversations"), Column("Over questions"), Column("Holds over conversations"))
    lines = tuple(Line(f"{gap.a} \N{MINUS SIGN} {gap.b}", _gap(gap), told=words.holds(gap)) for gap in result.gaps)
    return Grid("Gaps", "Pair", heads, lines)


def _gap(gap: Gap) -> tuple[Cell, ...]:
    if words.holds(gap):
        said = Cell("yes")
    else:
        said = Cell("no", why="not told from 0" if gap.over_conversations.low is not None else "no interval")
    return words.difference(gap.over_conversations), words.difference(gap.over_questions), said


def _times(result: ShiftResult, spec: ShiftSpec) -> Grid:
    bursts = [m for m in spec.bursts if m]
    heads = [Column(head, f"m={m}") for m in bursts for head in ("Deficit", "Back at")]
    lines = tuple(
        Line(row.policy, tuple(cell for m in bursts for cell in (words.deficit(row, m), words.back(row, m))))
        for row in result.rows
    )
    return Grid("Deficit and time to recover", "Policy", tuple(heads), lines)


def _answers(answers: AnswerCheck) -> Grid:
    bursts = dict.fromkeys(row.burst for row in answers.rows)
    heads = [Column(head, f"m={m}") for m in bursts for head in ("Hits", "Exact match", "Token F1")]
    found = {(row.policy, row.burst): row for row in answers.rows}
    lines = []
    for policy in dict.fromkeys(row.policy for row in answers.rows):
        rows = [found[policy, m] for m in bursts]
        cells = [cell for r in rows for cell in (Cell(f"{r.recovery:.3f}"), score(r.exact), score(r.f1))]
        lines.append(Line(policy, tuple(cells)))
    return Grid("Answers", "Policy", tuple(heads), tuple(lines))


def _readings(readings: Sequence[DefinitionResult], spec: ShiftSpec) -> Grid:
    policies = list(readings[0].recovery)
    heads = [*(Column(p) for p in policies), Column("Inversion"), Column(RHO)]
    lines = []
    for reading in readings:
        ranks = (
            Cell("undefined", why="the policies cannot be ordered") if value is None else Cell(f"{value:.2f}")
            for value in (reading.inversion, reading.rho)
        )
        cells = (*(Cell(f"{reading.recovery[p]:.3f}") for p in policies), *ranks)
        lines.append(Line(reading.name, cells, (policies.index(reading.leader),)))
    return Grid(f"Recovery@{spec.horizon} by definition", "Definition", tuple(heads), tuple(lines))
