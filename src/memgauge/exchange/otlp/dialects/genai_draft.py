"""Drafts of the convention that are still in the wild: names of early 2026, parallel arrays, names of spans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.otlp.dialects.genai import drafted
from memgauge.exchange.otlp.drafts import (
    DraftOperation,
    DraftRecord,
    ReadRecords,
    count_of,
    deletion,
    name_of,
    records_of,
    spelled,
    text_of,
)
from memgauge.exchange.traffic.rows import TrafficKind

if TYPE_CHECKING:
    from memgauge.exchange.otlp.spans import Attributes, TracedSpan

_PREFIX: Final = "gen_ai.memory."
_KINDS: Final = {
    "search_memory": TrafficKind.SEARCH,
    "query_memory": TrafficKind.SEARCH,
    "get_memory": TrafficKind.SEARCH,
    "gen_ai.memory.search": TrafficKind.SEARCH,
    "gen_ai.memory.retrieve": TrafficKind.SEARCH,
    "create_memory": TrafficKind.ADD,
    "save_memory": TrafficKind.UPSERT,
    "update_memory": TrafficKind.UPSERT,  # which the draft had for both
    "upsert_memory": TrafficKind.UPSERT,
    "gen_ai.memory.store": TrafficKind.UPSERT,
    "gen_ai.memory.update": TrafficKind.UPDATE,
    "delete_memory": TrafficKind.DELETE,
    "gen_ai.memory.delete": TrafficKind.DELETE,
    "delete_memory_store": TrafficKind.DROP_STORE,
}
_EFFECTS: Final = {
    "created": TrafficKind.ADD,
    "updated": TrafficKind.UPDATE,
    "deleted": TrafficKind.DELETE,
    "pruned": TrafficKind.DELETE,
}
_ARRAYS: Final = "gen_ai.memory.ids"
_OLD: Final = frozenset({"query_memory", "get_memory", "save_memory"})
"""Names that no version of the merged convention has."""


def read(span: TracedSpan) -> tuple[DraftOperation, ...] | str | None:
    """Read a span that bears marks of a draft."""
    attributes = span.attributes
    name = attributes.get("gen_ai.operation.name")
    operation = name if isinstance(name, str) else span.name if span.name.startswith(_PREFIX) else ""
    kind = _KINDS.get(operation)
    if kind is None:
        return None
    if _ARRAYS in attributes:
        return _arrays(kind, attributes)
    if operation in _OLD or operation.startswith(_PREFIX) or drafted(attributes):
        return (_scalar(kind, attributes),)
    return None


def _scalar(kind: TrafficKind, attributes: Attributes) -> DraftOperation:
    reading = records_of(attributes.get("gen_ai.memory.records"))
    content, record = attributes.get("gen_ai.memory.content"), name_of(attributes, "gen_ai.memory.id")
    if reading.records is None and not reading.unparsable:
        if kind.writes and isinstance(content, str):
            reading = ReadRecords((DraftRecord(record, content),))
        elif content is not None and not kind.writes:
            reading = records_of(content)
        elif record:
            reading = ReadRecords((DraftRecord(record),))
    records = reading.records
    if kind is TrafficKind.DELETE and not reading.unparsable:
        kind, records = deletion(draft.id for draft in records or ())
    return DraftOperation(
        kind,
        store=name_of(attributes, "gen_ai.memory.store.id", "gen_ai.memory.store.name", "gen_ai.memory.namespace"),
        query=text_of(attributes, "gen_ai.memory.query.text", "gen_ai.memory.query"),
        asked=count_of(attributes, "gen_ai.request.top_k"),
        count=count_of(attributes, "gen_ai.memory.search.result.count", "gen_ai.memory.record.count"),
        records=records,
        notes=reading.notes,
        unparsable=reading.unparsable,
    )


def _arrays(kind: TrafficKind, attributes: Attributes) -> tuple[DraftOperation, ...]:
    """Read arrays whose places belong together; what a span did in several ways is several operations."""
    ids = [spelled(name) for name in _array(attributes, _ARRAYS)]
    effects = _array(attributes, "gen_ai.memory.operations")
    stores = {spelled(name) for name in _array(attributes, "gen_ai.memory.store.names")} - {""}
    store = stores.pop() if len(stores) == 1 else ""
    if len(effects) != len(ids):
        notes = ("arrays of different lengths",) if effects else ()
        kinds = dict.fromkeys([kind], ids)
    else:
        notes, kinds = (), {}
        for record, effect in zip(ids, effects, strict=True):
            kinds.setdefault(_EFFECTS.get(effect, kind) if isinstance(effect, str) else kind, []).append(record)
        kinds = kinds or {kind: []}
    return tuple(
        DraftOperation(
            record_kind,
            store=store,
            query=text_of(attributes, "gen_ai.memory.query.text", "gen_ai.memory.query"),
            count=len(records),
            records=tuple(map(DraftRecord, records)),
            notes=notes,
        )
        for record_kind, records in kinds.items()
    )


def _array(attributes: Attributes, name: str) -> list[Any]:
    value = attributes.get(name)
    return value if isinstance(value, list) else []
