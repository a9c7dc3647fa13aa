"""The shift study on a terminal: Table 1 and Table 5, published values beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from memgauge.report.shift_words import (
    answered,
    chosen,
    counts,
    difference,
    follows,
    holds,
    ordered_as_published,
    published_overall,
    published_ranks,
    published_recovery,
    rank,
    score,
    verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from memgauge.studies.shift.findings.answering import AnswerCheck
    from memgauge.studies.shift.findings.result import RankRow, Route, ShiftResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec

SPREAD = (
    "Table 5, in brackets: of inversion and rho the middle 95 % of resampled conversations, a spread and no "
    "confidence interval; of means over conversations their 95 % interval."
)


def shift_tables(
    result: ShiftResult, spec: ShiftSpec, *, beside: bool, answers: AnswerCheck | None = None
) -> Iterator[RenderableType]:
    """Yield what the study prints; *beside* puts the published LoCoMo numbers next to ours."""
    yield counts(result, spec)
    yield _table_1(result, spec, beside=beside)
    yield _table_5("Table 5", result.ranks, beside=beside and ordered_as_published(result))
    if result.ranks_of_all:
        yield _table_5("Table 5, all policies", result.ranks_of_all)
    if result.ranks:
        yield SPREAD
    if result.routes:
        yield _routes(result.routes)
    if answers is not None:
        yield _answers(answers)
        yield f"{answered(answers)} Rank correlation of F1 with hits: {follows(answers)}."
    yield verdict(result)
    clear = [f"{gap.a} - {gap.b} {difference(gap.over_conversations).line()}" for gap in result.gaps if holds(gap)]
    said = "; ".join(clear) or "none"
    yield f"Gaps at m={result.told} that hold over conversations (95 %, Holm over all pairs): {said}."


def _table_1(result: ShiftResult, spec: ShiftSpec, *, beside: bool) -> Table:
    table = Table("policy", f"Hit@{spec.k} overall", box=None, title="Table 1", title_justify="left")
    for m in spec.bursts:
        table.add_column(f"R@{spec.horizon}, m={m}")
    for row in result.rows:
        cells = [score(row.overall, published_overall(row.policy) if beside else None)]
        cells += [
            score(row.recovery[m], published_recovery(row.policy, m) if beside else None) for m in spec.bursts
        ]
        table.add_row(row.policy, *(cell.line() for cell in cells))
    return table


def _table_5(title: str, rows: Sequence[RankRow], *, beside: bool = False) -> Table:
    head = (
        "m",
        "inversion",
        "rho",
        "inversion\nbeyond\nnoise",
        "rho,\nsame\nstream",
        "rho by\nconversation",
        "its drop",
    )
    table = Table(*head, box=None, title=title, title_justify="left")
    for row in rows:
        inversion, rho = published_ranks(row.burst) if beside else (None, None)
        cells = (
            rank(row.inversion_spread, inversion),
            rank(row.rho_spread, rho),
            rank(row.inversion_beyond_noise),
            rank(row.rho_same_stream),
            rank(row.rho_by_conversation),
            rank(row.delta_rho),
        )
        table.add_row(str(row.burst), *(cell.line() for cell in cells))
    return table


def _answers(answers: AnswerCheck) -> Table:
    table = Table(
        "policy", "m", "hits", "exact match", "token F1", box=None, title="Answers", title_justify="left"
    )
    for row in answers.rows:
        figures = (f"{row.recovery:.3f}", score(row.exact).line(), score(row.f1).line())
        table.add_row(row.policy, str(row.burst), *figures)
    return table


def _routes(routes: Sequence[Route]) -> Table:
    head = ("router", "m", "chosen", "best arm", "regret, fixed arm", "regret, best arm each time")
    table = Table(*head, box=None, title="What routers chose", title_justify="left")
    for route in routes:
        regrets = (difference(route.regret_fixed).line(), difference(route.regret_oracle).line())
        table.add_row(route.policy, str(route.burst), chosen(route), route.best or "unknown", *regrets)
    return table
