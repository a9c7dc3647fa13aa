"""Columns of numbers in a small file: what occurs stands once, and columns hold places in it."""

from __future__ import annotations

import json
import lzma
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_MOST = 1 << 16


def packed(columns: Mapping[str, NDArray[np.float64]]) -> bytes:
    """Pack columns in single precision; what is not defined is not a number.

    Raises:
        ConfigError: They hold too many different numbers.
    """
    whole = np.concatenate([np.asarray(column, dtype=np.float32) for column in columns.values()])
    known, places, times = np.unique(whole, return_inverse=True, return_counts=True)
    if len(known) > _MOST:
        raise ConfigError(
            f"{len(known):,} different numbers are too many for a file of columns.", "Leave some out."
        )
    often = np.argsort(-times, kind="stable")  # what occurs often has a small place, which packs well
    known, places = known[often], np.argsort(often)[places]
    head = json.dumps({"known": len(known), "columns": {name: len(column) for name, column in columns.items()}})
    low, high = (places & 255).astype(np.uint8), (places >> 8).astype(np.uint8)
    body = b"".join([head.encode(), b"\n", known.astype("<f4").tobytes(), low.tobytes(), high.tobytes()])
    return lzma.compress(body, preset=9)


def unpacked(content: bytes) -> dict[str, NDArray[np.float64]]:
    """Return the columns in *content*."""
    head, _, body = lzma.decompress(content).partition(b"\n")
    about = json_of(head)
    numbers, rest = body[: 4 * about["known"]], np.frombuffer(body[4 * about["known"] :], dtype=np.uint8)
    low, high = rest.reshape(2, -1).astype(np.int64)
    whole = np.frombuffer(numbers, dtype="<f4").astype(np.float64)[low + (high << 8)]
    ends = np.cumsum(list(about["columns"].values()))
    return dict(zip(about["columns"], np.split(whole, ends[:-1]), strict=True))
