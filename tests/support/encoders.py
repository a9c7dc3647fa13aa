"""Encoders small enough to be made by a test."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "ran", "down", "query", "passage", ":")
WIDTH = 8


def write_tokenizer(path: Path, words: tuple[str, ...] = WORDS) -> None:
    """Write a tokeniser that knows *words*."""
    content: dict[str, object] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: i for i, word in enumerate(words)},
        },
    }
    path.write_text(json.dumps(content), encoding="utf-8")


def write_encoder(folder: Path, name: str = "model.onnx") -> Path:
    """Write an encoder whose hidden states are a table's rows, and its tokeniser beside it."""
    onnx = pytest.importorskip("onnx", reason="needs the extra dense")
    for library in ("onnxruntime", "tokenizers"):
        pytest.importorskip(library, reason="needs the extra dense")
    make = onnx.helper.make_tensor_value_info
    table = onnx.numpy_helper.from_array(vocabulary(), "table")
    shape, kind = ["batch", "length"], onnx.TensorProto
    graph = onnx.helper.make_graph(
        [
            onnx.helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
            onnx.helper.make_node("Unsqueeze", ["attention_mask", "last"], ["mask"]),
            onnx.helper.make_node("Cast", ["mask"], ["mask_f"], to=kind.FLOAT),
            onnx.helper.make_node("Mul", ["rows", "mask_f"], ["last_hidden_state"]),
        ],
        "tiny",
        [make("input_ids", kind.INT64, shape), make("attention_mask", kind.INT64, shape)],
        [make("last_hidden_state", kind.FLOAT, [*shape, WIDTH])],
        [table, onnx.numpy_helper.from_array(np.array([2]), "last")],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 20)], ir_version=10)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(model.SerializeToString())
    write_tokenizer(folder / "tokenizer.json")
    return folder / name


def vocabulary() -> np.typing.NDArray[np.float32]:
    """Return the vector of every word."""
    return np.random.default_rng(0).normal(size=(len(WORDS), WIDTH)).astype(np.float32)
