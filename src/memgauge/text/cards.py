"""What the cards of embedding models say stands before a text: a query is no document to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_PASSAGES: Final = "Represent this sentence for searching relevant passages: "
_INSTRUCTED: Final = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What a model was trained to see before a query, and before a document."""

    query: str = ""
    document: str = ""

    def __bool__(self) -> bool:
        return bool(self.query or self.document)

    def before(self, side: str) -> str:
        """Return what stands before a text of *side*, ``query`` or ``document``."""
        return self.query if side == "query" else self.document


_CARDS: Final = tuple(
    (re.compile(rf"(?:^|[^a-z0-9]){name}", re.IGNORECASE), prefixes)
    for name, prefixes in (
        (r"e5-(?:mistral|.*-instruct)|(?:multilingual-)?e5-large-instruct", Prefixes(_INSTRUCTED)),
        (r"e5(?![a-z0-9])", Prefixes("query: ", "passage: ")),
        (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
        (r"bge-(?:small|base|large)-en", Prefixes(_PASSAGES)),
        (r"mxbai-embed", Prefixes(_PASSAGES)),
        (r"(?:snowflake-)?arctic-embed.*(?:v2|2\.0)", Prefixes("query: ")),
        (r"(?:snowflake-)?arctic-embed", Prefixes(_PASSAGES)),
        (r"embedding-?gemma", Prefixes("task: search result | query: ", "title: none | text: ")),
        (r"qwen3-embedding", Prefixes(_INSTRUCTED)),
    )
)
"""By a part of the model's name, the first that fits. Source: the models' own cards, as of 2026-11."""


def prefixes_of(model: str) -> Prefixes:
    """Return what the card of *model* asks for; nothing where it asks for nothing, or nobody here knows it.

    >>> prefixes_of("intfloat/multilingual-e5-small")
    Prefixes(query='query: ', document='passage: ')
    >>> bool(prefixes_of("text-embedding-3-small"))
    False
    """
    return next((prefixes for name, prefixes in _CARDS if name.search(model)), Prefixes())
