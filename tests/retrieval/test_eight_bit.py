"""MiniLM in whole numbers: what its products are, against numpy, and what it is called."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from memgauge.retrieval.eight_bit import RECIPE, STEPS, TOKEN_STEPS, EightBitGraph, in_steps
from memgauge.retrieval.minilm import MiniLM
from memgauge.retrieval.minilm_graph import build
from support.minilm import TEXTS, forward, tiny_weights

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from support.minilm import Array

MATRICES = arrays.arrays(
    np.float32, arrays.array_shapes(min_dims=2, max_dims=2, max_side=9), elements=st.floats(-1e6, 1e6, width=32)
)


@given(MATRICES)
def test_a_weight_is_half_a_step_away_at_most_and_no_pair_overflows(matrix: Array) -> None:
    """Steps are a column's own, and two products of a byte stay within sixteen bits."""
    whole, steps = in_steps(matrix)
    assert np.abs(whole.astype(int)).max() <= STEPS
    assert 2 * 255 * STEPS < 2**15
    assert np.all(np.abs(whole * steps - matrix) <= steps * 0.501)


def in_whole_numbers(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    """Apply one dense layer to tokens in their own steps, by plain integers."""
    whole, steps = in_steps(weights[f"{name}.weight"].T)
    scale = np.abs(x).max(-1, keepdims=True) / np.float32(TOKEN_STEPS)
    product: Array = (np.rint(x / scale).astype(np.int64) @ whole.astype(np.int64)) * steps * scale
    return product + weights[f"{name}.bias"]


def test_the_graph_equals_plain_integers(tiny: Path) -> None:
    """Vectors are those of a forward pass whose products are integers of numpy, and are not those of float32."""
    model = MiniLM(threads=1, eight_bit=True)
    codes = [model._encoder._tokenizer.encode(text).ids for text in TEXTS]
    exact = [forward(ids, tiny_weights()) for ids in codes]
    expected = [forward(ids, tiny_weights(), in_whole_numbers) for ids in codes]
    rows = model.embed(TEXTS)
    np.testing.assert_allclose(rows, expected, atol=1e-3)  # a number between two steps may go to either
    assert np.abs(rows - exact).max() > 1e-3
    assert (rows * exact).sum(axis=1).min() > 0.99


def test_no_vector_depends_on_its_batch(tiny: Path) -> None:
    """A text alone has the vector that it has among others."""
    model = MiniLM(threads=1, eight_bit=True)
    alone = np.concatenate([model.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(model.embed(TEXTS), alone, atol=1e-6)


def test_it_is_another_model_than_that_of_float32(tiny: Path, tmp_path: Path) -> None:
    """Of the same weights it says what was made of them, and shares neither keys nor graph."""
    exact, whole = MiniLM(threads=1), MiniLM(threads=1, eight_bit=True)
    assert (whole.about.weights, whole.about.quantisation) == (exact.about.weights, RECIPE)
    assert exact.fingerprint != whole.fingerprint
    assert RECIPE in whole.fingerprint
    assert whole.about.runtime in whole.fingerprint
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_a_recipe_that_changes_has_another_name() -> None:
    """What is made of known weights is what it was under this name: keys of caches rest on it."""
    pytest.importorskip("onnx", reason="needs the extra dense")
    graph = build(EightBitGraph(dict(tiny_weights()))).graph
    content = hashlib.sha256()
    for node in graph.node:
        content.update(repr((node.op_type, list(node.input), list(node.output))).encode())
    for constant in graph.initializer:
        content.update(constant.raw_data)
    assert (RECIPE, content.hexdigest()[:16]) == ("int8-products-1", "7582e05737ab1d32")
