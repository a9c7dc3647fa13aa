"""Statistics of timelines on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from memgauge.studies.track.timeline.statistics import InstanceStatistic, Statistics


def statistics_tables(
    each: Sequence[Statistics], columns: Sequence[InstanceStatistic]
) -> Iterator[RenderableType]:
    """Yield one row an instance, the summary, and what a reader must know about both."""
    heads = (
        "instance",
        "events",
        "slack",
        "linear",
        "git",
        "tokens",
        "H bits",
        "refs",
        "heterophily",
        "span h",
        "q",
    )
    table = Table(*heads, box=None)
    for one in each:
        share = one.heterophily
        table.add_row(
            Text(one.name),
            str(one.events),
            *(str(one.platforms.get(name, 0)) for name in ("slack", "linear", "git")),
            f"{one.tokens:,}",
            f"{one.entropy_bits:.4f}",
            str(one.references),
            f"{share.count}/{share.of}",
            f"{one.span_hours:,.2f}",
            str(one.questions),
        )
    yield table
    summary = Table("statistic (Table 1)", "mean", "max", box=None)
    for column in columns:
        summary.add_row(column.name, f"{column.mean:,.3f}", f"{column.largest:,.3f}")
    yield Text()
    yield summary
    if each:
        histories = len({one.history for one in each})
        yield Text(
            f"\nTokens: {each[0].token_counter}. References: {each[0].reference_scorer}, score above 0.3. "
            f"H is of log base 2.\n{len(each)} instances over {histories} different histories."
        )
