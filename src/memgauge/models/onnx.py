"""Sentence encoders on onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.retrieval.minilm import MiniLM
from memgauge.retrieval.onnx_file import OnnxFile
from memgauge.text.cards import Prefixes

if TYPE_CHECKING:
    from memgauge.systems.models.settings import EngineSettings


def minilm(settings: EngineSettings) -> MiniLM:
    """Open MiniLM from its weights: the same code, and so the same vectors, as in memgauge's own process."""
    return MiniLM(Path(settings.weights).parent, threads=settings.threads)


def minilm_8bit(settings: EngineSettings) -> MiniLM:
    """Open MiniLM with its products in whole numbers, made of the same weights where that was not done before."""
    return MiniLM(Path(settings.weights).parent, threads=settings.threads, eight_bit=True)


def onnx(settings: EngineSettings) -> OnnxFile:
    """Open an encoder in an ONNX file."""
    return OnnxFile(
        Path(settings.weights),
        Path(settings.tokenizer),
        name=settings.name,
        quantisation=settings.quantisation,
        pooling=settings.pooling,
        longest=settings.longest or 512,
        prefixes=Prefixes(settings.query_prefix, settings.document_prefix),
        threads=settings.threads,
    )
