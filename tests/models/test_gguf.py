"""Heads of GGUF files, written by the test."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.models.gguf import embeds, gguf_head, longest_of, quantisation_of

if TYPE_CHECKING:
    from pathlib import Path


def text(value: str) -> bytes:
    """Spell a text."""
    return struct.pack("<Q", len(value)) + value.encode()


def write(path: Path, *entries: bytes) -> Path:
    """Write a head."""
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries))
    return path


ARCHITECTURE = text("general.architecture") + struct.pack("<I", 8) + text("bert")
KIND = text("general.file_type") + struct.pack("<II", 4, 3)
LENGTH = text("bert.context_length") + struct.pack("<II", 4, 512)
POOLING = text("bert.pooling_type") + struct.pack("<II", 4, 1)
WORDS = text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b")


def test_a_head_says_what_the_model_is(tmp_path: Path) -> None:
    """Quantisation, context, and whether it embeds; lists are passed over."""
    head = gguf_head(write(tmp_path / "m.gguf", ARCHITECTURE, WORDS, KIND, LENGTH, POOLING))
    assert (quantisation_of(head), longest_of(head), embeds(head)) == ("Q4_1", 512, True)
    assert head["tokenizer.ggml.tokens"] == 2
    plain = gguf_head(write(tmp_path / "p.gguf", ARCHITECTURE))
    assert (quantisation_of(plain), longest_of(plain), embeds(plain)) == ("", 0, False)


@pytest.mark.parametrize("content", [b"", b"GGML", b"GGUF\3", b"GGUF" + struct.pack("<IQQ", 3, 0, 1)])
def test_what_is_no_gguf_is_refused(tmp_path: Path, content: bytes) -> None:
    """Another file, and one that breaks off, are named."""
    (tmp_path / "m.gguf").write_bytes(content)
    with pytest.raises(ConfigError, match="GGUF"):
        gguf_head(tmp_path / "m.gguf")


def test_an_endless_text_is_refused(tmp_path: Path) -> None:
    """A length that no head has is no reason to read on."""
    with pytest.raises(ConfigError, match="cannot be read as GGUF"):
        gguf_head(write(tmp_path / "m.gguf", struct.pack("<Q", 1 << 60)))
