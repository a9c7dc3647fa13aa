"""The convention's retrieval spans: documents with ids and scores, and no content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.exchange.otlp.drafts import WITHOUT_CONTENT, DraftOperation, count_of, name_of, records_of, text_of
from memgauge.exchange.traffic.rows import TrafficKind

if TYPE_CHECKING:
    from memgauge.exchange.otlp.spans import TracedSpan


def read(span: TracedSpan) -> tuple[DraftOperation, ...] | str | None:
    """Read a retrieval as a search."""
    attributes = span.attributes
    documents, operation = attributes.get("gen_ai.retrieval.documents"), attributes.get("gen_ai.operation.name")
    if operation != "retrieval" and (documents is None or operation is not None):
        return None
    reading = records_of(documents)
    return (
        DraftOperation(
            TrafficKind.SEARCH,
            store=name_of(attributes, "gen_ai.data_source.id"),
            query=text_of(attributes, "gen_ai.retrieval.query.text"),
            asked=count_of(attributes, "gen_ai.retrieval.top_k", "gen_ai.request.top_k"),
            records=reading.records,
            notes=tuple(note for note in reading.notes if note != WITHOUT_CONTENT),
            unparsable=reading.unparsable,
        ),
    )
