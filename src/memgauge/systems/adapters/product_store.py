"""What adapters of products share: vectors, perhaps a model and a folder, and what follows from them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import replace
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, ClassVar

from memgauge.errors import MissingExtraError
from memgauge.records import Ranking, ScoreKind
from memgauge.systems.adapters.endpoints import asked_model
from memgauge.systems.adapters.stand_ins import stand_ins
from memgauge.systems.adapters.vectors import as_queries
from memgauge.systems.protocol import Capabilities, EventTime

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Hit, Scope, Turn
    from memgauge.systems.adapters.folders import StoreFolders
    from memgauge.systems.adapters.loops import PrivateLoop
    from memgauge.systems.adapters.vectors import TextVectors

EVERYTHING = 1_000_000
"""More than any scope holds, for products that list no more than they are asked for."""


class ProductStore(ABC):
    """A memory system over one product; its adapter says how the product is called."""

    name: str
    version: str
    pin: ClassVar[str]
    """The package whose version is that of the system, as it is installed."""
    promises: Capabilities = Capabilities(
        event_time=EventTime.STORED, score_kind=ScoreKind.SIMILARITY, reports_changes=True, declares_sources=True
    )
    """What it declares beside what follows from how it was opened."""
    interventions: tuple[str, ...] = ()
    """What the adapter changed beside vectors and model."""
    _vectors: TextVectors
    _home: StoreFolders
    _model: str | None = None
    """What the product asks; ``None`` where it asks no model."""

    @abstractmethod
    def _hits(self, query: str, scope: Scope, k: int) -> Sequence[Hit]:
        """Return the best *k* memories of *scope*; *k* is at least one."""

    def _notes(self) -> tuple[str, ...]:
        """Say what a reader of a ranking should know."""
        return ()

    def _open(self) -> None:  # noqa: B027 - some have nothing to open
        """Open the product on the folder of the store."""

    def _shut(self) -> None:  # noqa: B027 - or to close
        """Close the product, with everything written."""

    def capabilities(self) -> Capabilities:
        """Declare what the product does, and what was changed to run it here."""
        asks = self._model is not None
        model = (f"model {self._model}",) if asks else ()
        return replace(
            self.promises,
            needs=("llm",) if asks else (),
            stand_ins=stand_ins(self._vectors.name, asks=asks, at=self._vectors.address),
            models=tuple(filter(None, (self._vectors.identity, asked_model(self._model) if self._model else ""))),
            interventions=(f"vectors by {self._vectors.name}", *self.interventions, *model),
        )

    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: B027 - most products have nothing to wait for
        """Return at once: a write is searchable when it returns."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - no product here knows a time of asking
        """Search by the product's own ranking."""
        kind = self.promises.score_kind
        if k < 1:
            return Ranking((), kind)
        with as_queries(self._vectors):
            return Ranking(tuple(self._hits(query, scope, k)), kind, self._notes())

    def reset(self) -> None:
        """Begin with an empty store in another folder."""
        self._shut()
        self._home.renew()
        self._open()

    def close(self) -> None:
        """Let go of the store; a temporary folder goes."""
        self._shut()
        self._home.close()


class OnDisk(ProductStore):
    """A product whose store outlives its process."""

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder of the store."""
        return (self._home.root,)

    def reopen(self) -> None:
        """Close the store and open it again."""
        self._shut()
        self._open()


class OnLoop(ProductStore):
    """A product whose calls run on a loop of its own."""

    _loop: PrivateLoop

    def close(self) -> None:
        """Let go of the store, then of the loop; a temporary folder goes."""
        super().close()
        self._loop.close()


def installed(name: str, pin: str) -> str:
    """Return the version of the product *name*, of which *pin* is what to install.

    Raises:
        MissingExtraError: It is not installed here.
    """
    distribution = pin.partition("==")[0]
    try:
        return version(distribution)
    except PackageNotFoundError as error:
        raise MissingExtraError(
            f"{distribution} is not installed here.",
            f'Install it in an environment of its own: memgauge systems install {name}, or pip install "{pin}".',
        ) from error


def product(module: str) -> Any:
    """Import a module of a product, which has no types that we could check here."""
    return import_module(module)


def spelled(scope: Scope) -> str:
    """Write a scope as one text, different for different scopes."""
    return json.dumps([scope.tenant, scope.user, scope.agent, scope.session], ensure_ascii=True)


def hashed(scope: Scope) -> str:
    """Write a scope as a short name of letters and digits, for products that are particular about names."""
    return "s" + sha256(spelled(scope).encode()).hexdigest()[:24]


def spoken(turn: Turn) -> str:
    """Write a turn for a product that knows roles alone: another speaker stands before the words."""
    return turn.text if turn.speaker.casefold() == turn.role else f"{turn.speaker}: {turn.text}"


def best_first(hits: Sequence[Hit]) -> list[Hit]:
    """Merge hits of several channels by their scores, then by channel and id."""
    return sorted(hits, key=lambda hit: (-(hit.score or 0), hit.memory.channel, hit.memory.id))
