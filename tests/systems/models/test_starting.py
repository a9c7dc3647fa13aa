"""A model is served by a process of its own: here by this Python, with an encoder that the test made."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.records import Verdict
from memgauge.retrieval.onnx_file import OnnxFile
from memgauge.systems.adapters.vectors import open_vectors
from memgauge.systems.models.checking import check_model
from memgauge.systems.models.settings import EngineSettings
from memgauge.systems.models.starting import ModelProcess
from support.encoders import write_encoder

if TYPE_CHECKING:
    from pathlib import Path


def settings(folder: Path) -> EngineSettings:
    """Describe the tiny encoder in *folder*."""
    tokenizer = str(folder / "tokenizer.json")
    return EngineSettings("tiny", "memgauge.models.onnx:onnx", str(folder / "model.onnx"), tokenizer)


def test_a_model_is_served_asked_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its vectors are those of the file, its identity is known, and nothing of it is left."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))
    alone = OnnxFile(write_encoder(tmp_path), tmp_path / "tokenizer.json", name="tiny", threads=1)
    with ModelProcess(sys.executable, settings(tmp_path)) as served:
        vectors = open_vectors(f"openai:tiny@{served.url}")
        assert vectors.embed(["the cat"])[0] == pytest.approx(alone.embed(["the cat"])[0].tolist(), abs=1e-6)
        assert served.identity.weights == alone.about.weights
        assert served.alive
        verdicts = {probe.name: probe.verdict for probe in check_model(f"tiny@{served.url}").probes}
        tried = ("says who it is", "embeds", "tells queries from documents")
        assert [verdicts[name] for name in tried] == [Verdict.PASS] * 3
    assert not served.alive


def test_a_model_that_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    """What is missing is named, and no process stays."""
    with pytest.raises(ConfigError, match=r"tiny cannot be served: .*model\.onnx is not there"):
        ModelProcess(sys.executable, settings(tmp_path))
