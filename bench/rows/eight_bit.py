"""What eight bits save: the texts of ``embedding``, in seconds of one core."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agree import Cosines
from bench.places import ENCODERS
from bench.row import CannotRunError, Job, Row, floor, ours, peer
from bench.rows import embedding_peers as peers
from bench.rows.embedding import GRAPH, N, opened, session_alone, share, texts, weights

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray


def _embedding(embed: Callable[[list[str]], Any]) -> Job:
    sentences = texts()
    return _counted(lambda: embed(sentences), lambda result: np.asarray(result[0]))


def _counted(act: Callable[[], Any], check: Callable[[Any], NDArray[Any]] | None = None) -> Job:
    """Count what the processor works, whoever else wants it meanwhile."""

    def run() -> tuple[Any, float]:
        start = time.process_time()
        result = act()
        return result, (time.process_time() - start) * 1000

    return Job(run, check, lambda result: float(result[1]))


def memgauge(folder: Path) -> Job:
    """Multiply whole numbers, a step for each token."""
    return _embedding(opened(folder, threads=1, eight_bit=True).embed)


def in_float32(folder: Path) -> Job:
    """Multiply as the weights are kept."""
    return _embedding(opened(folder, threads=1).embed)


def packed(_: Path) -> Job:
    """Embed with the weights of another package, kept in eight bits and multiplied in float32."""
    from dataclasses import replace

    from memgauge.errors import UserError
    from memgauge.models.onnx import onnx
    from memgauge.systems.models.catalogue import local_model, settings_of

    try:
        settings = settings_of(local_model("minilm-int8"))[1]
        return _embedding(onnx(replace(settings, threads=1)).embed)
    except UserError as error:
        raise CannotRunError(str(error)) from error


def pytorch(folder: Path) -> Job:
    """Embed on PyTorch, in batches of 32."""
    return _embedding(peers.sentence_transformers(weights(folder), threads=1))


def fastembed(folder: Path) -> Job:
    """Embed on onnxruntime, in one batch."""
    return _embedding(peers.fastembed(weights(folder), folder / GRAPH, folder, threads=1))


def llama_cpp(folder: Path) -> Job:
    """Embed on llama.cpp with weights of eight bits, eight texts at a time."""
    return _embedding(peers.llama_cpp(weights(folder), folder, threads=1, eight_bit=True))


def batches_alone(folder: Path) -> Job:
    """Run the session alone, tokens made before."""
    return _counted(session_alone(opened(folder, threads=1, eight_bit=True)))


ROW = Row(
    f"the same {N} texts with minilm-8bit, seconds of one core",
    share=share,
    agreement=Cosines(0.98),
    unit="s",
    repeats=7,
    items=N,
    of="texts",
    limit_mb=1500,
    above="Tokens are made, and texts sorted by length.",
    sides=(
        ours(memgauge),
        peer("minilm", in_float32, here=True, at_least=2, note="our own, the same weights in float32"),
        peer(
            "minilm-int8",
            packed,
            here=True,
            note="other weights of eight bits, which onnxruntime unpacks and multiplies in float32",
        ),
        peer("sentence-transformers", pytorch, python=ENCODERS, note="PyTorch, float32, batches of 32"),
        peer("fastembed", fastembed, python=ENCODERS, note="onnxruntime, our graph in float32, one batch of 256"),
        peer("llama.cpp", llama_cpp, python=ENCODERS, note="the same weights in its eight bits, q8_0"),
        floor("the session alone, tokens at hand", batches_alone),
    ),
)
