"""A tiny MiniLM, for the tests of what is made of its weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.retrieval import minilm
from support.encoders import write_tokenizer
from support.minilm import WORDS, tiny_weights

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a tiny model where MEMGAUGE_MINILM points."""
    safetensors = pytest.importorskip("safetensors.numpy", reason="needs the extra dense")
    for library in minilm.LIBRARIES:
        pytest.importorskip(library, reason="needs the extra dense")
    folder = tmp_path / "weights"
    folder.mkdir()
    safetensors.save_file(dict(tiny_weights()), str(folder / "model.safetensors"))
    write_tokenizer(folder / "tokenizer.json", WORDS)
    monkeypatch.setenv("MEMGAUGE_MINILM", str(folder))
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))
    return folder
