"""`memory.*`, a vocabulary of its own: cognee, kagent, and what was proposed for mem0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.exchange.otlp.drafts import (
    DraftOperation,
    DraftRecord,
    count_of,
    name_of,
    records_of,
    text_of,
)
from memgauge.exchange.traffic.rows import TrafficKind

if TYPE_CHECKING:
    from memgauge.exchange.otlp.spans import TracedSpan

_PREFIX: Final = "memory."
_KINDS: Final = {
    "search": TrafficKind.SEARCH,
    "retrieve": TrafficKind.SEARCH,
    "read": TrafficKind.SEARCH,
    "recall": TrafficKind.SEARCH,
    "prefetch": TrafficKind.SEARCH,
    "query": TrafficKind.SEARCH,
    "add": TrafficKind.UPSERT,
    "upsert": TrafficKind.UPSERT,
    "store": TrafficKind.ADD,
    "write": TrafficKind.ADD,
    "create": TrafficKind.ADD,
    "save": TrafficKind.UPSERT,
    "update": TrafficKind.UPDATE,
    "delete": TrafficKind.DELETE,
    "delete_all": TrafficKind.WIPE,
    "reset": TrafficKind.WIPE,
}
_INSTEAD: Final = {
    "get": "a reading by name, which is no search",
    "get_all": "a listing, which is no search",
    "list": "a listing, which is no search",
    "process": "a processing of what was stored",
    "cognify": "a processing of what was stored",
    "history": "a listing, which is no search",
}
_EVENTS: Final = {"ADD": TrafficKind.ADD, "UPDATE": TrafficKind.UPDATE, "DELETE": TrafficKind.DELETE}
_CUT: Final = "a query that was cut"
_COGNEE: Final = 500
"""Characters that cognee keeps of a query."""


def read(span: TracedSpan) -> tuple[DraftOperation, ...] | str | None:
    """Read a span by its operation, else by its name; no list of hits is ever in it."""
    attributes = span.attributes
    if "gen_ai.operation.name" in attributes:  # a convention of its own has it
        return None
    operation = attributes.get("memory.operation")
    if not isinstance(operation, str):
        if not span.name.startswith(_PREFIX) or not any(name.startswith(_PREFIX) for name in attributes):
            return None
        operation = span.name.removeprefix(_PREFIX)
    kind = _EVENTS.get(str(attributes.get("memory.event"))) or _KINDS.get(operation)
    if kind is None:
        return _INSTEAD.get(operation)
    reading = records_of(attributes.get("memory.records"))
    record = name_of(attributes, "memory.id")
    records = reading.records
    count = count_of(attributes, "memory.result.count", "memory.entry.count")
    if records is None and record and kind is not TrafficKind.SEARCH:
        records = (DraftRecord(record, text_of(attributes, "memory.content")),)
    query = text_of(attributes, "memory.query.text")
    length = count_of(attributes, "memory.query.length")
    is_cut = query is not None and (length > len(query) if length is not None else len(query) == _COGNEE)
    return (
        DraftOperation(
            kind,
            store=name_of(attributes, "memory.collection", "memory.store.id", "memory.store.name"),
            query=query,
            asked=count_of(attributes, "memory.top_k", "memory.limit", "cognee.search.top_k"),
            count=count,
            records=records,
            notes=(*reading.notes, _CUT) if is_cut else reading.notes,
            unparsable=reading.unparsable,
        ),
    )
