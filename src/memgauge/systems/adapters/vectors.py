"""What turns texts into vectors where nothing of ours is installed: standard library alone.

An adapter runs in its product's environment, which holds none of this package's dependencies. ``hashed`` gives the
vectors of :class:`memgauge.retrieval.embedders.HashedEmbedder`, up to rounding; a served model is asked by HTTP.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections import Counter
from contextlib import contextmanager
from functools import cached_property, lru_cache
from hashlib import blake2b
from operator import add
from typing import TYPE_CHECKING, Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from memgauge.errors import ConfigError, ModelError
from memgauge.metering import LOCAL, note_embedded
from memgauge.systems.adapters.listing import NOTED, headers, identity_at
from memgauge.text.cards import prefixes_of
from memgauge.text.jsons import json_of
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.records.identities import ModelIdentity

    Vector = list[float]

DIM = 256
BATCH, LETTERS = 64, 32_000
"""Texts of a request, and what they may hold together: a slow model has a minute for it."""


class TextVectors(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """Name the model for reports."""

    @property
    def dim(self) -> int:
        """Say how long a vector is."""

    @property
    def identity(self) -> str:
        """Say which model it is, as far as that is known; empty where it is none."""

    @property
    def address(self) -> str:
        """Say where it is served; empty where it is not."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector for each text; a text without content may have a zero vector."""


def open_vectors(name: str) -> TextVectors:
    """Open ``hashed``, or ``openai:MODEL@ADDRESS``; without an address ``OPENAI_BASE_URL`` holds.

    Either may end in ``#dim=N``, the length of its vectors.

    Raises:
        ConfigError: No such embedder, no address for a served one, or a length that it cannot have.
    """
    name, _, dim = name.partition("#dim=")
    if not dim.isdecimal() and dim:
        raise ConfigError(f"dim={dim} is no length of a vector.", "Write embedder=…,dim=N.")
    if name == "hashed":
        return Hashed(int(dim or DIM))
    kind, _, rest = name.partition(":")
    model, _, address = rest.partition("@")
    address = address or os.environ.get("OPENAI_BASE_URL", "")
    if kind != "openai" or not model:
        raise ConfigError(
            f"There is no embedder={name} here.",
            "Write embedder=hashed, a name of `memgauge models list`, or embedder=openai:MODEL@http://HOST:PORT/v1.",
        )
    if not address.startswith(("http://", "https://")):
        raise ConfigError(
            f"Nothing says where embedder={name} is served.", f"Write embedder=openai:{model}@http://HOST:PORT/v1."
        )
    return ServedVectors(model, address, dim=int(dim or 0))


