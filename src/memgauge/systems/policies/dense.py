"""Dense policies: sentence vectors alone, and fused with BM25."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import ScoreKind
from memgauge.retrieval.bm25 import BM25
from memgauge.retrieval.dense import DenseIndex
from memgauge.retrieval.embedders import embed_documents, embed_queries, identities_of
from memgauge.retrieval.fusion import ranked_to, reciprocal_rank_fusion
from memgauge.retrieval.rerankers import open_reranker
from memgauge.retrieval.topk import by_hash, hash_keys
from memgauge.systems.policies.embedding import OneSided, open_embedder, stand_ins_of
from memgauge.systems.policies.indexed import IndexedPolicy
from memgauge.systems.policies.lexical import RUNS, WordIndex, tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from memgauge import ranges
    from memgauge.records import Memory, Scope
    from memgauge.retrieval.embedders import Embedder
    from memgauge.retrieval.rerankers import Reranker
    from memgauge.systems.policies.indexed import Index
    from memgauge.systems.policies.store import Shelf

SHARED = ".1"
"""Behind the version of a policy that fuses: since then, equal scores of one ranking share a rank."""
DEPTH = 100
"""How far down each list the fusion reads, at least: rank 100 adds a third of rank 1's share."""


class VectorIndex:
    """Vectors of memories, embedded in batches as they come."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._ids: list[str] = []
        self._rows: npt.NDArray[np.float32] | None = None
        self._index: DenseIndex | None = None

    def extend(self, memories: Sequence[Memory]) -> None:
        """Embed *memories*."""
        rows = embed_documents(self._embedder, [m.text for m in memories])
        self._rows = rows if self._rows is None else np.concatenate([self._rows, rows])
        self._ids += [memory.id for memory in memories]
        self._index = None

    def search(self, query: str, k: int) -> Sequence[tuple[int, float]]:
        """Return places and cosines of the best *k*."""
        if self._rows is None:
            return []
        if self._index is None:
            self._index = DenseIndex(self._rows, order=by_hash(self._ids))
        places, scores = self._index.search(embed_queries(self._embedder, [query])[0], k)
        return list(zip(places.tolist(), scores.tolist(), strict=True))


class FusedIndex:
    """Several indexes over the same memories, merged by reciprocal rank."""

    def __init__(self, parts: Sequence[Index], c: float) -> None:
        self._parts = parts
        self._c = c
        self._ties: list[int] = []

    def extend(self, memories: Sequence[Memory]) -> None:
        """Add *memories* to every part."""
        self._ties += hash_keys(memory.id for memory in memories).tolist()
        for part in self._parts:
            part.extend(memories)

    def search(self, query: str, k: int) -> Sequence[tuple[int, float]]:
        """Return places and fused scores of all that is fused, the same whatever *k* is asked up to the depth."""
        depth = max(k, DEPTH)
        rankings = [ranked_to(depth, partial(part.search, query)) for part in self._parts]
        return reciprocal_rank_fusion(rankings, c=self._c, tie_ranks=self._ties)


def looked_again(
    reranker: Reranker, query: str, near: Sequence[Memory], candidates: int
) -> Iterator[tuple[Memory, float | None]]:
    """Order the first *candidates* by a second look; what it does not reach follows as it was, without a score."""
    looked = near[:candidates]
    scores = reranker.scores(query, [memory.text for memory in looked])
    order = sorted(range(len(looked)), key=lambda place: (-scores[place], place))
    yield from ((looked[place], scores[place]) for place in order)
    yield from ((memory, None) for memory in near[candidates:])


@dataclass(kw_only=True, eq=False)
class DensePolicy(IndexedPolicy):
    """Ranks turns by the cosine of sentence vectors (MiniLM). Tie rule: score, then a hash of the turn id.

    ``embedder=hashed`` is an offline stand-in that sees shared words only.
    """

    name = "dense"
    score_kind = ScoreKind.SIMILARITY
    needs = ("embedder",)

    embedder: str = "minilm"
    dim: ranges.Dimension = 0
    """How long vectors are, where the model can shorten them; its own length if nothing is said."""
    sides: bool = True
    """Whether a query is embedded as one, where that makes a difference to the model."""

    def __post_init__(self) -> None:
        """Open the embedder."""
        super().__post_init__()
        embedder = open_embedder(self.embedder, self.dim)
        self._embedder = embedder if self.sides else OneSided(embedder)
        self.stand_ins = stand_ins_of(embedder)
        self.models = identities_of(self._embedder)

    def _new_index(self, scope: Scope) -> Index:  # noqa: ARG002 - the protocol of the base
        return VectorIndex(self._embedder)


@dataclass(kw_only=True, eq=False)
class HybridPolicy(DensePolicy):
    """Fuses BM25 and sentence vectors by reciprocal rank, and perhaps looks again at the best (``rerank=``).

    Equal scores of one ranking share a rank. Tie rule: fused score, then a hash of the turn id; after a second
    look, its score and then the order before.
    """

    name = "hybrid"
    score_kind = ScoreKind.FUSED

    c: ranges.Factor = 60
    stem: str = "none"
    stop: str = "none"
    unspaced: str = RUNS
    rerank: str = "none"
    """``cross-encoder`` reads the folder that MEMGAUGE_RERANKER names; ``lexical`` stands in for one."""
    candidates: ranges.Count = 50
    """Memories that are looked at again."""

    def __post_init__(self) -> None:
        """Search words beside vectors."""
        super().__post_init__()
        self.version += SHARED
        self._tokenizer = tokenizer(self.stem, self.stop, self.unspaced)
        self._reranker = None if self.rerank == "none" else open_reranker(self.rerank)

    def _rank(self, query: str, scope: Scope, shelf: Shelf, k: int) -> Iterator[tuple[Memory, float | None]]:
        if self._reranker is None:
            return super()._rank(query, scope, shelf, k)
        near = [memory for memory, _ in super()._rank(query, scope, shelf, max(k, self.candidates))]
        return looked_again(self._reranker, query, near, self.candidates)

    def _new_index(self, scope: Scope) -> Index:  # noqa: ARG002 - the protocol of the base
        words = WordIndex(self._tokenizer, lambda terms, order: BM25(terms, order=order))
        return FusedIndex((words, VectorIndex(self._embedder)), self.c)
