"""Chunks of consecutive turns, retrieved by vectors and looked at again."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.records import Form, Memory, ScoreKind
from memgauge.registry import unknown_name
from memgauge.retrieval.rerankers import open_reranker
from memgauge.systems.policies.dense import VectorIndex, open_embedder
from memgauge.systems.policies.indexed import IndexedPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records import Receipt, Scope, Turn
    from memgauge.systems.policies.indexed import Index
    from memgauge.systems.policies.store import Shelf

RERANKERS = ("best", "lexical", "cross-encoder")


class Chunked(IndexedPolicy):
    """Keeps chunks of consecutive turns, finds many by vectors and orders them by a second look.

    Tie rule: score of the second look, then the order of the first. ``rerank=lexical`` is a stand-in that needs no
    weights; ``cross-encoder`` reads the folder that MEMGAUGE_RERANKER names; ``best`` takes what there is.
    """

    name = "chunks"
    score_kind = ScoreKind.SIMILARITY
    needs = ("embedder",)

    def __init__(
        self,
        *,
        turns: int = 4,
        candidates: int = 50,
        embedder: str = "best",
        rerank: str = "best",
        speaker: bool = True,
    ) -> None:
        """Chunk *turns* turns of a session together, and look at *candidates* chunks again."""
        super().__init__(speaker=speaker)
        if turns < 1 or candidates < 1:
            raise ConfigError("A chunk has at least one turn, and a second look at least one candidate.")
        if rerank not in RERANKERS:
            raise unknown_name("reranker", rerank, RERANKERS)
        self._turns = turns
        self._candidates = candidates
        self._embedder = open_embedder(embedder)
        self._reranker = open_reranker(rerank)
        self._open: defaultdict[Scope, list[Turn]] = defaultdict(list)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add *turns* to the chunk that is open, and begin another where it is full or its session is over."""
        chunks: dict[str, Memory] = {}
        for turn in turns:
            held = self._open[scope]
            if len(held) == self._turns or (held and held[-1].session != turn.session):
                held.clear()
            held.append(turn)
            chunk = self._chunk(held)
            chunks[chunk.id] = chunk
        return self._put(list(chunks.values()), scope)

    def rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Iterator[tuple[Memory, float | None]]:
        """Order the nearest chunks by the second look."""
        near = [memory for memory, _ in super().rank(query, scope, shelf, max(k, self._candidates))]
        scores = self._reranker.scores(query, [memory.text for memory in near])
        order = sorted(range(len(near)), key=lambda place: (-scores[place], place))
        return ((near[place], scores[place]) for place in order)

    def new_index(self, scope: Scope) -> Index:  # noqa: ARG002 - the protocol of the base
        """Make an empty index of vectors."""
        return VectorIndex(self._embedder)

    def erase(self, scope: Scope) -> None:
        """Forget *scope*, the chunk that is open included."""
        super().erase(scope)
        self._open.pop(scope, None)

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._open.clear()

    def _chunk(self, turns: Sequence[Turn]) -> Memory:
        text = "\n".join(self._memory(turn).text for turn in turns)
        sources = tuple(turn.id for turn in turns)
        return Memory(f"{sources[0]}/chunk", text, Form.CANONICAL, sources, event_at=turns[-1].at)
