"""Finding: words and vectors over the items of one scope, seen at one moment."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import MissingExtraError
from memgauge.records.statements import ME
from memgauge.retrieval.fusion import ranked_to, reciprocal_rank_fusion
from memgauge.retrieval.growing import GrowingArray, GrowingBM25, GrowingVectors
from memgauge.retrieval.minilm import MiniLM
from memgauge.systems.pipeline.slots import slot_of
from memgauge.systems.policies.embedding import open_embedder
from memgauge.systems.policies.lexical import tokenizer
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    import numpy.typing as npt

    from memgauge.retrieval.embedders import Embedder
    from memgauge.systems.pipeline.asking import ParsedQuestion
    from memgauge.systems.pipeline.items import PipelineItem

    Mask = npt.NDArray[np.bool_]

DEPTH = 100
"""How many visible items each list gives to the fusion, at least."""
_STEM, _STOP, _C = "english", "lucene", 60
_LONGEST = 8
"""Words of the longest name of a slot that is looked for in a question."""
_EARLY, _LATE = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class Finder:
    """The index of one scope: items in the order in which they came; a change of what is known keeps the place."""

    def __init__(self, embedder: Embedder | None) -> None:
        self._words = GrowingBM25(tokenizer(_STEM, _STOP))
        self._vectors = None if embedder is None else GrowingVectors(embedder)
        self._items: list[PipelineItem] = []
        self._place: dict[str, int] = {}
        self._by_slot: defaultdict[str, dict[int, None]] = defaultdict(dict)
        self._others: defaultdict[str, dict[int, None]] = defaultdict(dict)
        self._said, self._from, self._to, self._expires = (GrowingArray(np.int64) for _ in range(4))
        self._facts, self._covered = GrowingArray(np.bool_), GrowingArray(np.bool_)

    def take(self, items: Iterable[PipelineItem]) -> None:
        """Index *items*; of one that is known, everything but the text may have changed."""
        fresh = []
        for item in items:
            place = self._place.get(item.id)
            if place is None:
                place = self._place[item.id] = len(self._items)
                self._items.append(item)
                self._words.add(item.text)
                fresh.append(item.text)
                if item.slot is not None:
                    (self._by_slot if item.subject == ME else self._others)[item.slot][place] = None
            self._items[place] = item
            self._note(place, item)
        if fresh and self._vectors is not None:
            self._vectors.add(fresh)

    def _note(self, place: int, item: PipelineItem) -> None:
        self._said.put(place, _EARLY if item.at is None else item.at.toordinal())
        self._from.put(place, _ticks(item.valid_from, _EARLY))
        self._to.put(place, _ticks(item.valid_to, _LATE))
        self._expires.put(place, _ticks(item.expires, _LATE))
        self._facts.put(place, item.slot is not None)
        self._covered.put(place, item.covered or item.quarantined)

    def find(
        self, query: str, asked: ParsedQuestion, now: datetime | None, k: int, *, history: bool
    ) -> list[tuple[PipelineItem, float]]:
        """Return the best *k*: facts of a slot that is asked for first, then by words and meaning.

        Names that a slot stands for ("my manager") are looked for as well. *now* is when it is asked.
        """
        if not self._items or k < 1:
            return []
        visible = self._visible(now, now, history=history)
        slots = list(dict.fromkeys([*asked.slots, *self._named(query)]))
        of_slots = {place: None for slot in slots for place in self._by_slot.get(slot, ())}
        places = np.fromiter(of_slots, dtype=np.int64, count=len(of_slots))
        if asked.day is not None:
            then = self._visible(asked.at(now), now, history=history)
            visible |= then
            visible[places] = then[places]
        visible &= ~self._of_others(query, asked.slots)
        first = sorted((place for place in of_slots if visible[place]), key=self._began, reverse=True)
        names = [] if history else [str(self._items[place].value) for place in first]
        depth = max(k, DEPTH)
        searches = [partial(self._words.search, " ".join([query, *names[:DEPTH]]), allowed=visible)]
        if self._vectors is not None:
            searches.append(partial(self._vectors.search, query, allowed=visible))
        fused = dict(reciprocal_rank_fusion([ranked_to(depth, search) for search in searches], c=_C))
        top = 2 * len(searches) / (_C + 1)
        scores = {**fused, **{place: top - n / (_C * len(self._items)) for n, place in enumerate(first)}}
        best = sorted(scores, key=lambda place: (-scores[place], -place))[:k]
        return [(self._items[place], scores[place]) for place in best]

    def _named(self, query: str) -> list[str]:
        """Return the slots that are known here and that *query* names."""
        words = tokenize(query)[: 16 * DEPTH]
        spans = (" ".join(words[i : i + n]) for n in range(1, _LONGEST + 1) for i in range(len(words) - n + 1))
        return [slot for slot in map(slot_of, spans) if slot in self._by_slot]

    def _of_others(self, query: str, slots: Sequence[str]) -> Mask:
        """Mark what others said of themselves of a slot that is asked for, unless they are named."""
        words = f" {' '.join(tokenize(query))} "
        mask: Mask = np.zeros(len(self._items), dtype=np.bool_)
        for slot in slots:
            for place in self._others.get(slot, ()):
                mask[place] = f" {' '.join(tokenize(self._items[place].subject or ''))} " not in words
        return mask

    def _began(self, place: int) -> tuple[int, int]:
        return int(self._from.all[place]), place

    def _visible(self, at: datetime | None, now: datetime | None, *, history: bool) -> Mask:
        """Mark what may be returned: not covered or expired now, and facts that hold, or turns said, by then."""
        then, asked = _ticks(at, _LATE), _ticks(now, _LATE)
        facts = self._facts.all
        tellable = ~self._covered.all & (self._expires.all > asked if now else self._expires.all == _LATE)
        ended = self._to.all > then if at else self._to.all == _LATE
        begun = self._from.all <= then
        by_then = facts | (self._said.all <= (_LATE if now is None else now.toordinal()))
        mask: Mask = tellable & by_then & np.where(facts, begun & (ended | history), ended)
        return mask


def open_vectors(name: str, *, lasting: bool) -> Embedder | None:
    """Open what embeds: ``semantic`` is MiniLM where its weights are at hand, and ``none`` nothing.

    *name* is one of these two, or an embedder that the dense policies take. *lasting*: the store is a file that
    things are erased from; then no cache keeps vectors of MiniLM.
    """
    if name == "none":
        return None
    try:
        if lasting and name in {"semantic", "minilm"}:
            return MiniLM()
        return open_embedder("minilm" if name == "semantic" else name)
    except MissingExtraError:
        if name == "semantic":
            return None
        raise


def _ticks(at: datetime | None, otherwise: int) -> int:
    """Return a time as whole microseconds, without a zone."""
    if at is None:
        return otherwise
    seconds = (at.hour * 60 + at.minute) * 60 + at.second
    return (at.toordinal() * 86_400 + seconds) * 1_000_000 + at.microsecond
