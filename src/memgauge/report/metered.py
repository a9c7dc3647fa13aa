"""What models were asked through a proxy, by product and phase, in tables and sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.llm.metering.calls import CallEnd
from memgauge.llm.metering.summary import METERED
from memgauge.metering import CostSource, is_free
from memgauge.show import Cell, Column, Document, Fold, Kind, Note, Section, Table
from memgauge.show.numbers import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.llm.metering.summary import MeteredGroup, MeteredSpending
    from memgauge.show import Value

_SAYS = {
    CostSource.REPORTED: "as the server reports",
    CostSource.COUNTED: "in part as they were counted here",
    CostSource.UNAVAILABLE: "in part unknown",
}


def document(spending: MeteredSpending) -> Document:
    """Say what a proxy saw: calls, tokens, seconds and money."""
    calls = sum(group.calls for group in spending.groups)
    money = "at a price that is not known" if spending.usd is None else f"for {spending.usd:,.4f} USD"
    capped = sum(group.ends.get(CallEnd.CAPPED, 0) for group in spending.groups)
    lead = f"{plural(calls - capped, 'call')} of models {money}." if calls else "No model was asked."
    if capped:
        lead += (
            f" {plural(capped, 'more call')} {'was' if capped == 1 else 'were'} refused, since --max-usd is spent."
        )
    times = Section("times", "How long it took, and what came again", (_times(spending),), Fold.CLOSED)
    return Document(
        "What models were asked",
        lead,
        blocks=(_taken(spending), times) if calls else (),
        notes=tuple(map(Note, _notes(spending))),
        origin=f"{spending.began} to {spending.last}" if calls else "",
        data=METERED.of(spending),
    )


def _taken(spending: MeteredSpending) -> Table:
    columns = (
        *Column.each(Kind.TEXT, "product", "phase"),
        Column("model", Kind.TEXT, yields=1),
        Column("calls", Kind.COUNT),
        Column("failed", Kind.COUNT, means="Calls without a whole reply."),
        *Column.each(Kind.COUNT, "tokens in", "out"),
        Column("to embed", Kind.COUNT, yields=2),
        Column("USD", Kind.NUMBER),
    )
    rows: list[tuple[Cell | Value, ...]] = [
        (
            *_named(group),
            group.calls,
            group.failed,
            _tokens(group, group.tokens_in),
            _tokens(group, group.tokens_out),
            _tokens(group, group.embedding_tokens),
            Cell("?" if group.usd is None else f"{group.usd:,.4f}", value=group.usd),
        )
        for group in spending.groups
    ]
    return Table.of("metered", "", columns, rows)


def _times(spending: MeteredSpending) -> Table:
    columns = (
        *(Column(head, Kind.TEXT) for head in ("product", "phase", "model")),
        Column("seconds", Kind.NUMBER, means="Of all calls together, some of which may have run side by side."),
        *Column.each(Kind.NUMBER, "p50 s", "p95 s", "first byte s"),
        *Column.each(Kind.PROSE, "failed by", "came again after"),
    )
    rows: list[tuple[Cell | Value, ...]] = [
        (
            *_named(group),
            *map(_seconds, (group.seconds, group.median_s, group.slow_s, group.first_s)),
            _by(group.statuses),
            _by(group.retries),
        )
        for group in spending.groups
    ]
    return Table.of("metered-times", "", columns, rows, brief=False)


def _named(group: MeteredGroup) -> tuple[str, str, str]:
    return group.product or "nobody named", group.phase or "none named", group.model


def _tokens(group: MeteredGroup, tokens: int) -> Cell:
    """Show tokens with a mark where the server does not say them."""
    sources = group.sources
    mark = "?" if CostSource.UNAVAILABLE in sources else "~" if CostSource.COUNTED in sources and tokens else ""
    return Cell(f"{tokens:,}{mark}", value=tokens)


def _seconds(seconds: float | None) -> Cell:
    return Cell("\N{EN DASH}" if seconds is None else f"{seconds:,.2f}", value=seconds)


def _by(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {n}" for name, n in counts.items())


def _notes(spending: MeteredSpending) -> Iterator[str]:
    sources = {source for group in spending.groups for source in group.sources}
    for mark, source in (("~", CostSource.COUNTED), ("?", CostSource.UNAVAILABLE)):
        if source in sources:
            yield f"{mark}: {_SAYS[source]}."
    if any(group.failed for group in spending.groups):
        yield "What was sent counts, whatever became of it: a sum errs high."
    if spending.unpriced:
        yield f"No list price is known of {listed(list(spending.unpriced))}."
    if any(is_free(group.model) for group in spending.groups):
        yield "local: a model of this machine, for which nobody charges."
    if spending.priced_on:
        yield f"Prices: {spending.source}, {spending.priced_on}; discounts for cached input are not counted."
    if spending.unread:
        yield f"{plural(spending.unread, 'line')} could not be read: whoever wrote them was killed."
