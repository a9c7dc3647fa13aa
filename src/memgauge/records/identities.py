"""Who a model is that something was measured with: what changes a vector or a reply, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

SHORT = 12
"""Characters of a digest that are shown; as many as nobody confuses."""


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """A model as the server that runs it describes it."""

    name: str
    weights: str
    """sha256 of the weights, and of the tokeniser where that is another file."""
    quantisation: str = ""
    """How the weights are kept: ``fp32``, ``int8``, ``Q4_1``."""
    runtime: str = ""
    """What runs it, with its version."""
    query_prefix: str = ""
    """What the server puts before a query."""
    document_prefix: str = ""
    dim: int = 0
    """How long its vectors are; 0 where it writes words."""
    longest: int = 0
    """Tokens of a text, or of a conversation, that it reads; the rest is cut, or refused."""

    @property
    def sided(self) -> bool:
        """Whether a query is no document to it."""
        return self.query_prefix != self.document_prefix

    @property
    def label(self) -> str:
        """Name it so that nobody takes another for it.

        >>> ModelIdentity("minilm", "53aa5117" * 8, "fp32", "onnxruntime 1.31.1").label
        'minilm (weights 53aa511753aa, fp32, onnxruntime 1.31.1)'
        """
        sides = f"{self.query_prefix!r} and {self.document_prefix!r} before texts" if self.sided else ""
        parts = (f"weights {self.weights[:SHORT]}", self.quantisation, self.runtime, sides)
        return f"{self.name} ({', '.join(filter(None, parts))})"

    @property
    def fingerprint(self) -> str:
        """Spell everything that changes what it returns, for keys of caches."""
        return "\0".join(map(str, asdict(self).values()))

    @property
    def listing(self) -> dict[str, Any]:
        """Spell it for a list of models."""
        return asdict(self)


def identity_of_listing(entry: Mapping[str, Any]) -> ModelIdentity | None:
    """Read the identity in an entry of ``/v1/models``; ``None`` where a server says nothing of the kind."""
    content = entry.get("memgauge")
    if not isinstance(content, Mapping) or not content.get("weights"):
        return None
    defaults = {item.name: item.default for item in fields(ModelIdentity)}
    values: dict[str, Any] = {
        name: (int(value) if isinstance(defaults[name], int) else str(value))
        for name, value in content.items()
        if name in defaults
    }
    return ModelIdentity(**{"name": str(entry.get("id", "")), **values})
