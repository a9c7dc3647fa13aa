"""OpenInference: retrievers, whose documents are flattened into attributes with their place in the name."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.otlp.drafts import (
    DraftOperation,
    DraftRecord,
    content_of,
    count_of,
    name_of,
    score_of,
    spelled,
    text_of,
)
from memgauge.exchange.traffic.rows import TrafficKind

if TYPE_CHECKING:
    from memgauge.exchange.otlp.spans import Attributes, TracedSpan

_DOCUMENT: Final = re.compile(r"retrieval\.documents\.([0-9]{1,6})\.document\.(id|content|score)").fullmatch
_KIND: Final = "openinference.span.kind"


def read(span: TracedSpan) -> tuple[DraftOperation, ...] | str | None:
    """Read a retriever as a search; a place is a rank, from 0."""
    attributes = span.attributes
    kind = attributes.get(_KIND)
    if kind == "RERANKER":
        return "a reranking of what was retrieved"
    if kind != "RETRIEVER":
        return None
    records, gaps = _documents(attributes)
    return (
        DraftOperation(
            TrafficKind.SEARCH,
            store=name_of(attributes, "gen_ai.data_source.id", "retrieval.store"),
            query=text_of(attributes, "input.value"),
            asked=count_of(attributes, "retrieval.top_k"),
            records=records,
            notes=("a place of a list that is missing",) * gaps,
        ),
    )


def _documents(attributes: Attributes) -> tuple[tuple[DraftRecord, ...] | None, int]:
    """Gather documents by place; a list with a gap is not whole."""
    documents: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    for name, value in attributes.items():
        if name.startswith("retrieval.documents") and (match := _DOCUMENT(name)):
            documents[int(match[1])][match[2]] = value
    if not documents:  # an empty list is an attribute of its own
        return (() if attributes.get("retrieval.documents") == [] else None), 0
    gaps = max(documents) + 1 - len(documents)
    records = tuple(
        DraftRecord(
            spelled(document.get("id")), content_of(document.get("content")), score_of(document.get("score"))
        )
        for _, document in sorted(documents.items())
    )
    return records, gaps
