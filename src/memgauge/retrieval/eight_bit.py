"""MiniLM with its products in whole numbers: weights of seven bits, tokens of eight."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from memgauge.retrieval.minilm_graph import OPSET, EncoderGraph

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from memgauge.retrieval.minilm_graph import Weights

RECIPE: Final = "int8-products-1"
"""How a graph is made of weights; what changes a number changes this name, which is part of every cache key."""
STEPS: Final = 63
"""Of a weight on either side of zero. With more, two products of a byte could leave the sixteen bits in which
processors without VNNI add them up, and a text would have other vectors there."""
TOKEN_STEPS: Final = 127
_MIDDLE: Final = np.uint8(128)
_TINY: Final = np.float32(1e-30)
_RUNTIME: Final = "com.microsoft"
"""Operators of onnxruntime's own."""


class EightBitGraph(EncoderGraph):
    """The same encoder, whose products by weights are of whole numbers; attention stays as it is.

    Steps are a column's own, and a token's own: no vector depends on the texts that happen to share its batch.
    """

    domains: ClassVar[Mapping[str, int]] = {"": OPSET, _RUNTIME: 1}

    def __init__(self, weights: Weights) -> None:
        super().__init__(weights)
        self._tokens: dict[str, tuple[str, str]] = {}

    def linear(self, x: str, name: str) -> str:
        """Multiply by a layer's weights in whole numbers, and add its bias."""
        integers, steps = in_steps(self.weights[f"{name}.weight"].T)
        if x not in self._tokens:  # queries, keys and values share theirs
            self._tokens[x] = self._in_bytes(x, len(integers))
        tokens, scale = self._tokens[x]
        product = self.op(
            "MatMulIntegerToFloat",
            *(tokens, self.const(integers), self.const(1.0), self.const(steps), self.const(_MIDDLE)),
            domain=_RUNTIME,
        )
        return self.op("Add", self.op("Mul", product, scale), self.const(self.weights[f"{name}.bias"]))

    def _in_bytes(self, x: str, width: int) -> tuple[str, str]:
        """Return tokens as bytes around the middle, and the step of each."""
        largest = self.op("ReduceMax", self.op("Abs", x), self.const([-1]), keepdims=1)
        scale = self.op("Max", self.op("Mul", largest, self.const(1 / TOKEN_STEPS)), self.const(_TINY))
        steps = self.op("Reshape", scale, self.const([-1]))
        middles = self.op("ConstantOfShape", self.op("Shape", steps), value=self.tensor(np.array([_MIDDLE])))
        rows = self.op("Reshape", x, self.const([-1, width]))
        flat = self.op("QuantizeLinear", rows, steps, middles, axis=0)
        return self.op("Reshape", flat, self.op("Shape", x)), scale


def in_steps(matrix: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Return *matrix* in whole steps, and how long the step of each column is."""
    steps = np.maximum(np.abs(matrix).max(axis=0) / np.float32(STEPS), _TINY)
    return np.rint(matrix / steps).astype(np.int8), steps
