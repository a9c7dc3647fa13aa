"""Finding: words and vectors over the items of one scope, seen at one moment."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from memgauge.errors import MissingExtraError
from memgauge.retrieval.fusion import reciprocal_rank_fusion
from memgauge.retrieval.growing import GrowingBM25, GrowingVectors
from memgauge.systems.pipeline.statements import ME
from memgauge.systems.policies.dense import open_embedder
from memgauge.systems.policies.lexical import tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from memgauge.systems.pipeline.ledger import Item

DEPTH = 100
"""How many visible items each list gives to the fusion."""
SLACK = 4
"""How many times as many are read, since some are not visible at the moment that is asked about."""
_STEM, _STOP, _C = "english", "lucene", 60


class Finder:
    """The index of one scope; a new version of an item takes the old one's place."""

    def __init__(self, embedder: str) -> None:
        self._words = GrowingBM25(tokenizer(_STEM, _STOP))
        self._vectors = _vectors(embedder)
        self._items: list[Item] = []
        self._place: dict[str, int] = {}
        self._by_slot: defaultdict[str, set[int]] = defaultdict(set)

    def take(self, items: Iterable[Item]) -> None:
        """Index *items*; where the text is the same, only what is known about it changes."""
        fresh = []
        for item in items:
            place = self._place.get(item.id)
            if place is None or self._items[place].text != item.text:
                place = self._place[item.id] = len(self._items)
                self._items.append(item)
                self._words.add(item.text)
                fresh.append(item.text)
            else:
                self._items[place] = item
            if item.slot is not None and item.subject == ME:
                self._by_slot[item.slot].add(place)
        if fresh and self._vectors is not None:
            self._vectors.add(fresh)

    def find(
        self, query: str, slots: Sequence[str], at: datetime | None, k: int, *, history: bool
    ) -> list[tuple[Item, float]]:
        """Return the best *k*: facts of a slot that is asked for first, then by words and meaning.

        Names that a slot stands for ("my manager") are looked for as well.
        """
        if not self._items or not k:
            return []
        asked = self._facts(slots, at, history=history)
        names = [str(self._items[place].value) for place in asked if not history]
        widened = " ".join([query, *names])
        lists = [self._words.search(widened, SLACK * max(k, DEPTH))]
        if self._vectors is not None:
            lists.append(self._vectors.search(query, SLACK * max(k, DEPTH)))
        seen = [[place for place, _ in found if self._visible(place, at, history=history)] for found in lists]
        fused = dict(reciprocal_rank_fusion([ranking[: max(k, DEPTH)] for ranking in seen], c=_C))
        first = 2 * len(lists) / (_C + 1)
        scores = {**fused, **{place: first - n / (_C * len(self._items)) for n, place in enumerate(asked)}}
        best = sorted(scores, key=lambda place: (-scores[place], -place))[:k]
        return [(self._items[place], scores[place]) for place in best]

    def _facts(self, slots: Sequence[str], at: datetime | None, *, history: bool) -> list[int]:
        """Return the visible facts of the user's own *slots*, the latest first."""
        places = {place for slot in slots for place in self._by_slot.get(slot, ())}
        return sorted((p for p in places if self._visible(p, at, history=history)), reverse=True)

    def _visible(self, place: int, at: datetime | None, *, history: bool) -> bool:
        """Whether an item may be returned: the present version, not told better by a fact, and valid then."""
        item = self._items[place]
        if self._place[item.id] != place or item.covered:
            return False
        if item.slot is None:
            return item.valid_to is None or (at is not None and at < item.valid_to)
        return history or item.holds(at)


def _vectors(embedder: str) -> GrowingVectors | None:
    if embedder == "none":
        return None
    if embedder != "semantic":
        return GrowingVectors(open_embedder(embedder))
    try:
        return GrowingVectors(open_embedder("minilm"))
    except MissingExtraError:
        return None
