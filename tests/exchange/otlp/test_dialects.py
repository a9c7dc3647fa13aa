"""What every vocabulary says, on invented spans."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from memgauge.exchange.otlp.sighting import OtlpOptions
from support.otlp import MINIMAL, imported, line, memory, rows, span

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = [{"id": "m7", "content": "wears 42", "score": 0.8}, {"id": "m8", "content": {"size": 42}, "score": None}]
CASES: dict[str, tuple[dict[str, Any], tuple[Any, ...]]] = {
    # dialect and case -> a span, and (operation, store, query, returned, asked, captured, [(memory, text, score)])
    "genai native": (
        span(1, memory("search_memory", **{"records": RECORDS, "record.count": 2, "store.id": "main"})),
        ("search", "main", None, 2, None, True, [("m7", "wears 42", 0.8), ("m8", '{"size":42}', None)]),
    ),
    "genai json": (
        span(1, memory("search_memory", records=json.dumps(RECORDS), gen_ai__request__top_k=5)),
        ("search", "", None, 2, 5, True, [("m7", "wears 42", 0.8), ("m8", '{"size":42}', None)]),
    ),
    "genai repr of Python": (
        span(1, memory("search_memory", **{"records": str(RECORDS), "record.count": 2})),
        ("search", "", None, 2, None, False, []),
    ),
    "genai cut": (
        span(1, memory("search_memory", **{"records": json.dumps(RECORDS)[:30], "record.count": 2})),
        ("search", "", None, 2, None, False, []),
    ),
    "genai without content": (
        span(1, memory("search_memory", **{"record.count": 3, "query.text": "size?"})),
        ("search", "", "size?", 3, None, False, []),
    ),
    "genai fewer than counted": (
        span(1, memory("search_memory", **{"records": RECORDS[:1], "record.count": 3})),
        ("search", "", None, 3, None, False, [("m7", "wears 42", 0.8)]),
    ),
    "genai record without content": (
        span(1, memory("create_memory", records=[{"id": "m7"}])),
        ("add", "", None, 1, None, True, [("m7", None, None)]),
    ),
    "genai scalar id": (
        span(1, memory("update_memory", **{"record.id": "m7"})),
        ("update", "", None, 1, None, True, [("m7", None, None)]),
    ),
    "genai upsert": (
        span(1, memory("upsert_memory", records=[{"content": "wears 43"}])),
        ("upsert", "", None, 1, None, True, [("h", "wears 43", None)]),
    ),
    "genai delete": (
        span(1, memory("delete_memory", **{"record.id": "m7"})),
        ("delete", "", None, 1, None, True, [("m7", None, None)]),
    ),
    "genai delete of everything": (
        span(1, memory("delete_memory", **{"store.id": "main"})),
        ("wipe", "main", None, None, None, True, []),
    ),
    "genai delete of a store": (
        span(1, memory("delete_memory_store", **{"store.id": "main"})),
        ("drop_store", "main", None, None, None, True, []),
    ),
    "genai-draft scalars": (
        span(
            1,
            memory(
                "search_memory",
                **{"query": "size?", "search.result.count": 1, "store.name": "main", "content": RECORDS[:1]},
            ),
        ),
        ("search", "main", "size?", 1, None, True, [("m7", "wears 42", 0.8)]),
    ),
    "genai-draft update": (
        span(1, memory("update_memory", id="m7", content="wears 43", namespace="n")),
        ("upsert", "n", None, 1, None, True, [("m7", "wears 43", None)]),
    ),
    "genai-draft arrays": (
        span(1, memory("query_memory", ids=["a", "b"], types=["session"]), name="query_memory"),
        ("search", "", None, 2, None, True, [("a", None, None), ("b", None, None)]),
    ),
    "genai-draft name of a span": (
        span(1, {"gen_ai.memory.query": "size?"}, name="gen_ai.memory.search"),
        ("search", "", "size?", None, None, False, []),
    ),
    "strands search": (
        span(
            1,
            {"gen_ai.operation.name": "memory.search", "memory.store.names": '["personal"]',
             "memory.result.count": 1, "memory.max_search_results": 5, "memory.store.failure_count": 1},
            events=[
                ("memory.query", {"content": "size?"}),
                ("memory.results", {"content": json.dumps([{"content": "wears 42", "store_name": "personal"}])}),
            ],
        ),
        ("search", "personal", "size?", 1, 5, True, [("h", "wears 42", None)]),
    ),
    "strands add": (
        span(1, {"gen_ai.operation.name": "memory.add"}, events=[("memory.content", {"content": "wears 42"})]),
        ("add", "", None, 1, None, True, [("h", "wears 42", None)]),
    ),
    "strands extract": (
        span(1, {"gen_ai.operation.name": "memory.extract", "memory.store.name": "p", "memory.entry.count": 2}),
        ("upsert", "p", None, 2, None, False, []),
    ),
    "memory-semconv cognee": (
        span(1, {"memory.system": "cognee", "memory.operation": "retrieve", "memory.query.text": "size?",
                 "memory.result.count": 2, "memory.collection": "main", "cognee.search.top_k": 4}),
        ("search", "main", "size?", 2, 4, False, []),
    ),
    "memory-semconv mem0": (
        span(1, {"memory.operation": "add", "memory.event": "UPDATE", "memory.id": "m7"}, name="memory.add"),
        ("update", "", None, 1, None, True, [("m7", None, None)]),
    ),
    "memory-semconv kagent": (
        span(1, {"memory.result.count": 0}, name="memory.read"),
        ("search", "", None, 0, None, True, []),
    ),
    "openinference": (
        span(1, {"openinference.span.kind": "RETRIEVER", "input.value": "size?",
                 "retrieval.documents.1.document.id": 12, "retrieval.documents.1.document.content": "b",
                 "retrieval.documents.0.document.id": "m7", "retrieval.documents.0.document.content": "a",
                 "retrieval.documents.0.document.score": 0.5}),
        ("search", "", "size?", 2, None, True, [("m7", "a", 0.5), ("12", "b", None)]),
    ),
    "openllmetry": (
        span(1, {"db.system": "chroma", "db.operation": "query", "db.vector.query.top_k": 2},
             events=[
                 ("db.query.result", {"db.query.result.id": "m7", "db.query.result.document": "a",
                                      "db.query.result.distance": 0.1}),
                 ("db.query.result", {"db.query.result.id": "m8", "db.query.result.score": 0.4}),
             ]),
        ("search", "", None, 2, 2, True, [("m7", "a", None), ("m8", None, 0.4)]),
    ),
    "openllmetry write": (
        span(1, {"db.system": "qdrant", "db.operation": "upsert", "db.collection.name": "c"}),
        ("upsert", "c", None, None, None, False, []),
    ),
    "openllmetry delete": (
        span(1, {"db.system": "qdrant", "db.operation": "delete"}),
        ("delete", "", None, None, None, False, []),
    ),
    "genai-retrieval": (
        span(1, {"gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": "kb",
                 "gen_ai.retrieval.query.text": "size?", "gen_ai.retrieval.top_k": 3,
                 "gen_ai.retrieval.documents": [{"id": "d1", "score": 0.9}]}),
        ("search", "kb", "size?", 1, 3, True, [("d1", None, 0.9)]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_span_is_read_as_its_dialect_means_it(tmp_path: Path, case: str) -> None:
    """Operation, store, query, counts, and records as far as they were captured."""
    spelled, expected = CASES[case]
    traffic = imported(tmp_path, [line(spelled)])
    (row,) = rows(traffic)
    counts = (None if np.isnan(row[name]) else row[name] for name in ("returned", "asked"))
    records = [
        ("h" if each["memory"].startswith("h:") else each["memory"], each["text"], each["score"])
        for each in row["records"]
    ]
    scores = [None if np.isnan(score) else score for _, _, score in records]
    returned, asked = counts
    assert case.startswith(row["dialect"])
    assert expected == (
        row["operation"], row["store"], row["query"], returned, asked, bool(row["captured"]),
        [(name, text, score) for (name, text, _), score in zip(records, scores, strict=True)],
    )  # fmt: skip


def test_an_array_of_effects_is_several_operations(tmp_path: Path) -> None:
    """What one span created and what it pruned are two rows; arrays of unlike length are noted."""
    values = {"ids": ["a", "b", "c"], "operations": ["created", "pruned", "created"], "store.names": ["s"]}
    traffic = imported(tmp_path, [line(span(1, memory("save_memory", **values)))])
    whole = [(row["operation"], [each["memory"] for each in row["records"]]) for row in rows(traffic)]
    assert whole == [("add", ["a", "c"]), ("delete", ["b"])]
    odd = imported_in(tmp_path / "odd", memory("save_memory", ids=["a", "b"], operations=["created"]))
    assert odd.ledger.noted == {"arrays of different lengths": 1}


def imported_in(folder: Path, values: dict[str, Any], **more: Any) -> Any:
    """Import one span in a folder of its own."""
    folder.mkdir()
    return imported(folder, [line(span(1, values, **more))])


def test_what_cannot_be_read_is_counted_and_never_guessed(tmp_path: Path) -> None:
    """Unparsable records, dropped attributes, scores that rise, unknown spans and those that are no operation."""
    spans = [
        span(1, memory("search_memory", records="[{'id': 1}]")),
        span(2, memory("search_memory", records=RECORDS), droppedAttributesCount=2),
        span(3, memory("search_memory", records=[{"content": "a", "score": 1}, {"content": "b", "score": 2.0}])),
        span(4, {"gen_ai.operation.name": "consolidate_memory"}, name="consolidate"),
        span(5, {"agent.memory.size": 3}, name="tick"),
        span(6, {}, name="Memory flush"),
        span(7, memory("create_memory_store", **{"store.id": "s"})),
        span(8, {"openinference.span.kind": "RERANKER"}),
        span(9, {"gen_ai.operation.name": "memory.inject", "memory.injected": True}),
        span(10, {"db.system": "postgresql", "db.operation": "SELECT"}),
    ]
    traffic = imported(tmp_path, [line(*spans)])
    ledger = traffic.ledger
    assert (ledger.unparsable, ledger.dropped_attributes, ledger.operations) == (1, 1, 3)
    assert ledger.unknown == {"Memory flush": 1, "consolidate": 1, "tick": 1}
    assert ledger.noted == {
        "a reranking of what was retrieved": 1,
        "a store was made": 1,
        "an injection, whose search has a span of its own": 1,
        "scores that rise with rank": 1,
    }
    assert [bool(row["captured"]) for row in rows(traffic)] == [False, False, True]
    assert rows(traffic)[1]["records"] == []


@pytest.mark.parametrize(
    ("values", "more", "expected"),
    [
        ({"error.type": "ReadTimeout"}, {}, ("timeout", "ReadTimeout")),
        ({"error.type": "deadline_exceeded"}, {}, ("timeout", "deadline_exceeded")),
        ({"error.type": "asyncio.CancelledError"}, {}, ("cancelled", "asyncio.CancelledError")),
        ({"error.type": "429"}, {"status": {"code": 2}}, ("error", "429")),
        ({}, {"status": {"code": 2}}, ("error", "error")),
        (
            {},
            {"status": {"code": 2}, "events": [("exception", {"exception.type": "KeyError"})]},
            ("error", "KeyError"),
        ),
        ({"gen_ai.memory.record.count": 0}, {"status": {"code": 1}}, ("empty", "")),
        ({"gen_ai.memory.records": []}, {}, ("empty", "")),
        ({"gen_ai.memory.records": "[]"}, {}, ("empty", "")),
        ({}, {}, ("ok", "")),
    ],
)
def test_an_operation_ends_as_its_span_says(
    tmp_path: Path, values: dict[str, Any], more: dict[str, Any], expected: tuple[str, str]
) -> None:
    """By the type of its error, else by its status; nothing is empty unless it was counted or listed."""
    traffic = imported_in(tmp_path / "one", memory("search_memory") | values, **more)
    (row,) = rows(traffic)
    assert (row["outcome"], row["reason"]) == expected


def test_an_attribute_that_occurs_twice_counts_last(tmp_path: Path) -> None:
    """The convention leaves it open, so it is counted too."""
    twice = span(1, memory("search_memory", **{"record.count": 1}))
    twice["attributes"] += span(1, {"gen_ai.memory.record.count": 0})["attributes"]
    traffic = imported(tmp_path, [line(twice)])
    assert rows(traffic)[0]["outcome"] == "empty"
    assert traffic.ledger.noted == {"an attribute that occurs twice": 1}


def test_texts_are_off_unless_they_are_asked_for(tmp_path: Path) -> None:
    """Hashes and lengths are there all the same."""
    (row,) = rows(imported(tmp_path, [MINIMAL], options=OtlpOptions()))
    assert (row["query"], row["records"][0]["text"], row["records"][0]["characters"]) == (None, None, 8)
    assert row["query_hash"] is not None
    assert row["context_tokens"] == 2
