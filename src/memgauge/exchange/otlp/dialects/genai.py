"""The convention of OpenTelemetry: seven operations, one type of span (`gen_ai.memory.client`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.exchange.otlp.drafts import (
    DraftOperation,
    DraftRecord,
    count_of,
    deletion,
    name_of,
    records_of,
    text_of,
)
from memgauge.exchange.traffic.rows import TrafficKind

if TYPE_CHECKING:
    from memgauge.exchange.otlp.spans import Attributes, TracedSpan

KINDS: Final = {
    "search_memory": TrafficKind.SEARCH,
    "create_memory": TrafficKind.ADD,
    "update_memory": TrafficKind.UPDATE,
    "upsert_memory": TrafficKind.UPSERT,
    "delete_memory": TrafficKind.DELETE,
    "delete_memory_store": TrafficKind.DROP_STORE,
}
CREATES_STORE: Final = "create_memory_store"
A_NEW_STORE: Final = "a store was made"
_MARKS: Final = frozenset(
    {
        "gen_ai.memory.store.name",
        "gen_ai.memory.namespace",
        "gen_ai.memory.search.result.count",
        "gen_ai.memory.search.similarity.threshold",
        "gen_ai.memory.id",
        "gen_ai.memory.ids",
        "gen_ai.memory.query",
        "gen_ai.memory.content",
        "gen_ai.memory.type",
    }
)
"""Attributes of drafts that no version of the merged convention has."""


def drafted(attributes: Attributes) -> bool:
    """Whether a span bears marks of a draft, which gave the same names of operations other meanings."""
    return not _MARKS.isdisjoint(attributes)


def read(span: TracedSpan) -> tuple[DraftOperation, ...] | str | None:
    """Read a span by the name of its operation."""
    attributes = span.attributes
    operation = attributes.get("gen_ai.operation.name")
    if operation == CREATES_STORE:
        return A_NEW_STORE
    kind = KINDS.get(operation) if isinstance(operation, str) else None
    if kind is None or drafted(attributes):
        return None
    reading = records_of(attributes.get("gen_ai.memory.records"))
    records = reading.records
    record = name_of(attributes, "gen_ai.memory.record.id")
    if record and not records:
        records = (DraftRecord(record),)
    if kind is TrafficKind.DELETE and not reading.unparsable:
        kind, records = deletion(record_read.id for record_read in records or ())
    return (
        DraftOperation(
            kind,
            store=name_of(attributes, "gen_ai.memory.store.id"),
            query=text_of(attributes, "gen_ai.memory.query.text"),
            asked=count_of(attributes, "gen_ai.retrieval.top_k", "gen_ai.request.top_k"),
            count=count_of(attributes, "gen_ai.memory.record.count"),
            records=records,
            notes=reading.notes,
            unparsable=reading.unparsable,
        ),
    )
