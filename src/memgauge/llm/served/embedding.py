"""Vectors without a model, so that what asks for embeddings gets some: they see shared words and nothing else."""

from __future__ import annotations

import base64
import hashlib
import math
import struct
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence


def embed(text: str, dimensions: int) -> list[float]:
    """Return a unit vector; a text without words has a zero vector."""
    row = [0.0] * dimensions
    for word, count in Counter(tokenize(text)).items():
        weight = 1 + math.log(count)
        for place, sign in enumerate(_signs(word, dimensions)):
            row[place] += weight * sign
    length = math.sqrt(sum(value * value for value in row))
    return [value / length for value in row] if length else row


def spell_vector(row: Sequence[float], encoding: str) -> list[float] | str:
    """Spell a vector as it was asked for: numbers, or base64 of little-endian 32-bit floats."""
    if encoding != "base64":
        return list(row)
    return base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode()


@cache
def _signs(word: str, dimensions: int) -> tuple[int, ...]:
    digest = hashlib.shake_128(word.encode("utf-8", "surrogatepass")).digest((dimensions + 7) // 8)
    return tuple(1 if digest[place // 8] >> (place % 8) & 1 else -1 for place in range(dimensions))
