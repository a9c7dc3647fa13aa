"""Encoders in ONNX files, made by the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.errors import ConfigError
from memgauge.retrieval.embedders import embed_queries
from memgauge.retrieval.onnx_file import OnnxFile
from memgauge.text.cards import Prefixes
from support.encoders import WORDS, vocabulary, write_encoder

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.retrieval.embedders import Vectors


def mean_of(*words: str) -> Vectors:
    """Pool by hand."""
    rows = vocabulary()[[WORDS.index(word) for word in ("[CLS]", *words, "[SEP]")]].mean(axis=0)
    unit: Vectors = rows / np.linalg.norm(rows)
    return unit


def test_hidden_states_are_pooled_as_was_said(tmp_path: Path) -> None:
    """The average of all tokens or the first of them, at length one, whatever is padded in a batch."""
    graph = write_encoder(tmp_path)
    model = OnnxFile(graph, tmp_path / "tokenizer.json", threads=1)
    rows = model.embed(["the cat", "the cat sat down", ""])
    np.testing.assert_allclose(
        rows, [mean_of("the", "cat"), mean_of("the", "cat", "sat", "down"), mean_of()], atol=1e-6
    )
    first = OnnxFile(graph, tmp_path / "tokenizer.json", pooling="cls", threads=1)
    rows = first.embed(["the cat", "sat"])
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)
    assert model.fingerprint != first.fingerprint
    assert (model.dim, model.cut) == (8, 0)


def test_a_query_is_no_document_and_what_is_cut_is_counted(tmp_path: Path) -> None:
    """Words of the card stand before each side, and a text that is too long is counted."""
    sides = Prefixes("query: ", "passage: ")
    model = OnnxFile(write_encoder(tmp_path), tmp_path / "tokenizer.json", prefixes=sides, longest=5, threads=1)
    np.testing.assert_allclose(embed_queries(model, ["cat"]), [mean_of("query", ":", "cat")], atol=1e-6)
    np.testing.assert_allclose(model.embed(["cat"]), [mean_of("passage", ":", "cat")], atol=1e-6)
    assert model.cut == 0
    model.embed(["the cat sat down"])
    assert model.cut == 1
    assert "'query: ' and 'passage: '" in model.identity


def test_what_is_no_encoder_is_refused(tmp_path: Path) -> None:
    """An absent file and a pooling that nobody knows are named."""
    graph = write_encoder(tmp_path)
    with pytest.raises(ConfigError, match=r"other\.json is not there"):
        OnnxFile(graph, tmp_path / "other.json")
    with pytest.raises(ConfigError, match="no pooling 'sum'"):
        OnnxFile(graph, tmp_path / "tokenizer.json", pooling="sum")
