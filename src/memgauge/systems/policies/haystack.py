"""BM25 and vectors over memories that do not fit into memory: the rankings of the policies, from files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Protocol

from memgauge import ranges
from memgauge.errors import DataError
from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.registry import named
from memgauge.retrieval.embedders import embed_documents, embed_queries, identities_of
from memgauge.retrieval.fusion import ranked_to, reciprocal_rank_fusion
from memgauge.retrieval.haystack import HaystackIndex
from memgauge.retrieval.stack import VectorStack
from memgauge.retrieval.topk import hash_keys
from memgauge.systems.locking import locked
from memgauge.systems.policies.archive import Archive
from memgauge.systems.policies.dense import DEPTH, SHARED
from memgauge.systems.policies.embedding import open_embedder, stand_ins_of
from memgauge.systems.policies.lexical import tokenizer
from memgauge.systems.policies.writing import version_of, written
from memgauge.systems.protocol import Capabilities, EventTime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Scope, Turn
    from memgauge.retrieval.embedders import Embedder

_ON_THE_WAY = 1 << 16
"""Memories that wait for a search at most: to index a haystack may take longer than one call may."""
_AT_ONCE = 1024
"""Memories that are read from the archive, embedded and indexed at a time."""


class _DiskIndex(Protocol):
    """An index on disk."""

    def extend(self, memories: Sequence[Memory]) -> None: ...

    def search(self, query: str, k: int) -> list[tuple[int, float]]: ...


class _Lexical:
    """Words of memories."""

    def __init__(self, index: HaystackIndex) -> None:
        self._index = index

    def extend(self, memories: Sequence[Memory]) -> None:
        self._index.extend([m.text for m in memories], hash_keys(m.id for m in memories))

    def search(self, query: str, k: int) -> list[tuple[int, float]]:
        places, scores = self._index.search(query, k)
        return list(zip(places.tolist(), scores.tolist(), strict=True))


class _Dense:
    """Vectors of memories."""

    def __init__(self, stack: VectorStack, embedder: Embedder) -> None:
        self._stack, self._embedder = stack, embedder

    def extend(self, memories: Sequence[Memory]) -> None:
        self._stack.extend(
            embed_documents(self._embedder, [m.text for m in memories]), hash_keys(m.id for m in memories)
        )

    def search(self, query: str, k: int) -> list[tuple[int, float]]:
        places, scores = self._stack.search_many(embed_queries(self._embedder, [query]), k)
        return list(zip(places[0].tolist(), scores[0].tolist(), strict=True))


@dataclass
class _ScopeIndexes:
    """One scope: its memories, and indexes of as many of them as were indexed."""

    folder: Path
    archive: Archive
    parts: tuple[_DiskIndex, ...] = ()
    revision: int = -1
    """Of the archive, when the indexes were begun."""
    indexed: int = 0


@dataclass(kw_only=True, eq=False)
class Haystack:
    """Ranks turns as ``bm25``, ``dense`` or ``hybrid`` do, with memories and indexes in files.

    Memory holds the words that occur, one part of the index (4 million tokens) and what is being written: so many
    turns as fit on the disk can be searched. Tie rule: score descending, then a hash of the turn id.
    """

    name = "haystack"
    version = "1"
    by: str = "bm25"
    """What ranks: ``bm25``, ``dense``, or ``hybrid``, which fuses both."""
    k1: ranges.Factor = 1.5
    b: ranges.Share = 0.75
    stem: str = "none"
    stop: str = "none"
    embedder: str = "minilm"
    dim: ranges.Dimension = 0
    c: ranges.Factor = 60
    as_heard: bool = True
    speaker: bool = False
    folder: str = ""
    """Where the files are kept as long as the memory lives; by default, among temporary files."""

    def __post_init__(self) -> None:
        """Make an empty memory.

        Raises:
            UnknownNameError: Something else than these.
            ConfigError: A number outside of its range.
            DataError: The folder cannot be made.
        """
        ranges.require(self, self.name)
        self.version = version_of(heard=self.as_heard, speaker=self.speaker) + SHARED * (self.by == "hybrid")
        kinds = {"bm25": (self._words,), "dense": (self._vectors,), "hybrid": (self._words, self._vectors)}
        self._making: tuple[Callable[[Path], _DiskIndex], ...] = named("ranking of a haystack", self.by, kinds)
        self._tokenizer = tokenizer(self.stem, self.stop)
        self._embedder = None if self.by == "bm25" else open_embedder(self.embedder, self.dim)
        self._kind = ScoreKind.FUSED if self.by == "hybrid" else ScoreKind.SIMILARITY
        try:
            if self.folder:
                Path(self.folder).mkdir(parents=True, exist_ok=True)
            self._home = Path(tempfile.mkdtemp(prefix="haystack-", dir=self.folder or None))
        except OSError as error:
            what = f"Cannot keep memories in {self.folder}: {error.strerror}."
            raise DataError(what, "Choose another.") from error
        self._scopes: dict[Scope, _ScopeIndexes] = {}
        self._lock = RLock()
        self._made = 0
        self._ended = weakref.finalize(self, shutil.rmtree, self._home, ignore_errors=True)

    def capabilities(self) -> Capabilities:
        """Declare what the policies declare that it follows."""
        return Capabilities(
            event_time=EventTime.STORED,
            score_kind=self._kind,
            reports_changes=True,
            declares_sources=True,
            needs=("embedder",) if self._embedder is not None else (),
            stand_ins=stand_ins_of(self._embedder) if self._embedder is not None else (),
            models=identities_of(self._embedder),
        )

    @locked
    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store *turns*, each as one memory."""
        indexes = self._at(scope)
        receipt = Receipt(tuple(indexes.archive.put(self._memory(turn)) for turn in turns))
        if self.by == "bm25" and len(indexes.archive) - indexes.indexed >= _ON_THE_WAY:
            self._index(indexes)
        return receipt

    @locked
    def ingest_expiring(self, turn: Turn, scope: Scope, expires_at: datetime) -> Receipt:
        """Store *turn*; a search as of *expires_at* or later does not see it."""
        return Receipt((self._at(scope).archive.put(replace(self._memory(turn), valid_to=expires_at)),))

    @locked
    def sweep(self, now: datetime) -> None:
        """Remove what has expired by *now*, in all scopes."""
        for indexes in self._scopes.values():
            for memory in indexes.archive.ended(now):
                indexes.archive.remove(memory)

    @locked
    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: ARG002 - indexing returns when it is done
        """Index what was written; a search would do it too."""
        if scope in self._scopes:
            self._index(self._scopes[scope])

    @locked
    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return the best *k* memories of *scope* that have not expired by *as_of*."""
        indexes = self._scopes.get(scope)
        if indexes is None or k < 1:
            return Ranking((), self._kind)
        self._index(indexes)
        ended = set(indexes.archive.ended(as_of))
        ranked = self._ranked(indexes, query, k + len(ended))
        hits = (Hit(indexes.archive.at(place), score) for place, score in ranked)
        return Ranking(tuple(islice((hit for hit in hits if hit.memory.id not in ended), k)), self._kind)

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List the memories of *scope* in the order in which they came."""
        if scope in self._scopes:
            yield from self._scopes[scope].archive.after(0)

    @locked
    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory; an unknown id changes nothing."""
        old = self._scopes[scope].archive.get(memory) if scope in self._scopes else None
        if old is None:
            return Receipt((Change(Operation.NOOP, memory),))
        return Receipt((self._scopes[scope].archive.put(replace(old, text=text, form=Form.UNKNOWN)),))

    @locked
    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories by id; return how many were there."""
        indexes = self._scopes.get(scope)
        return 0 if indexes is None else sum(map(indexes.archive.remove, memories))

    @locked
    def erase(self, scope: Scope) -> None:
        """Forget *scope*, its files included."""
        indexes = self._scopes.pop(scope, None)
        if indexes is not None:
            indexes.archive.close()
            shutil.rmtree(indexes.folder, ignore_errors=True)

    def reset(self) -> None:
        """Forget everything, files included."""
        for scope in tuple(self._scopes):
            self.erase(scope)

    def close(self) -> None:
        """Remove all files."""
        self.reset()
        self._ended()

    def _at(self, scope: Scope) -> _ScopeIndexes:
        if scope not in self._scopes:
            self._made += 1
            folder = self._home / str(self._made)
            self._scopes[scope] = _ScopeIndexes(folder, Archive(folder / "memories.sqlite"))
        return self._scopes[scope]

    def _memory(self, turn: Turn) -> Memory:
        text = written(turn, heard=self.as_heard, speaker=self.speaker)
        return Memory(turn.id, text, form=Form.RAW, sources=(turn.id,), event_at=turn.at)

    def _words(self, folder: Path) -> _DiskIndex:
        return _Lexical(HaystackIndex(folder / "words", tokenizer=self._tokenizer, k1=self.k1, b=self.b))

    def _vectors(self, folder: Path) -> _DiskIndex:
        assert self._embedder is not None  # noqa: S101 - it was opened with the ranking
        path = folder / "vectors"
        for old in (path, path.with_name("vectors.ties")):
            old.unlink(missing_ok=True)
        return _Dense(VectorStack(path, self._embedder.dim), self._embedder)

    def _index(self, indexes: _ScopeIndexes) -> None:
        """Index what came since; a change other than an addition begins the indexes anew."""
        if indexes.revision != indexes.archive.revision:
            indexes.archive.close_ranks()
            indexes.parts = tuple(make(indexes.folder) for make in self._making)
            indexes.indexed, indexes.revision = 0, indexes.archive.revision
        source = indexes.archive.after(indexes.indexed)
        while new := list(islice(source, _AT_ONCE)):
            for part in indexes.parts:
                part.extend(new)
            indexes.indexed += len(new)

    def _ranked(self, indexes: _ScopeIndexes, query: str, k: int) -> Sequence[tuple[int, float]]:
        if len(indexes.parts) == 1:
            return indexes.parts[0].search(query, k)
        depth = max(k, DEPTH)
        rankings = [ranked_to(depth, partial(part.search, query)) for part in indexes.parts]
        met = sorted({place for ranking in rankings for place, _ in ranking})
        ties = dict(zip(met, hash_keys(indexes.archive.at(place).id for place in met).tolist(), strict=True))
        return reciprocal_rank_fusion(rankings, c=self.c, tie_ranks=ties)[:k]
