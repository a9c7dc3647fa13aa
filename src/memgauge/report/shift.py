"""The shift study on a terminal: Table 1 and Table 5, published values beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from memgauge.studies.shift.published import TABLE_1, TABLE_5

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from memgauge.stats import Interval
    from memgauge.studies.shift.analysis import ShiftResult
    from memgauge.studies.shift.spec import ShiftSpec


def shift_tables(result: ShiftResult, spec: ShiftSpec, *, beside: bool) -> Iterator[RenderableType]:
    """Yield what the study prints; *beside* puts the published LoCoMo numbers next to ours."""
    counts = f"{result.questions:,} questions, {result.post_shift:,} after a shift"
    yield f"{counts}, {result.pooled:,} in Recovery@{spec.horizon}"
    yield _table_1(result, spec, beside=beside)
    yield _table_5(result, beside=beside)
    yield from _words(result, spec)


def _table_1(result: ShiftResult, spec: ShiftSpec, *, beside: bool) -> Table:
    table = Table("policy", f"Hit@{spec.k} overall", box=None, title="Table 1", title_justify="left")
    for m in spec.bursts:
        table.add_column(f"R@{spec.horizon}, m={m}")
    for row in result.rows:
        printed = TABLE_1.get(row.policy) if beside else None
        cells = [_cell(row.overall, printed[0] if printed else None)]
        for m in spec.bursts:
            place = {0: 1, 100: 2}.get(m)
            cells.append(_cell(row.recovery[m], printed[place] if printed and place else None))
        table.add_row(row.policy, *cells)
    return table


def _table_5(result: ShiftResult, *, beside: bool) -> Table:
    head = ("m", "inversion", "rho", "inversion, beyond noise", "rho, same stream", "rho by conversation")
    table = Table(*head, box=None, title="Table 5", title_justify="left")
    for row in result.ranks:
        printed = TABLE_5.get(row.burst) if beside else None
        table.add_row(
            str(row.burst),
            _plain(row.inversion.value, printed[0] if printed else None),
            _plain(row.rho.value, printed[1] if printed else None),
            _plain(row.inversion_beyond_noise.value),
            _plain(row.rho_same_stream.value),
            _plain(row.rho_by_conversation),
        )
    return table


def _words(result: ShiftResult, spec: ShiftSpec) -> Iterator[str]:
    """Say which policies lead before and after, and which gaps hold over conversations."""
    last = spec.bursts[-1]
    overall = max(result.rows, key=lambda row: row.overall.mean or 0.0).policy
    recovered = max(result.rows, key=lambda row: row.recovery[last].mean or 0.0).policy
    same = "and also after" if overall == recovered else f"but {recovered} leads after"
    yield f"{overall} leads overall on the clean stream, {same} bursts of {last} turns."
    clear = [
        f"{gap.a} - {gap.b} {gap.over_conversations.mean:+.3f} [{gap.over_conversations.low:.3f}, "
        f"{gap.over_conversations.high:.3f}]"
        for gap in result.gaps
        if gap.over_conversations.low is not None
        and gap.over_conversations.high is not None
        and not gap.over_conversations.low <= 0 <= gap.over_conversations.high
    ]
    burst = result.gaps[0].burst if result.gaps else last
    yield f"Gaps at m={burst} that hold over conversations (95 %): {'; '.join(clear) or 'none'}."


def _cell(interval: Interval, published: float | None) -> str:
    if interval.mean is None:
        return "undefined"
    around = "" if interval.low is None or interval.high is None else f" [{interval.low:.3f}, {interval.high:.3f}]"
    return f"{interval.mean:.3f}{around}" + ("" if published is None else f" ({published:.3f})")


def _plain(value: float | None, published: float | None = None) -> str:
    shown = "undefined" if value is None else f"{value:.2f}"
    return shown + ("" if published is None else f" ({published:.2f})")
