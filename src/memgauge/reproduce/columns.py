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
    numbers = np.concatenate([np.asarray(column, dtype=np.float32) for column in columns.values()])
    distinct, places, times = np.unique(numbers, return_inverse=True, return_counts=True)
    if len(distinct) > _MOST:
        raise ConfigError(
            f"{len(distinct):,} different numbers are too many for a file of columns.", "Leave some out."
        )
    often = np.argsort(-times, kind="stable")  # what occurs often has a small place, which packs well
    distinct, places = distinct[often], np.argsort(often)[places]
    head = json.dumps({"known": len(distinct), "columns": {name: len(column) for name, column in columns.items()}})
    low_bytes, high_bytes = (places & 255).astype(np.uint8), (places >> 8).astype(np.uint8)
    body = b"".join(
        [head.encode(), b"\n", distinct.astype("<f4").tobytes(), low_bytes.tobytes(), high_bytes.tobytes()]
    )
    return lzma.compress(body, preset=9)


def unpacked(content: bytes) -> dict[str, NDArray[np.float64]]:
    """Return the columns in *content*."""
    head, _, body = lzma.decompress(content).partition(b"\n")
    about = json_of(head)
    numbers, codes = body[: 4 * about["known"]], np.frombuffer(body[4 * about["known"] :], dtype=np.uint8)
    low_bytes, high_bytes = codes.reshape(2, -1).astype(np.int64)
    values = np.frombuffer(numbers, dtype="<f4").astype(np.float64)[low_bytes + (high_bytes << 8)]
    ends = np.cumsum(list(about["columns"].values()))
    return dict(zip(about["columns"], np.split(values, ends[:-1]), strict=True))
