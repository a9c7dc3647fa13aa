"""Spans that no dialect knows are passed over by their shape, and no others."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memgauge.exchange.otlp.dialects import DIALECTS, shape_of
from memgauge.exchange.otlp.payload import SeenFiles
from memgauge.exchange.otlp.sighting import OtlpOptions, Sighter
from memgauge.exchange.otlp.spans import SpanEvent, SpanResource, TracedSpan

_NAMES = (
    "search_memory", "create_memory_store", "query_memory", "retrieval", "memory.search", "memory.inject", "get",
    "qdrant.query", "query", "vector_db_retrieve", "RETRIEVER", "RERANKER", "qdrant", "postgresql", "chat",
    "ADD", "",
)  # fmt: skip
_KEYS = (
    "gen_ai.operation.name", "openinference.span.kind", "memory.operation", "memory.event", "db.system",
    "db.system.name", "db.operation", "db.operation.name", "gen_ai.retrieval.documents", "gen_ai.memory.ids",
    "gen_ai.memory.id", "db.vector.query.top_k", "memory.id", "user.id", "http.route",
)  # fmt: skip
_VALUES = st.one_of(st.sampled_from(_NAMES), st.none(), st.just(7), st.just(["query"]), st.booleans())
_SPANS = st.builds(
    TracedSpan,
    st.just("0" * 31 + "1"),
    st.just("0" * 15 + "1"),
    st.just(""),
    st.sampled_from((*_NAMES, "gen_ai.memory.search")),
    st.just(1),
    st.just(2),
    st.booleans(),
    st.dictionaries(st.sampled_from(_KEYS), _VALUES, max_size=4),
    st.sampled_from(((), (SpanEvent("db.query.result", {"db.query.result.id": "1"}),))),
    st.just(0),
    st.just(""),
    st.just(SpanResource({})),
)


@given(st.lists(_SPANS, max_size=30))
def test_what_was_seen_before_changes_nothing(spans: list[TracedSpan]) -> None:
    """One reader of all spans reads each as a reader of it alone does."""
    together = Sighter(OtlpOptions(), SeenFiles())
    assert [together.sight(span) for span in spans] == [
        Sighter(OtlpOptions(), SeenFiles()).sight(span) for span in spans
    ]


@given(st.lists(_SPANS, min_size=2, max_size=12))
def test_spans_of_one_shape_are_known_by_the_same_dialects(spans: list[TracedSpan]) -> None:
    """Of every dialect that is ours, whatever the values are."""
    known: dict[Any, list[bool]] = {}
    for span in spans:
        if (shape := shape_of(span)) is not None:
            reads = [DIALECTS.get(name)(span) is not None for name in DIALECTS.names()]
            assert known.setdefault(shape, reads) == reads
