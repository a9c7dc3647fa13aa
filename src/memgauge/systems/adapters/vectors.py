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
from functools import lru_cache
from hashlib import blake2b
from operator import add
from typing import TYPE_CHECKING, Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from memgauge.errors import ConfigError, ModelError
from memgauge.text.jsons import json_of
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    Vector = list[float]

DIM = 256
BATCH = 64


class TextVectors(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """Name the model for reports."""

    @property
    def dim(self) -> int:
        """Say how long a vector is."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector for each text; a text without content may have a zero vector."""


def open_vectors(name: str) -> TextVectors:
    """Open ``hashed``, or ``openai:MODEL@ADDRESS``; without an address ``OPENAI_BASE_URL`` holds.

    Raises:
        ConfigError: No such embedder, or no address for a served one.
    """
    if name == "hashed":
        return Hashed()
    kind, _, rest = name.partition(":")
    model, _, address = rest.partition("@")
    address = address or os.environ.get("OPENAI_BASE_URL", "")
    if kind != "openai" or not model:
        raise ConfigError(
            f"There is no embedder {name!r} here.", "Take hashed, or openai:MODEL@http://host:port/v1."
        )
    if not address.startswith(("http://", "https://")):
        raise ConfigError(f"Nothing says where {name!r} is served.", "Write openai:MODEL@http://host:port/v1.")
    return ServedVectors(model, address)


class Hashed:
    """A stand-in that sees shared words and nothing else; the same text has the same vector on any machine."""

    dim = DIM
    name = f"hashed words ({DIM}, stand-in)"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector for each text; a text without words has a zero vector."""
        return [_hashed(text) for text in texts]


def _hashed(text: str) -> Vector:
    row = [0.0] * DIM
    for word, count in sorted(Counter(tokenize(text)).items()):
        weight = 1 + math.log(count)
        row = list(map(add, row, [weight * sign for sign in _signs(word)] if count > 1 else _signs(word)))
    return unit(row)


@lru_cache(maxsize=65_536)
def _signs(word: str) -> tuple[float, ...]:
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=DIM // 8).digest()
    bits = f"{int.from_bytes(digest, 'big'):0{DIM}b}"
    return tuple(1.0 if bit == "1" else -1.0 for bit in bits)


def unit(row: Sequence[float]) -> Vector:
    """Scale a vector to length one; one without length stays as it is."""
    length = math.hypot(*row)
    if 0 < length < sys.float_info.min:  # so short that its length is rounded to whole multiples of the least
        row = [value / length for value in row]
        length = math.hypot(*row)
    return [value / length for value in row] if length else list(row)


class ServedVectors:
    """Vectors of a model behind an OpenAI-compatible address; a blank text has a zero vector and is not sent."""

    def __init__(self, model: str, address: str, *, timeout_s: float = 60) -> None:
        self.name = f"openai:{model}"
        self._model = model
        self._url = address.rstrip("/") + "/embeddings"
        self._timeout_s = timeout_s
        self._dim = 0

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
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            known.update(zip(batch, map(unit, self._ask(batch)), strict=True))
        return [known.get(text) or [0.0] * self.dim for text in texts]

    def _ask(self, texts: Sequence[str]) -> list[Vector]:
        body = json.dumps({"model": self._model, "input": list(texts), "encoding_format": "float"}).encode()
        key = os.environ.get("OPENAI_API_KEY", "unused")
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        try:
            with urlopen(Request(self._url, body, headers), timeout=self._timeout_s) as reply:  # noqa: S310 - the scheme is checked when it is opened
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
        return vectors
