"""Chunks of consecutive turns, retrieved by vectors and looked at again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.records import Form, Memory, ScoreKind
from memgauge.retrieval.embedders import identities_of
from memgauge.retrieval.rerankers import open_reranker
from memgauge.systems.locking import locked
from memgauge.systems.policies.dense import VectorIndex, looked_again
from memgauge.systems.policies.embedding import open_embedder, stand_ins_of
from memgauge.systems.policies.indexed import IndexedPolicy
from memgauge.systems.policies.writing import TURNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memgauge import ranges
    from memgauge.records import Receipt, Scope, Turn
    from memgauge.systems.policies.indexed import Index
    from memgauge.systems.policies.store import Shelf


@dataclass(kw_only=True, eq=False)
class Chunked(IndexedPolicy):
    """Keeps chunks of consecutive turns, finds many by vectors and orders them by a second look.

    What the second look does not reach follows in the order of the first, without a score. Tie rule: score of the
    second look, then the order of the first. ``rerank=lexical`` is a stand-in that needs no weights;
    ``cross-encoder`` reads the folder that MEMGAUGE_RERANKER names; ``best`` takes what there is.
    """

    name = "chunks"
    score_kind = ScoreKind.SIMILARITY
    needs = ("embedder",)

    turns: ranges.Count = 4
    """Turns of a session that are chunked together."""
    candidates: ranges.Count = 50
    """Chunks that are looked at again."""
    embedder: str = "best"
    dim: ranges.Dimension = 0
    rerank: str = "best"
    store: str = field(default=TURNS, init=False)
    capacity: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Open what embeds, and what looks again."""
        super().__post_init__()
        self._embedder = open_embedder(self.embedder, self.dim)
        self.stand_ins = stand_ins_of(self._embedder)
        self.models = identities_of(self._embedder)
        self._reranker = open_reranker(self.rerank)
        self._chunks: defaultdict[Scope, list[list[Turn]]] = defaultdict(list)
        self._held: defaultdict[Scope, dict[str, list[Turn]]] = defaultdict(dict)

    @locked
    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add *turns* to the chunk that is open, and begin another where it is full or its session is over.

        A turn that comes again takes its old place.
        """
        changed: dict[str, Memory] = {}
        for turn in turns:
            held = self._hold(turn, scope)
            chunk = self._chunk(held)
            changed[chunk.id] = chunk
        return self._put(list(changed.values()), scope)

    def _hold(self, turn: Turn, scope: Scope) -> list[Turn]:
        """Put a turn into its chunk, and return all turns of that."""
        known = self._held[scope]
        if turn.id in known:
            held = known[turn.id]
            held[[each.id for each in held].index(turn.id)] = turn
            return held
        chunks = self._chunks[scope]
        if not chunks or len(chunks[-1]) >= self.turns or chunks[-1][-1].session != turn.session:
            chunks.append([])
        chunks[-1].append(turn)
        known[turn.id] = chunks[-1]
        return chunks[-1]

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Iterator[tuple[Memory, float | None]]:
        near = [memory for memory, _ in super()._rank(query, scope, shelf, max(k, self.candidates))]
        return looked_again(self._reranker, query, near, self.candidates)

    @locked
    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one chunk; what comes later does not bring the old one back."""
        self._close(scope)
        return super().update(memory, text, scope)

    @locked
    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove chunks by id, and those of whose turns all are named; return how many of the named were there."""
        self._close(scope)
        return super().delete(memories, scope)

    def sweep(self, now: datetime) -> None:
        """Remove what has expired by *now*, in all scopes."""
        for scope in list(self._chunks):
            self._close(scope)
        super().sweep(now)

    def _close(self, scope: Scope) -> None:
        """Let the next turn of *scope* begin a chunk, and forget the words of the ones before."""
        self._chunks.pop(scope, None)
        self._held.pop(scope, None)

    def _new_index(self, scope: Scope) -> Index:  # noqa: ARG002 - the protocol of the base
        return VectorIndex(self._embedder)

    @locked
    def erase(self, scope: Scope) -> None:
        """Forget *scope*, its chunks included."""
        super().erase(scope)
        self._close(scope)

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._chunks.clear()
        self._held.clear()

    def _chunk(self, turns: Sequence[Turn]) -> Memory:
        text = "\n".join(self._memory(turn).text for turn in turns)
        sources = tuple(turn.id for turn in turns)
        return Memory(f"{sources[0]}/chunk", text, Form.CANONICAL, sources, event_at=turns[-1].at)
