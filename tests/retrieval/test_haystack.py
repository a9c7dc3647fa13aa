"""Indexes on disk: as exact as those in memory, however they are cut."""

from __future__ import annotations

import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import DataError
from memgauge.retrieval.bm25 import BM25
from memgauge.retrieval.dense import DenseIndex
from memgauge.retrieval.embedders import HashedEmbedder
from memgauge.retrieval.haystack import HaystackIndex
from memgauge.retrieval.stack import VectorStack
from memgauge.retrieval.terms import TermMatrix
from memgauge.retrieval.topk import by_hash, hash_keys
from support.disk import full_disk
from support.peaks import measured

WORDS = ["apple", "bee", "cat", "dog", "elm", "fig", "été"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join), max_size=25)
QUERIES = st.lists(st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=5).map(" ".join), max_size=4)


@given(
    texts=TEXTS,
    queries=QUERIES,
    k=st.integers(0, 30),
    part=st.integers(1, 40),
    cut=st.integers(0, 25),
    k1=st.floats(0, 3),
    b=st.floats(0, 1),
)
def test_parts_are_searched_as_one(
    texts: list[str], queries: list[str], k: int, part: int, cut: int, k1: float, b: float
) -> None:
    """Places and scores are, to the last bit, those of BM25 over everything at once, while it grows."""
    with TemporaryDirectory() as folder:
        made = HaystackIndex(Path(folder), part_tokens=part, k1=k1, b=b)
        for upto, more in ((len(texts[:cut]), texts[:cut]), (len(texts), texts[cut:])):
            made.extend(more)
            wanted = BM25(TermMatrix.build(texts[:upto]), k1=k1, b=b).search_many(queries, k)
            assert len(made) == upto
            same(made.search_many(queries, k), wanted)


@given(texts=TEXTS, queries=QUERIES, k=st.integers(0, 30), part=st.integers(1, 40), seed=st.integers(0, 9))
def test_ties_are_broken_as_told(texts: list[str], queries: list[str], k: int, part: int, seed: int) -> None:
    """By the hash of a name, as the policies do, in words and in vectors, also where hashes are equal."""
    names = [f"{seed}-{number % 5}" for number in range(len(texts))]
    embedder = HashedEmbedder(64)
    rows, asked = embedder.embed(texts), embedder.embed(queries)
    with TemporaryDirectory() as folder:
        made = HaystackIndex(Path(folder), part_tokens=part)
        made.extend(texts, hash_keys(names))
        same(
            made.search_many(queries, k),
            BM25(TermMatrix.build(texts), order=by_hash(names)).search_many(queries, k),
        )
        stack = VectorStack(Path(folder) / "vectors", 64)
        stack.extend(rows, hash_keys(names))
        same(stack.search_many(asked, k, rows=part), DenseIndex(rows, order=by_hash(names)).search_many(asked, k))


def same(found: tuple[Any, Any], wanted: tuple[Any, Any]) -> None:
    """Compare places and scores."""
    assert np.array_equal(found[0], wanted[0])
    assert np.array_equal(found[1], wanted[1])


@given(
    texts=TEXTS,
    queries=QUERIES.filter(bool),
    k=st.integers(0, 30),
    rows=st.integers(1, 9),
    cut=st.integers(0, 25),
)
def test_vectors_in_blocks_are_searched_as_one(
    texts: list[str], queries: list[str], k: int, rows: int, cut: int
) -> None:
    """However they came and are read, the best are those of one product."""
    embedder = HashedEmbedder(64)
    vectors, asked = embedder.embed(texts), embedder.embed(queries)
    with TemporaryDirectory() as folder:
        stack = VectorStack(Path(folder) / "vectors", 64)
        stack.extend(vectors[:cut])
        stack.extend(vectors[cut:])
        assert len(VectorStack(Path(folder) / "vectors", 64)) == len(stack) == len(texts)
        same(stack.search_many(asked, k, rows=rows), DenseIndex(vectors).search_many(asked, k))


def test_one_query_is_answered_without_padding(tmp_path: Path) -> None:
    """Texts that share no word with it are not returned."""
    made = HaystackIndex(tmp_path, part_tokens=2)
    made.extend(["apple pie", "bee", "an apple"])
    assert made.search("apple", 5)[0].tolist() == [2, 0]
    assert made.search("unknown", 5)[0].tolist() == []


def test_the_folders_around_an_index_are_made(tmp_path: Path) -> None:
    """Nobody has to make them before it is begun."""
    made = HaystackIndex(tmp_path / "stores" / "words", part_tokens=1)
    made.extend(["apple"])
    assert made.search("apple", 1)[0].tolist() == [0]


def test_what_cannot_be_written_or_read_is_said(tmp_path: Path) -> None:
    """No folder, a full disk, vectors of another length, missing ties: a sentence, and no wrong answer."""
    (tmp_path / "vectors").write_bytes(b"\0" * 30)
    with pytest.raises(DataError, match="does not hold vectors of 8 numbers"):
        VectorStack(tmp_path / "vectors", 8)
    (tmp_path / "untied").write_bytes(b"\0" * 32)
    with pytest.raises(DataError, match="does not hold vectors of 8 numbers"):
        VectorStack(tmp_path / "untied", 8)
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="Cannot write the index"):
        HaystackIndex(tmp_path / "file")
    with pytest.raises(DataError, match="for vectors"):
        VectorStack(tmp_path / "file" / "vectors", 8)
    words, stack = HaystackIndex(tmp_path / "full", part_tokens=1), VectorStack(tmp_path / "full" / "vectors", 8)
    with full_disk(40), pytest.raises(DataError, match="Cannot write the index"):
        words.extend(["apple " + " ".join(f"w{n}" for n in range(99))])
    with full_disk(40), pytest.raises(DataError, match="Cannot write"):
        stack.extend(np.zeros((9, 8)))


def shape(turns: int, folder: Path) -> tuple[int, list[int]]:
    """Index turns of twelve words in a process of its own: peak memory in KiB, and what a search found."""
    script = f"""
        from itertools import islice
        from pathlib import Path
        from memgauge.retrieval.haystack import HaystackIndex
        def said():
            state = 1
            for n in range({turns}):
                words = []
                for _ in range(12):
                    state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
                    words.append(f"w{{(state >> 40) % 5000}}")
                yield "needle " + " ".join(words) if n == {turns} // 3 else " ".join(words)
        made, source = HaystackIndex(Path({str(folder)!r}), part_tokens=1 << 18), said()
        while piece := list(islice(source, 1000)):
            made.extend(piece)
        found = made.search_many(["needle w1 w2", "needle"], 5)[0]
        print(found[1, 0], len(made))
    """
    found, peak = measured(textwrap.dedent(script))
    return peak, found


def test_memory_does_not_grow_with_the_haystack(tmp_path: Path) -> None:
    """Four times as many turns take a few MB more, of the words and of what is searched at a time."""
    small, found = shape(30_000, tmp_path / "small")
    large, found_large = shape(120_000, tmp_path / "large")
    assert (found, found_large) == ([10_000, 30_000], [40_000, 120_000])
    assert large - small < 24 * 1024


@pytest.mark.slow
@pytest.mark.timeout(7200)  # minutes of a processor, which a busy machine gives in hours
def test_ten_million_turns_fit_into_a_laptop(tmp_path: Path) -> None:
    """They are indexed and searched below 1 GB."""
    peak, found = shape(10_000_000, tmp_path)
    assert found == [3_333_333, 10_000_000]
    assert peak < 1_000_000
