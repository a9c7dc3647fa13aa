"""What turns texts into vectors: the protocol, an offline stand-in, and a cache for any embedder."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from memgauge.errors import ConfigError
from memgauge.metering import LOCAL, note_embedded
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
    """One unit row a text; the row of a text without content may be zero."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """Name the model for reports."""
        ...

    @property
    def dim(self) -> int:
        """Say how long a vector is."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identify everything that changes a vector: weights, tokeniser, parameters."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row for each text, as a document."""
        ...


@runtime_checkable
class QuerySided(Protocol):
    """An embedder for which a query is no document: it was trained to be told which of the two a text is."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one float32 row for each text, as a query."""
        ...


@runtime_checkable
class Identified(Protocol):
    """An embedder that knows which model it is."""

    @property
    def identity(self) -> str:
        """Name weights, quantisation and runtime; empty where it is no model."""
        ...


def identities_of(embedder: object) -> tuple[str, ...]:
    """Name the model that *embedder* asks; nothing where it asks none."""
    return tuple(filter(None, (embedder.identity,))) if isinstance(embedder, Identified) else ()


def noted_as(embedder: object, name: str) -> str:
    """Name a model in what a run cost: one that embeds in this process is a local one."""
    noted_name: str = getattr(embedder, "noted_as", name if ":" in name else f"{LOCAL}{name}")
    return noted_name


def embed_documents(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return one row for each text, as a document, and note what was handed over."""
    note_embedded(noted_as(embedder, embedder.name), texts)
    return embedder.embed(texts)


def embed_queries(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return one row for each text, as a query where that makes a difference, and note what was handed over."""
    note_embedded(noted_as(embedder, embedder.name), texts)
    return embedder.embed_queries(texts) if isinstance(embedder, QuerySided) else embedder.embed(texts)


class HashedEmbedder:
    """A stand-in for a semantic model that needs no download: it sees shared words and nothing else.

    Every word owns a fixed vector of signs, the bits of its hash; a text is the sum over its words with dampened
    counts. Its only use is to run the dense path where no model is at hand.
    """

    def __init__(self, dim: int = 256) -> None:
        """Take *dim* signs a word: a multiple of 8, at most 512."""
        if dim % 8 or not 8 <= dim <= 512:
            raise ConfigError(
                f"A hashed embedder cannot have {dim} dimensions.", "Take a multiple of 8 up to 512."
            )
        self.dim = dim
        self.name = f"hashed words ({dim}, stand-in)"
        self.fingerprint = f"hashed-words-1:{dim}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text; a text without words has a zero row."""
        rows = np.zeros((len(texts), self.dim))
        for i, text in enumerate(texts):
            words, counts = np.unique(np.array(tokenize(text), dtype=str), return_counts=True)
            for word, count in zip(words.tolist(), counts, strict=True):
                rows[i] += (1 + np.log(count)) * _signs(word, self.dim)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        units: Vectors = np.divide(rows, lengths, out=rows, where=lengths > 0).astype(np.float32)
        return units


@cache
def _signs(word: str, dim: int) -> npt.NDArray[np.float64]:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=dim // 8).digest()
    return np.unpackbits(np.frombuffer(digest, dtype=np.uint8)).astype(np.float64) * 2 - 1


class EmbedderAround:
    """An embedder that asks another, and says of itself what that says."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.name = inner.name
        self.noted_as = noted_as(inner, inner.name)
        self.fingerprint = inner.fingerprint

    @property
    def dim(self) -> int:
        """Say how long a vector is; a served model may have to be asked."""
        return self._inner.dim

    @property
    def identity(self) -> str:
        """Name the model behind it."""
        return "".join(identities_of(self._inner))


class CachedEmbedder(EmbedderAround):
    """Keep every vector under the hash of its text and of its embedder, in one SQLite file.

    Several processes may share the file. A text that repeats within one call is embedded once.
    """

    def __init__(self, inner: Embedder, path: Path) -> None:
        super().__init__(inner)
        self._path = path

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, embedding only what the file does not hold.

        Raises:
            ConfigError: The file cannot be used as a cache.
        """
        return self._rows(texts, self._inner.embed)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text as a query; a model without sides shares the rows of documents.

        Raises:
            ConfigError: The file cannot be used as a cache.
        """
        if isinstance(self._inner, QuerySided):
            return self._rows(texts, self._inner.embed_queries, "\0query")
        return self.embed(texts)

    def _rows(self, texts: Sequence[str], make: Callable[[Sequence[str]], Vectors], side: str = "") -> Vectors:
        keys = [self._key(text, side) for text in texts]
        text_by_key = dict(zip(keys, texts, strict=True))
        try:
            rows = self._read(text_by_key)
            missing_texts = {key: text for key, text in text_by_key.items() if key not in rows}
            if missing_texts:
                fresh = dict(zip(missing_texts, make(list(missing_texts.values())), strict=True))
                self._write(fresh)
                rows |= fresh
        except sqlite3.Error as error:
            raise ConfigError(
                f"{self._path} cannot be used as a cache of embeddings: {error}.",
                "Delete it, or choose another path.",
            ) from error
        return np.stack([rows[key] for key in keys]) if keys else np.zeros((0, self.dim), dtype=np.float32)

    def _key(self, text: str, side: str) -> bytes:
        content = f"{self.fingerprint}{side}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(content).digest()

    def _connect(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=60)
        try:
            connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, row BLOB) WITHOUT ROWID")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _read(self, keys: Mapping[bytes, str]) -> dict[bytes, Vectors]:
        query = "SELECT row FROM vectors WHERE key = ?"
        with closing(self._connect()) as connection:
            rows = ((key, connection.execute(query, (key,)).fetchone()) for key in keys)
            return {key: np.frombuffer(row[0], dtype="<f4").astype(np.float32) for key, row in rows if row}

    def _write(self, rows: Mapping[bytes, Vectors]) -> None:
        with closing(self._connect()) as connection, connection:
            connection.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                ((key, row.astype("<f4").tobytes()) for key, row in rows.items()),
            )
