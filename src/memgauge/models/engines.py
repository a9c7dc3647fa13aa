"""What an engine does: it turns texts into vectors, or a conversation into a reply, and says who it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.records.identities import ModelIdentity
    from memgauge.retrieval.embedders import Vectors


class Engine(Protocol):
    """A model that has been loaded."""

    @property
    def about(self) -> ModelIdentity:
        """Say which model it is."""


@runtime_checkable
class Embedding(Protocol):
    """An engine that embeds."""

    name: str
    fingerprint: str
    dim: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row for each text, as a document."""


@runtime_checkable
class Chatting(Protocol):
    """An engine that writes."""

    def chat(self, body: Mapping[str, Any], cap: int, limit_s: float) -> dict[str, Any]:
        """Return a chat completion: at most *cap* tokens, within *limit_s* seconds, else what there is as cut.

        Raises:
            ConfigError: The request cannot be answered.
        """
