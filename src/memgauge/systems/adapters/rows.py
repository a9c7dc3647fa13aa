"""The raw lane of a store: every turn is one row with its text, its id and its time, and nothing is made of it.

A product's adapter says how rows are put, found, listed and dropped; what a memory system does beside that is the
same for all of them and stands here.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, ClassVar

from memgauge.errors import ContractBreach, MissingExtraError
from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, Scope, ScoreKind, Turn
from memgauge.systems.adapters.folders import StoreFolders
from memgauge.systems.adapters.stand_ins import stand_ins
from memgauge.systems.adapters.vectors import TextVectors, open_vectors
from memgauge.systems.protocol import Capabilities, EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

CANARIES = 25
"""More than any product returns unasked (10 or 20)."""
_CANARY = Scope("memgauge-canary")
_kept_count: set[type] = set()


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One turn as a product stores it."""

    id: str
    text: str
    source: str = ""
    at: str = ""
    """When it was said, as ISO 8601; empty where nobody knows."""

    @property
    def metadata(self) -> dict[str, str]:
        """What is stored beside the text."""
        return {"source": self.source, "at": self.at}


class RowStore(ABC):
    """A memory system over one product's store of rows, in a folder of its own or at a given path."""

    name: str
    distribution: ClassVar[str]
    """The package whose version is that of the system."""
    pin: ClassVar[str]
    """What to install."""
    score_kind: ScoreKind = ScoreKind.SIMILARITY
    interventions: tuple[str, ...] = ()

    def __init__(self, *, embedder: str = "hashed", path: str = "") -> None:
        """Open the store at *path*, or an empty one in a temporary folder.

        Raises:
            MissingExtraError: The product is not installed here.
            ContractBreach: The product does not return as many rows as it is asked for.
        """
        self.version = installed(self.name, self.distribution, self.pin)
        self._vectors: TextVectors = open_vectors(embedder)
        self._home = StoreFolders(self.name, path)
        self.open()
        if type(self) not in _kept_count:
            self._count_canaries(embedder)
            _kept_count.add(type(self))

    # What a product's adapter says.

    @abstractmethod
    def open(self) -> None:
        """Open the product on the folder of the store."""

    @abstractmethod
    def shut(self) -> None:
        """Close the product, with everything written."""

    @abstractmethod
    def put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        """Store *rows*, each in the place of one with its id."""

    @abstractmethod
    def nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        """Return the best *k* rows with the product's own scores, in the product's own order."""

    @abstractmethod
    def rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        """List the rows of *scope*, all or those with the given ids."""

    @abstractmethod
    def drop(self, ids: Sequence[str], scope: Scope) -> None:
        """Remove rows that are there."""

    @abstractmethod
    def drop_all(self, scope: Scope) -> None:
        """Remove all rows of *scope*."""

    def row_id(self, turn: str, scope: Scope) -> str:  # noqa: ARG002 - a product may want ids of another form
        """Return the id under which a turn is stored."""
        return turn

    # What follows from it.

    def capabilities(self) -> Capabilities:
        """Declare what the product does, and what was changed to run it here."""
        return Capabilities(
            event_time=EventTime.STORED,
            score_kind=self.score_kind,
            reports_changes=True,
            declares_sources=True,
            stand_ins=stand_ins(self._vectors.name, asks=False),
            interventions=(f"vectors by {self._vectors.name}", *self.interventions),
        )

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store every turn as it was said."""
        rows = {row.id: row for row in (self._row(turn, scope) for turn in turns)}
        known = {row.id for row in self.rows(scope, list(rows))}
        if rows:
            self.put(list(rows.values()), scope)
        return Receipt(tuple(Change(Operation.UPDATE if name in known else Operation.ADD, name) for name in rows))

    def _row(self, turn: Turn, scope: Scope) -> StoredTurn:
        return StoredTurn(self.row_id(turn.id, scope), turn.text, turn.id, turn.at.isoformat() if turn.at else "")

    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: B027 - most stores have nothing to wait for
        """Return at once: a write is searchable when it returns."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - no product here knows a time of asking
        """Search by the product's own ranking."""
        if k < 1:
            return Ranking((), self.score_kind)
        found = self.nearest(query, scope, k)
        return Ranking(tuple(Hit(memory_of(row), score) for row, score in found), self.score_kind)

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List everything under *scope*."""
        return map(memory_of, self.rows(scope))

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory, which keeps its source; an unknown id changes nothing."""
        known = self.rows(scope, [memory])
        if not known:
            return Receipt((Change(Operation.NOOP, memory),))
        self.put([replace(known[0], text=text)], scope)
        return Receipt((Change(Operation.UPDATE, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories by id, and count those that were there."""
        known = [row.id for row in self.rows(scope, list(dict.fromkeys(memories)))]
        if known:
            self.drop(known, scope)
        return len(known)

    def erase(self, scope: Scope) -> None:
        """Remove everything under *scope*."""
        self.drop_all(scope)

    def reset(self) -> None:
        """Begin with an empty store in another folder."""
        self.shut()
        self._home.renew()
        self.open()

    def close(self) -> None:
        """Let go of the store; a temporary folder goes."""
        self.shut()
        self._home.close()

    def _count_canaries(self, embedder: str) -> None:
        """Refuse a product that returns another number of rows than it is asked for."""
        if not self._home.is_new:
            type(self)(embedder=embedder).close()  # what lies here already is not to be touched
            return
        self.put(
            [StoredTurn(self.row_id(f"canary-{n}", _CANARY), f"canary number {n}") for n in range(CANARIES)],
            _CANARY,
        )
        for k in (7, CANARIES):
            found = len(self.nearest("Which number has the canary?", _CANARY, k))
            if found != k:
                what = f"{self.name} {self.version} returned {found} of {CANARIES} rows for k={k}"
                raise ContractBreach(f"{what}: it ignores a parameter.")
        self.reset()


class OnDisk(RowStore):
    """A store that outlives its process."""

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder of the store."""
        return (self._home.root,)

    def reopen(self) -> None:
        """Close the store and open it again."""
        self.shut()
        self.open()


def installed(name: str, distribution: str, pin: str) -> str:
    """Return the version of a product.

    Raises:
        MissingExtraError: It is not installed here.
    """
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


def memory_of(row: StoredTurn) -> Memory:
    """Show a row as a memory; its form is for the harness to measure."""
    at = datetime.fromisoformat(row.at) if row.at else None
    return Memory(row.id, row.text, Form.UNKNOWN, (row.source,) if row.source else (), event_at=at)


def spelled(scope: Scope) -> str:
    """Write a scope as one text, different for different scopes."""
    return json.dumps([scope.tenant, scope.user, scope.agent, scope.session], ensure_ascii=True)


def hashed(scope: Scope) -> str:
    """Write a scope as a short name of letters and digits, for products that are particular about names."""
    return "s" + sha256(spelled(scope).encode()).hexdigest()[:24]
