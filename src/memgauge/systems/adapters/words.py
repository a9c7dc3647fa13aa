"""Search by one word after the other, where a product takes a whole query for one phrase."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.records import Hit
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SHORTEST_WORD = 3
BY_WORDS = f"a search asks for each word of {SHORTEST_WORD} letters or more and ranks by how many are found"


def ranked_by_words(query: str, find: Callable[[str], Iterable[Hit]]) -> list[Hit]:
    """Rank by how many words of *query* are found; equals stay in the order in which they were first returned."""
    words = dict.fromkeys(word for word in tokenize(query) if len(word) >= SHORTEST_WORD)
    hits: dict[str, Hit] = {}
    count: Counter[str] = Counter()
    for word in words:
        for hit in find(word):
            hits.setdefault(hit.memory.id, Hit(hit.memory))
            count[hit.memory.id] += 1
    return [hits[name] for name, _ in count.most_common()]
