"""OpenLLMetry: clients of vector databases, with an event for every hit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.exchange.otlp.drafts import (
    DraftOperation,
    DraftRecord,
    content_of,
    count_of,
    events_named,
    name_of,
    score_of,
    spelled,
    text_of,
)
from memgauge.exchange.traffic.rows import TrafficKind

if TYPE_CHECKING:
    from memgauge.exchange.otlp.spans import Attributes, TracedSpan

_RESULTS: Final = "db.query.result", "db.search.result"
_SYSTEMS: Final = frozenset({"chroma", "lancedb", "marqo", "milvus", "pinecone", "qdrant", "weaviate"})
_READS: Final = frozenset({"query", "search", "vector_db_retrieve", "query_points", "retrieve", "recommend"})
_WRITES: Final = frozenset({"add", "insert", "upsert", "upload", "save", "write"})
_DISTANCES: Final = "a hit with a distance instead of a score"


def read(span: TracedSpan) -> tuple[DraftOperation, ...] | str | None:
    """Read a call of a vector database; the order of events is the rank."""
    attributes = span.attributes
    system = name_of(attributes, "db.system", "db.system.name")
    verb = name_of(attributes, "db.operation", "db.operation.name") or span.name.rpartition(".")[2]
    hits = events_named(span, *_RESULTS) if span.events else []
    if not (hits or system in _SYSTEMS or verb == "vector_db_retrieve" or "db.vector.query.top_k" in attributes):
        return None
    store = name_of(attributes, "db.collection.name", f"db.{system}.collection", "db.name", "db.namespace")
    if hits or verb in _READS:
        records = tuple(map(_record, hits)) or None
        distances = sum(_distance(each) for each in hits)
        query = text_of(attributes, "db.query.text", "db.vector.query.text")
        asked = count_of(attributes, "db.vector.query.top_k", f"db.{system}.query.top_k")
        return (
            DraftOperation(
                TrafficKind.SEARCH, store, query, asked, None, records, notes=(_DISTANCES,) * distances
            ),
        )
    if verb in _WRITES:
        return (DraftOperation(TrafficKind.UPSERT, store),)
    if verb == "delete":
        return (DraftOperation(TrafficKind.DELETE, store),)
    return "a call of a vector database that neither searches nor writes"


def _record(event: Attributes) -> DraftRecord:
    field = {name.rpartition(".")[2]: value for name, value in event.items() if name.startswith(_RESULTS)}
    content = field.get("document", field.get("entity"))
    return DraftRecord(spelled(field.get("id")), content_of(content), score_of(field.get("score")))


def _distance(event: Attributes) -> bool:
    names = {name.rpartition(".")[2] for name in event}
    return "distance" in names and "score" not in names
