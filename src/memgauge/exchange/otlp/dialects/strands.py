"""Strands agents: texts in events of a span, several stores behind one search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.otlp.drafts import (
    DraftOperation,
    DraftRecord,
    count_of,
    events_named,
    name_of,
    records_of,
    text_of,
)
from memgauge.exchange.traffic.rows import TrafficKind
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from memgauge.exchange.otlp.spans import Attributes, TracedSpan

_INSTEAD: Final = {"memory.inject": "an injection, whose search has a span of its own"}
PARTIAL: Final = "a store failed, and the others answered"


def read(span: TracedSpan) -> tuple[DraftOperation, ...] | str | None:
    """Read a search, an addition or an extraction; order is that of the stores, not one ranking."""
    attributes = span.attributes
    operation = attributes.get("gen_ai.operation.name")
    if operation == "memory.search":
        return (_search(span, attributes),)
    if operation == "memory.add":
        contents = (text_of(event, "content") for event in events_named(span, "memory.content"))
        records = tuple(DraftRecord(content=content) for content in contents if content is not None) or None
        notes = (PARTIAL,) if count_of(attributes, "memory.store.failure_count") else ()
        return (DraftOperation(TrafficKind.ADD, store=_store(attributes), records=records, notes=notes),)
    if operation == "memory.extract":  # a root of its own, which says how much it wrote, and not what
        count = count_of(attributes, "memory.entry.count")
        return (DraftOperation(TrafficKind.UPSERT, store=_store(attributes), count=count),)
    return _INSTEAD.get(operation) if isinstance(operation, str) else None


def _search(span: TracedSpan, attributes: Attributes) -> DraftOperation:
    queries = events_named(span, "memory.query") or [attributes]
    results = events_named(span, "memory.results")
    reading = records_of(results[-1].get("content") if results else None)
    failures = count_of(attributes, "memory.store.failure_count")
    return DraftOperation(
        TrafficKind.SEARCH,
        store=_store(attributes),
        query=text_of(queries[-1], "content", "memory.query"),
        asked=count_of(attributes, "memory.max_search_results"),
        count=count_of(attributes, "memory.result.count"),
        records=reading.records,
        notes=(*reading.notes, PARTIAL) if failures else reading.notes,
        unparsable=reading.unparsable,
    )


def _store(attributes: Attributes) -> str:
    """Name the store where there is one; of several nobody says which record came from which."""
    names: Any = attributes.get("memory.store.names")
    if isinstance(names, str):
        try:
            names = json_of(names)
        except ValueError:
            names = None
    if isinstance(names, list) and len(names) == 1 and isinstance(names[0], str):
        return names[0]
    return "" if names else name_of(attributes, "memory.store.name")
