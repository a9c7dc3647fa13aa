"""Mem0 1.x (mem0ai 1.0.11), whose model adds, updates and deletes: the algorithm that published numbers are of.

An update replaces the metadata of a memory, so that it names the last turn only. Sources are therefore not taken
from there: the receipts of this adapter name every memory that a turn touched, and the harness unites them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from memgauge.errors import ConfigError
from memgauge.products.mem0.adapter import Mem0, _owner
from memgauge.systems.adapters.product_store import EVERYTHING

if TYPE_CHECKING:
    from memgauge.records import Scope

WITNESSES = ("receipt", "metadata")


class Mem0Classic(Mem0):
    """Keeps what the model of Mem0 1.x makes of turns (lane ``extract``), or the turns (``raw``)."""

    name = "mem0-1"
    pin: ClassVar[str] = "mem0ai==1.0.11"
    lane = "extract"
    keeps_sources = False

    def __init__(
        self,
        *,
        lane: str = "",
        sources: str = "receipt",
        embedder: str = "hashed",
        model: str = "gpt-4.1-mini",
        path: str = "",
    ) -> None:
        """Open the store at *path*, or an empty one in a temporary folder.

        Args:
            lane: ``extract`` or ``raw``.
            sources: ``receipt``, or ``metadata`` to believe what Mem0 keeps, which shows what an update loses.
            embedder: As :class:`memgauge.products.mem0.adapter.Mem0` takes it; so are *model* and *path*.
            model: What the extraction asks.
            path: An empty folder, or one that holds a store.

        Raises:
            MissingExtraError: Mem0 is not installed here.
            ConfigError: Another major version is, a name is unknown, or no model has an address.
        """
        if sources not in WITNESSES:
            raise ConfigError(f"mem0-1 knows no sources by {sources!r}.", f"Take {' or '.join(WITNESSES)}.")
        self.keeps_sources = sources == "metadata"
        super().__init__(lane=lane, embedder=embedder, model=model, path=path)

    def _ranked(self, query: str, scope: Scope, k: int) -> list[dict[str, Any]]:
        return list(self._memory.search(query, limit=k, rerank=False, **_owner(scope))["results"])

    def _listed(self, scope: Scope) -> list[dict[str, Any]]:
        return list(self._memory.get_all(limit=EVERYTHING, **_owner(scope))["results"])

    def _notes(self) -> tuple[str, ...]:
        return ()

    @property
    def _changed(self) -> tuple[str, ...]:
        witness = () if self.keeps_sources else ("sources by receipt, not by metadata",)
        return ("speakers who are no role stand before their words", *witness)
