from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from memgauge.errors import ConfigError, MissingExtraError, ModelError
from memgauge.llm.access import Backoff
from memgauge.llm.embeddings import ServedEmbedder
from memgauge.retrieval.embedders import CachedEmbedder
from support.model_server import KEY, answer, bodies, failure, serve

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_httpserver import HTTPServer
    from werkzeug import Request as Asked
    from werkzeug import Response

NAME = "openai:tiny"
FAST = Backoff(3, base_s=0.001)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every test the same key and no address."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def vectors(rows: list[list[float]]) -> Response:
    """Spell a reply of the embeddings API."""
    data: list[dict[str, Any]] = [
        {"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)
    ]
    return answer(
        {"object": "list", "model": "tiny", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    )


def lengths(asked: Asked) -> Response:
    """Embed a text as its length and 3."""
    return vectors([[len(text), 3.0] for text in asked.get_json()["input"]])


def test_rows_are_unit_vectors_in_the_order_of_the_texts(httpserver: HTTPServer) -> None:
    """Texts go in batches; blank ones are not sent and have zero rows."""
    served = ServedEmbedder(NAME, base_url=serve(httpserver, lengths, path="embeddings"), batch=2)
    rows = served.embed(["aaaa", "", "bbbb", "b", " \n"])
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows[[0, 2]], [[0.8, 0.6]] * 2, rtol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 1, 1, 0], rtol=1e-6)
    assert [len(body["input"]) for body in bodies(httpserver)] == [1, 2, 1]
    assert served.dim == 2
    assert KEY not in repr(served)


def test_a_chosen_length_is_asked_for(httpserver: HTTPServer) -> None:
    """Then nothing is asked to find it out, and it belongs to the fingerprint, as does the host."""
    url = serve(httpserver, lengths, path="embeddings")
    served = ServedEmbedder(NAME, base_url=url, dimensions=2)
    assert served.dim == 2
    assert not httpserver.log
    served.embed(["a"])
    assert bodies(httpserver)[0]["dimensions"] == 2
    host = f"{httpserver.host}:{httpserver.port}"
    assert served.fingerprint == f"{NAME}@{host}:2"
    assert ServedEmbedder(NAME, base_url=url).fingerprint == f"{NAME}@{host}:native"
    assert ServedEmbedder(NAME, base_url=f"http://me:secret@{host}/v1").fingerprint == f"{NAME}@{host}:native"
    assert ServedEmbedder(NAME).fingerprint == f"{NAME}@openai:native"


def test_what_is_cached_is_not_asked_again(httpserver: HTTPServer, tmp_path: Path) -> None:
    """The cache of retrieval takes it as it is."""
    url = serve(httpserver, lengths, path="embeddings")
    first = CachedEmbedder(ServedEmbedder(NAME, base_url=url), tmp_path / "e.sqlite").embed(["a", "b", "a"])
    asked = len(httpserver.log)
    again = CachedEmbedder(ServedEmbedder(NAME, base_url=url, dimensions=None), tmp_path / "e.sqlite")
    assert again.embed(["a", "b", "a"]).tobytes() == first.tobytes()
    assert bodies(httpserver)[asked:] == []


def test_busy_servers_are_asked_again(httpserver: HTTPServer) -> None:
    """Our retries count, and the SDK adds none."""
    busy = failure(429, headers={"Retry-After": "0"})
    url = serve(httpserver, busy, failure(500), lengths, path="embeddings")
    assert ServedEmbedder(NAME, base_url=url, dimensions=2, backoff=FAST).embed(["a"]).shape == (1, 2)
    assert len(httpserver.log) == 3


@pytest.mark.parametrize(
    ("response", "dimensions", "message"),
    [
        (failure(500, f"your key {KEY}"), 2, r"given up after 3 of 3 tries"),
        (failure(400, f"your key {KEY}"), 2, r"your key \*\*\*"),
        (vectors([]), 2, "No embedding data"),
        (vectors([[1.0, 2.0], [1.0, 2.0]]), 2, "2 vectors .* for 1 texts"),
        (vectors([[1.0, 2.0, 3.0]]), 2, r"1 vectors of lengths \[3\] for 1 texts"),
    ],
)
def test_what_cannot_be_used_is_an_error_without_the_key(
    httpserver: HTTPServer, response: Response, dimensions: int | None, message: str
) -> None:
    """Rows are never guessed."""
    url = serve(httpserver, response, path="embeddings")
    with pytest.raises(ModelError, match=message) as caught:
        ServedEmbedder(NAME, base_url=url, dimensions=dimensions, backoff=FAST).embed(["a"])
    assert KEY not in str(caught.value)


def test_a_zero_vector_stays_zero(httpserver: HTTPServer) -> None:
    """It has no direction."""
    url = serve(httpserver, vectors([[0.0, 0.0]]), path="embeddings")
    assert not ServedEmbedder(NAME, base_url=url, dimensions=2).embed(["a"]).any()


def test_mistakes_and_missing_packages_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with chat models."""
    with pytest.raises(ConfigError, match="names no model"):
        ServedEmbedder("tiny")
    monkeypatch.setitem(sys.modules, "pydantic_ai.embeddings", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*llm\.lock"):
        ServedEmbedder(NAME, dimensions=2).embed(["a"])
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        ServedEmbedder(NAME, dimensions=2).embed(["a"])
