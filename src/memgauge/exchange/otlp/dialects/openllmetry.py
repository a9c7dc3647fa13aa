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
_WRITES: Final = {
    "add": TrafficKind.ADD,
    "insert": TrafficKind.ADD,
    "upload": TrafficKind.UPSERT,
    "upsert": TrafficKind.UPSERT,
    "save": TrafficKind.UPSERT,
    "write": TrafficKind.UPSERT,
    "update": TrafficKind.UPDATE,
    "delete": TrafficKind.DELETE,
}
_DISTANCES: Final = "a hit with a distance instead of a score"


def read(span: TracedSpan) -> tuple[DraftOperation, ...] | str | None:
    """Read a call of a vector database; the order of events is the rank."""
    attributes = span.attributes
    system = name_of(attributes, "db.system", "db.system.name").lower()
    verb = name_of(attributes, "db.operation", "db.operation.name") or span.name.rpartition(".")[2]
    hits = events_named(span, *_RESULTS) if span.events else []
    if not (hits or system in _SYSTEMS or verb == "vector_db_retrieve" or "db.vector.query.top_k" in attributes):
        return None
    if hits or verb in _READS:
        return (_search(attributes, hits, system, verb),)
    kind = _WRITES.get(verb)
    if kind is None:
        return "a call of a vector database that neither searches nor writes"
    counts = (f"db.{system}.{verb}.ids_count", f"{system}.{verb}.points_count")
    return (DraftOperation(kind, _store(attributes, system, verb), count=count_of(attributes, *counts)),)


def _search(attributes: Attributes, hits: list[Attributes], system: str, verb: str) -> DraftOperation:
    depths = "db.vector.query.top_k", f"db.{system}.{verb}.n_results", f"db.{system}.query.top_k"
    return DraftOperation(
        TrafficKind.SEARCH,
        _store(attributes, system, verb),
        query=text_of(attributes, "db.query.text", "db.vector.query.text"),
        asked=count_of(attributes, *depths),
        records=tuple(map(_record, hits)) or None,
        notes=(_DISTANCES,) * sum(map(_distance, hits)),
    )


def _store(attributes: Attributes, system: str, verb: str) -> str:
    """Name the collection; clients of one vendor alone have three ways."""
    collections = (f"{system}.{part}.collection_name" for part in (verb, "search"))
    return name_of(attributes, "db.collection.name", f"db.{system}.collection", *collections, "db.name")


def _record(event: Attributes) -> DraftRecord:
    field = {name.rpartition(".")[2]: value for name, value in event.items() if name.startswith(_RESULTS)}
    content = field.get("document", field.get("entity"))
    return DraftRecord(spelled(field.get("id")), content_of(content), score_of(field.get("score")))


def _distance(event: Attributes) -> bool:
    names = {name.rpartition(".")[2] for name in event}
    return "distance" in names and "score" not in names
