"""The MiniLM sentence encoder as an ONNX graph, built from its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    Weights = Mapping[str, npt.NDArray[np.float32]]

OPSET = 20
IR_VERSION = 10
HEADS = 12
EPSILON = 1e-12
"""Of BERT's layer norms."""


def build(graph: EncoderGraph) -> Any:
    """Return the ONNX model: ``ids`` and ``mask`` (int64, of shape batch, length) to ``vectors`` (unit rows).

    Source of the architecture: Devlin et al. 2019 (post-norm transformer encoder, learned positions, exact GELU);
    mean pooling over the mask and unit length as in Reimers and Gurevych 2019.
    """
    states = _embed(graph)
    far = graph.op("Mul", graph.op("Sub", graph.const(1.0), _float_mask(graph, [1, 2])), graph.const(-1e9))
    layer = 0
    while f"encoder.layer.{layer}.output.dense.weight" in graph.weights:
        states = _layer(graph, states, far, f"encoder.layer.{layer}")
        layer += 1
    _pool(graph, states)
    return graph.model()


class EncoderGraph:
    """Nodes and constants, named as they come."""

    domains: ClassVar[Mapping[str, int]] = {"": OPSET}
    """Sets of operators, and their versions."""

    def __init__(self, weights: Weights) -> None:
        from onnx import helper, numpy_helper

        self._helper = helper
        self.tensor = numpy_helper.from_array
        self.weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def op(self, kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        """Add a node, and name what comes out of it."""
        name = out or f"v{len(self._nodes)}"
        self._nodes.append(self._helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def const(self, value: npt.ArrayLike) -> str:
        """Add a constant; numbers with a point are kept in 32 bits."""
        content = np.asarray(value)
        if content.dtype == np.float64:
            content = content.astype(np.float32)
        name = f"c{len(self._constants)}"
        self._constants[name] = self.tensor(content, name)
        return name

    def linear(self, x: str, name: str) -> str:
        """Multiply by a layer's weights, and add its bias."""
        product = self.op("MatMul", x, self.const(np.ascontiguousarray(self.weights[f"{name}.weight"].T)))
        return self.op("Add", product, self.const(self.weights[f"{name}.bias"]))

    def norm(self, x: str, name: str) -> str:
        """Bring the last axis to mean 0 and variance 1, and scale it as a layer does."""
        scale, bias = self.const(self.weights[f"{name}.weight"]), self.const(self.weights[f"{name}.bias"])
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=EPSILON)

    def model(self) -> Any:
        """Return the model that the nodes make."""
        from onnx import TensorProto

        make, shape = self._helper.make_tensor_value_info, ["batch", "length"]
        width = self.weights["embeddings.word_embeddings.weight"].shape[1]
        graph = self._helper.make_graph(
            self._nodes,
            "minilm",
            [make("ids", TensorProto.INT64, shape), make("mask", TensorProto.INT64, shape)],
            [make("vectors", TensorProto.FLOAT, ["batch", width])],
            list(self._constants.values()),
        )
        sets = [self._helper.make_opsetid(*version) for version in self.domains.items()]
        return self._helper.make_model(graph, opset_imports=sets, ir_version=IR_VERSION)


def _embed(graph: EncoderGraph) -> str:
    words = graph.op("Gather", graph.const(graph.weights["embeddings.word_embeddings.weight"]), "ids")
    length = graph.op("Slice", graph.op("Shape", "ids"), graph.const([1]), graph.const([2]))
    table = graph.weights["embeddings.position_embeddings.weight"]
    table = table + graph.weights["embeddings.token_type_embeddings.weight"][0]  # one segment, type 0
    places = graph.op("Slice", graph.const(table), graph.const([0]), length)
    return graph.norm(graph.op("Add", words, places), "embeddings.LayerNorm")


def _float_mask(graph: EncoderGraph, axes: list[int]) -> str:
    return graph.op("Unsqueeze", graph.op("Cast", "mask", to=1), graph.const(axes))


def _layer(graph: EncoderGraph, x: str, far: str, name: str) -> str:
    size = graph.weights[f"{name}.attention.self.query.weight"].shape[0] // HEADS
    split_shape, joined_shape = graph.const([0, 0, HEADS, size]), graph.const([0, 0, HEADS * size])

    def heads(part: str, perm: list[int]) -> str:
        return graph.op(
            "Transpose",
            graph.op("Reshape", graph.linear(x, f"{name}.attention.self.{part}"), split_shape),
            perm=perm,
        )

    query, value = heads("query", [0, 2, 1, 3]), heads("value", [0, 2, 1, 3])
    scores = graph.op("MatMul", query, heads("key", [0, 2, 3, 1]))
    scores = graph.op("Add", graph.op("Mul", scores, graph.const(size**-0.5)), far)
    attended = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), value)
    attended = graph.op("Reshape", graph.op("Transpose", attended, perm=[0, 2, 1, 3]), joined_shape)
    attended = graph.linear(attended, f"{name}.attention.output.dense")
    x = graph.norm(graph.op("Add", attended, x), f"{name}.attention.output.LayerNorm")
    inner = graph.op("Gelu", graph.linear(x, f"{name}.intermediate.dense"))
    return graph.norm(graph.op("Add", graph.linear(inner, f"{name}.output.dense"), x), f"{name}.output.LayerNorm")


def _pool(graph: EncoderGraph, states: str) -> None:
    """Average the words that the mask keeps, and bring the result to unit length."""
    masked_states = graph.op("Mul", states, _float_mask(graph, [2]))
    total = graph.op("ReduceSum", masked_states, graph.const([1]), keepdims=0)
    length = graph.op("ReduceL2", total, graph.const([1]), keepdims=1)
    graph.op("Div", total, length, out="vectors")
