"""Embedders and their cache."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.retrieval.cache import cache_folder
from memgauge.retrieval.embedders import CachedEmbedder, HashedEmbedder, embed_queries

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.retrieval.embedders import Vectors


class Counting(HashedEmbedder):
    """A real embedder that remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(64)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Note the texts and embed them."""
        self.asked += texts
        return super().embed(texts)


@given(st.lists(st.text(max_size=20), max_size=4))
def test_stand_in_gives_unit_rows(texts: list[str]) -> None:
    """Rows have length one, or zero for a text without words."""
    rows = HashedEmbedder().embed(texts)
    assert rows.shape == (len(texts), 256)
    assert rows.dtype == np.float32
    assert all(abs(length - 1) < 1e-5 or length == 0 for length in np.linalg.norm(rows, axis=1))


def test_stand_in_sees_shared_words() -> None:
    """Texts that share words are nearer than texts that do not."""
    a, b, c = HashedEmbedder().embed(["the cat sat down", "the cat ran", "prices fell sharply"])
    assert a @ b > 0.3 > abs(a @ c)


def test_stand_in_is_the_same_in_every_process() -> None:
    """Vectors do not depend on the hash seed of the interpreter."""
    script = "from memgauge.retrieval import HashedEmbedder as H; print(H(64).embed(['a cat']).tobytes().hex())"
    runs = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


@pytest.mark.parametrize("dim", [0, 12, 520])
def test_stand_in_refuses_impossible_sizes(dim: int) -> None:
    """The number of dimensions must be a multiple of 8 up to 512."""
    with pytest.raises(ConfigError, match="multiple of 8"):
        HashedEmbedder(dim)


def test_cache_embeds_each_text_once(tmp_path: Path) -> None:
    """Repeats within a call, later calls and later caches on the same file cost nothing."""
    inner = Counting()
    cached = CachedEmbedder(inner, tmp_path / "deep" / "e.sqlite")
    first = cached.embed(["a cat", "a dog", "a cat"])
    np.testing.assert_array_equal(first, inner.embed(["a cat", "a dog", "a cat"]))
    again = CachedEmbedder(inner, tmp_path / "deep" / "e.sqlite").embed(["a dog", "a fox"])
    assert inner.asked == ["a cat", "a dog", "a cat", "a dog", "a cat", "a fox"]
    np.testing.assert_array_equal(again[0], first[1])
    assert cached.embed([]).shape == (0, 64)


def test_cache_keeps_embedders_apart(tmp_path: Path) -> None:
    """Another fingerprint never reads these vectors."""
    path = tmp_path / "e.sqlite"
    CachedEmbedder(HashedEmbedder(64), path).embed(["a cat"])
    assert CachedEmbedder(HashedEmbedder(128), path).embed(["a cat"]).shape == (1, 128)


def test_cache_names_a_file_that_is_no_cache(tmp_path: Path) -> None:
    """A broken file is named, with what to do about it."""
    path = tmp_path / "e.sqlite"
    path.write_text("this is not a database, but long enough to be taken for one" * 20)
    with pytest.raises(ConfigError, match=r"e\.sqlite cannot be used .* Delete it"):
        CachedEmbedder(HashedEmbedder(64), path).embed(["a cat"])


def test_cache_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The environment chooses the folder; otherwise the user's cache folder is used."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("MEMGAUGE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_folder() == tmp_path / "x" / "memgauge"


class Sided(Counting):
    """An embedder for which a query is no document."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed what no document says."""
        return self.embed([f"query {text}" for text in texts])


def test_a_query_is_embedded_as_one_where_that_differs(tmp_path: Path) -> None:
    """A cache keeps both sides of a text apart, and shares the rows of a model that has no sides."""
    inner = Sided()
    cached = CachedEmbedder(inner, tmp_path / "e.sqlite")
    for _ in range(2):
        np.testing.assert_array_equal(embed_queries(cached, ["a cat"]), HashedEmbedder(64).embed(["query a cat"]))
        np.testing.assert_array_equal(cached.embed(["a cat"]), HashedEmbedder(64).embed(["a cat"]))
    assert inner.asked == ["query a cat", "a cat"]
    plain = Counting()
    same = CachedEmbedder(plain, tmp_path / "p.sqlite")
    np.testing.assert_array_equal(embed_queries(same, ["a cat"]), same.embed(["a cat"]))
    assert plain.asked == ["a cat"]