class Hashed:
    """A stand-in that sees shared words and nothing else; the same text has the same vector on any machine."""

    identity = address = ""

    def __init__(self, dim: int = DIM) -> None:
        """Take *dim* signs a word: a multiple of 8, at most 512."""
        if dim % 8 or not 8 <= dim <= 512:
            raise ConfigError(f"embedder=hashed has no dim={dim}.", "Take a multiple of 8 up to 512.")
        self.dim = dim
        self.name = f"hashed words ({dim}, stand-in)"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector for each text; a text without words has a zero vector."""
        note_embedded(f"{LOCAL}{self.name}", texts)
        return [_hashed(text, self.dim) for text in texts]


def _hashed(text: str, dim: int) -> Vector:
    row = [0.0] * dim
    for word, count in sorted(Counter(tokenize(text)).items()):
        weight, signs = 1 + math.log(count), _signs(word, dim)
        row = list(map(add, row, [weight * sign for sign in signs] if count > 1 else signs))
    return unit(row)


@lru_cache(maxsize=65_536)
def _signs(word: str, dim: int) -> tuple[float, ...]:
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=dim // 8).digest()
    bits = f"{int.from_bytes(digest, 'big'):0{dim}b}"
    return tuple(1.0 if bit == "1" else -1.0 for bit in bits)


def unit(row: Sequence[float]) -> Vector:
    """Scale a vector to length one; one without length stays as it is."""
    length = math.hypot(*row)
    if 0 < length < sys.float_info.min:  # so short that its length is rounded to whole multiples of the least
        row = [value / length for value in row]
        length = math.hypot(*row)
    return [value / length for value in row] if length else list(row)


class ServedVectors:
    """Vectors of a model behind an OpenAI-compatible address; a blank text has a zero vector and is not sent.

    Which side a text is on is told to a server that says that it takes it, as those of ``memgauge models serve``
    do; to another goes what the model's card puts before it.
    """

    def __init__(
        self, model: str, address: str, *, dim: int = 0, timeout_s: float = 60, noted: bool = False
    ) -> None:
        self._heads = {NOTED: "1"} if noted else {}
        self.name = f"openai:{model}"
        self.side = "document"
        self._model = model
        self.address = address.rstrip("/")
        self._url = f"{self.address}/embeddings"
        self._timeout_s = timeout_s
        self._dim = self._wanted = dim

    @cached_property
    def _served(self) -> ModelIdentity | None:
        return identity_at(self.address, self._model)

    @property
    def identity(self) -> str:
        """Say which model it is: what the server says, else its name and what is put before texts here."""
        if self._served is not None:
            return self._served.label
        before = prefixes_of(self._model)
        sides = f" ({before.query!r} and {before.document!r} before texts)" if before else ""
        return f"{self._model}{sides}: the server does not say which weights"

    @property
    def dim(self) -> int:
        """Say how long a vector is, asking once."""
        if not self._dim:
            self._dim = len(self._ask(["dimension"])[0])
        return self._dim

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector for each text.

        Raises:
            ModelError: The address cannot be reached or does not answer with vectors.
        """
        wanted = list(dict.fromkeys(text for text in texts if text.strip()))
        known: dict[str, Vector] = {}
        for batch in portions(wanted):
            known.update(zip(batch, map(unit, self._ask(batch)), strict=True))
        return [known.get(text) or [0.0] * self.dim for text in texts]

    def _ask(self, texts: Sequence[str]) -> list[Vector]:
        asked: dict[str, Any] = {"model": self._model, "encoding_format": "float"}
        if self._wanted:
            asked["dimensions"] = self._wanted
        if self._served is not None:
            asked |= {"input": list(texts), "input_type": self.side}
        else:
            before = prefixes_of(self._model).before(self.side)
            asked["input"] = [before + text for text in texts]
        body = json.dumps(asked).encode()
        try:
            with urlopen(Request(self._url, body, headers() | self._heads), timeout=self._timeout_s) as reply:  # noqa: S310 - the scheme is checked when it is opened
                answer: Any = json_of(reply.read())
            rows = sorted(answer["data"], key=lambda row: int(row["index"]))
            vectors = [[float(value) for value in row["embedding"]] for row in rows]
        except HTTPError as error:
            raise ModelError(f"{self._url} answered {error.code} {error.reason}.") from error
        except (URLError, OSError) as error:
            raise ModelError(f"{self._url} cannot be reached: {error}.") from error
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{self._url} answered with no vectors: {error!r}.") from error
        if len(vectors) != len(texts):
            raise ModelError(f"{self._url} answered with {len(vectors)} vectors for {len(texts)} texts.")
        if self._wanted and any(len(vector) != self._wanted for vector in vectors):
            raise ModelError(
                f"{self._url} answered with vectors of {len(vectors[0])}, not of dim={self._wanted}: "
                f"{self._model} cannot be shortened; leave dim= out."
            )
        return vectors


def portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield *texts* in order, as many at a time as one request may hold, and one at least."""
    batch, letters = list[str](), 0
    for text in texts:
        if batch and (len(batch) == BATCH or letters + len(text) > LETTERS):
            yield batch
            batch, letters = [], 0
        batch.append(text)
        letters += len(text)
    if batch:
        yield batch


@contextmanager
def as_queries(vectors: TextVectors) -> Iterator[None]:
    """Let what is embedded meanwhile be queries: no product says which side of a search a text is on."""
    if not isinstance(vectors, ServedVectors):
        yield
        return
    before, vectors.side = vectors.side, "query"
    try:
        yield
    finally:
        vectors.side = before
