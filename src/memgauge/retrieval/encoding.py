"""From texts to rows on onnxruntime: tokens, batches of like length, and how many texts were cut."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.extras import lacking
from memgauge.retrieval.onnx_runtime import onnxruntime

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from memgauge.retrieval.embedders import Vectors

    Ids = npt.NDArray[np.int64]

PORTION = 256
"""Tokens of a batch, its padding counted: what more of them hold between two layers leaves the cache of a core."""


class BatchEncoder:
    """Encodes texts in batches; texts of like length share one, so that little is padded."""

    def __init__(self, tokenizer: Path, longest: int, dim: int, run: Callable[[Ids, Ids], Vectors]) -> None:
        """Read the tokeniser.

        Args:
            tokenizer: A ``tokenizer.json``.
            longest: Tokens of a text that are read; the rest is cut.
            dim: How long a row is.
            run: Makes unit rows of ids and mask, both of shape batch, length.
        """
        self._tokenizer = _tokenizer(tokenizer, longest, *_version(tokenizer))
        self._run = run
        self._dim = dim
        self.texts = self.cut = 0
        """How many texts were encoded, and how many of them were cut."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text."""
        rows = np.zeros((len(texts), self._dim), dtype=np.float32)
        codes = self._tokenizer.encode_batch(list(texts))
        self.texts += len(codes)
        self.cut += sum(bool(code.overflowing) for code in codes)
        for batch in batches([len(code.ids) for code in codes]):
            rows[batch] = self._run(*_padded([codes[i].ids for i in batch]))
        return rows


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield places in *lengths*, short ones first: as many as a portion holds, and one at least."""
    batch = list[int]()
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[place] > PORTION:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _padded(codes: Sequence[Sequence[int]]) -> tuple[Ids, Ids]:
    ids = np.zeros((len(codes), max(map(len, codes))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, code in enumerate(codes):
        ids[row, : len(code)] = code
        mask[row, : len(code)] = 1
    return ids, mask


def require_libraries(*names: str) -> None:
    """Check that packages are here.

    Raises:
        MissingExtraError: One is not.
    """
    missing_names = [name for name in names if find_spec(name) is None]
    if missing_names:
        raise lacking("dense", f"Dense retrieval needs {', '.join(missing_names)}.")


def digest_of(file: Path) -> str:
    """Return the SHA-256 of *file*, which is read again only when it was written again."""
    return _digest(file, *_version(file))


@lru_cache(maxsize=4)
def _digest(file: Path, *_stamp: int) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def open_session(graph: Path, threads: int) -> Any:
    """Open an ONNX graph on the processor; 0 threads are as many as there are cores.

    Whoever opens the same one again shares it: a session holds weights and no state, and takes a second to open.
    """
    return _session(graph, threads, *_version(graph), os.getpid())


@lru_cache(maxsize=1)
def _session(graph: Path, threads: int, *_stamp: int) -> Any:
    library = onnxruntime()
    options = library.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry(
        "session.intra_op.allow_spinning", "0"
    )  # spinning doubles time on shared cores
    return library.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])


@lru_cache(maxsize=2)
def _tokenizer(file: Path, longest: int, *_stamp: int) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    return tokenizer


def _version(file: Path) -> tuple[int, int, int]:
    """Tell one content of *file* from another."""
    about = file.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns


def runtime() -> str:
    """Name what runs a graph, with its version."""
    return f"onnxruntime {onnxruntime().__version__}"
