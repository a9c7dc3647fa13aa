"""The shift study on a terminal: Table 1 and Table 5, published values beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from memgauge.report.shift_words import (
    counts,
    difference,
    holds,
    published_overall,
    published_ranks,
    published_recovery,
    rank,
    score,
    told,
    verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from memgauge.studies.shift.analysis import ShiftResult
    from memgauge.studies.shift.spec import ShiftSpec


def shift_tables(result: ShiftResult, spec: ShiftSpec, *, beside: bool) -> Iterator[RenderableType]:
    """Yield what the study prints; *beside* puts the published LoCoMo numbers next to ours."""
    yield counts(result, spec)
    yield _table_1(result, spec, beside=beside)
    yield _table_5(result, beside=beside)
    yield verdict(result, spec)
    clear = [f"{gap.a} - {gap.b} {difference(gap.over_conversations).line()}" for gap in result.gaps if holds(gap)]
    said = "; ".join(clear) or "none"
    yield f"Gaps at m={told(result, spec)} that hold over conversations (95 %): {said}."


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


def _table_5(result: ShiftResult, *, beside: bool) -> Table:
    head = ("m", "inversion", "rho", "inversion, beyond noise", "rho, same stream", "rho by conversation")
    table = Table(*head, box=None, title="Table 5", title_justify="left")
    for row in result.ranks:
        inversion, rho = published_ranks(row.burst) if beside else (None, None)
        cells = (
            rank(row.inversion, inversion),
            rank(row.rho, rho),
            rank(row.inversion_beyond_noise),
            rank(row.rho_same_stream),
            rank(row.rho_by_conversation),
        )
        table.add_row(str(row.burst), *(cell.line() for cell in cells))
    return table
