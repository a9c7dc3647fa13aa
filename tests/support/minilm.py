"""MiniLM as a plain forward pass in numpy, and weights small enough for a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
from scipy.special import erf, softmax

Array = npt.NDArray[np.float32]
Layer = Callable[[Array, Mapping[str, Array], str], Array]
"""Takes rows, weights and the name of a layer."""

WIDTH = 384
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "ran", "down")
TEXTS = ["the cat sat", "the cat ran down the cat", "", "unknown words", *["sat"] * 20]


def norm(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    """Normalise the last axis."""
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    result: Array = scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return result


def linear(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    """Apply one dense layer."""
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def forward(ids: list[int], w: Mapping[str, Array], linear: Layer = linear) -> Array:
    """Encode one text without batching, padding or ONNX, by dense layers of one kind."""
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


@cache
def tiny_weights() -> Mapping[str, Array]:
    """Make a two-layer encoder of the real shape, with random weights, for everybody to read."""
    rng = np.random.default_rng(0)
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
    weights = {name: rng.normal(0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}
    for values in weights.values():
        values.setflags(write=False)
    return MappingProxyType(weights)
