"""Products without a package: a checkout that the user names, and an encoder that downloads nothing."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.systems.adapters.product_store import product

if TYPE_CHECKING:
    from memgauge.systems.adapters.vectors import TextVectors


def checkout(name: str, path: str, holds: str, repository: str) -> Path:
    """Return the folder of a checkout that holds the file *holds*.

    Raises:
        ConfigError: None is named, or it is of something else.
    """
    if not path:
        raise ConfigError(
            f"{name} has no package: it is read from a checkout of {repository}.",
            f"Clone it and name the folder: {name}:checkout=PATH.",
        )
    folder = Path(path).expanduser().absolute()
    if not (folder / holds).is_file():
        raise ConfigError(f"{folder} is no checkout of {repository}: it lacks {holds}.", "Name another folder.")
    return folder


def revision(folder: Path) -> str:
    """Return the commit of a checkout as far as its files say, else ``unknown``."""
    git = folder / ".git"
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        where = git / head.removeprefix("ref: ")
        return (where.read_text(encoding="utf-8").strip() if head.startswith("ref: ") else head)[:7]
    except OSError:
        return "unknown"


def stand_in_encoder(vectors: TextVectors) -> None:
    """Let ``sentence_transformers`` be the embedder that is named here: the real one would download weights."""

    class SentenceTransformer:
        """An encoder in the shape of the package's."""

        def __init__(self, *_: Any, **__: Any) -> None:
            """Take any model's name."""

        def encode(self, texts: Any, **_: Any) -> Any:
            """Embed one text or several."""
            array = product("numpy").array
            if isinstance(texts, str):
                return array(vectors.embed([texts])[0], dtype="float32")
            return array(vectors.embed([str(text) for text in texts]), dtype="float32")

    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = SentenceTransformer  # type: ignore[attr-defined] # a module made here
    sys.modules["sentence_transformers"] = module


def stand_in(name: str, *members: str) -> None:
    """Let a heavy package that is imported and never used be an empty one, unless it is installed."""
    try:
        product(name)
    except ImportError:
        module = ModuleType(name)
        for member in members:
            setattr(module, member, None)
        sys.modules[name] = module
