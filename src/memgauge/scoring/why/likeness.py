"""What a question and the texts beside it have in common: words, and vectors where an embedder is at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.errors import MemgaugeError
from memgauge.scoring.turn_words import matched_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NO_QUERY = "the words of the question are not in the record"


@dataclass(frozen=True)
class TextLikeness:
    """How near texts are to a question; by text."""

    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cosines: Mapping[str, float] = field(default_factory=dict)
    embedder: str = ""
    why_no_cosines: str = ""
    """Why no vectors were compared; empty where they were."""


def likeness(query: str | None, texts: Sequence[str], embedder: str) -> TextLikeness:
    """Compare *texts* with *query*; an *embedder* is opened only where there is something to compare.

    Args:
        query: What was asked; ``None`` where nobody knows.
        texts: What is laid beside it.
        embedder: By its name; empty compares words alone.
    """
    if query is None:
        return TextLikeness(why_no_cosines=NO_QUERY)
    words = {text: matched_words(text, query) for text in texts}
    if not embedder:
        return TextLikeness(words, why_no_cosines="no embedder was asked for")
    if not words:
        return TextLikeness(words, why_no_cosines="there is no text to compare")
    from memgauge.retrieval.embedders import embed_documents, embed_queries
    from memgauge.systems.policies.embedding import open_embedder, stand_ins_of

    try:
        model = open_embedder(embedder)
        (asked,), rows = embed_queries(model, [query]), embed_documents(model, list(words))
    except MemgaugeError as error:
        return TextLikeness(words, why_no_cosines=str(error).rstrip("."))
    cosines = {text: float(row @ asked) for text, row in zip(words, rows, strict=True)}
    return TextLikeness(words, cosines, ", ".join((model.name, *stand_ins_of(model))))
