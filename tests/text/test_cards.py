"""What stands before a text is read off a model's name, and off nothing that only looks like one."""

from __future__ import annotations

import pytest

from memgauge.text.cards import prefixes_of


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("e5-base-v2.Q8_0.gguf", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", "Instruct: Given", ""),
        ("nomic-embed-text:v1.5", "search_query: ", "search_document: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence", ""),
        ("snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("snowflake-arctic-embed-m", "Represent this sentence", ""),
        ("bge-m3", "", ""),
        ("text-embedding-3-small", "", ""),
        ("all-MiniLM-L6-v2", "", ""),
        ("phone5", "", ""),
    ],
)
def test_a_card_is_known_by_the_name_of_its_model(model: str, query: str, document: str) -> None:
    """Both sides, in any spelling of the name; a model without a card is asked as it is."""
    prefixes = prefixes_of(model)
    assert prefixes.query.startswith(query)
    assert (prefixes.document, bool(prefixes.query)) == (document, bool(query))
