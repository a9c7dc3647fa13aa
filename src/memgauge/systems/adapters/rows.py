"""The raw lane of a store: every turn is one row with its text, its id and its time, and nothing is made of it.

A product's adapter says how rows are put, found, listed and dropped; what a memory system does beside that is the
same for all of them and stands here.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from datetime import datetime
from threading import RLock
from typing import TYPE_CHECKING, Any

from memgauge.errors import ContractBreach
from memgauge.records import Change, Form, Hit, Memory, Operation, Receipt, Scope, Turn
from memgauge.systems.adapters.folders import StoreFolders
from memgauge.systems.adapters.product_store import ProductStore, installed
from memgauge.systems.adapters.vectors import open_vectors
from memgauge.systems.locking import locked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

CANARIES = 25
"""More than any product returns unasked (10 or 20)."""
_CANARY = Scope("memgauge-canary")
_counted: set[type] = set()
"""Adapters whose product returned as many rows as it was asked for."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One turn as a product stores it."""

    id: str
    text: str
    source: str = ""
    at: str = ""
    """When it was said, as ISO 8601; empty where nobody knows."""
    role: str = ""
    """Who said it: ``user``, ``tool``, ``web`` or whatever a turn says; it comes back as the memory's channel."""

    @property
    def metadata(self) -> dict[str, str]:
        """What is stored beside the text."""
        return {"source": self.source, "at": self.at, "role": self.role}

    @classmethod
    def beside(cls, name: str, text: str, metadata: Mapping[str, Any] | None) -> StoredTurn:
        """Read a row back; what is not stored beside its text is empty."""
        known = metadata or {}
        return cls(name, text, *(str(known.get(key, "")) for key in ("source", "at", "role")))


class RowStore(ProductStore):
    """A memory system over one product's store of rows, in a folder of its own or at a given path.

    What reads before it writes does so under a lock: between the two nothing else is written. Searches and lists
    are the product's own, also while another thread writes.
    """

    def __init__(self, *, embedder: str = "hashed", path: str = "") -> None:
        """Open the store at *path*, or an empty one in a temporary folder.

        Raises:
            MissingExtraError: The product is not installed here.
            ContractBreach: The product does not return as many rows as it is asked for.
        """
        self._lock = RLock()
        self.version = self._installed()
        self._vectors = open_vectors(embedder)
        self._home = StoreFolders(self.name, path)
        self._open()
        if type(self) not in _counted:
            self._count_canaries(embedder)
            _counted.add(type(self))

    # What a product's adapter says.

    def _installed(self) -> str:
        """Return the version that is installed, of a Python package if nothing else is said."""
        return installed(self.name, self.pin)

    @abstractmethod
    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        """Store *rows*, each in the place of one with its id."""

    @abstractmethod
    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        """Return the best *k* rows with the product's own scores, in the product's own order."""

    @abstractmethod
    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        """List the rows of *scope*, all or those with the given ids."""

    @abstractmethod
    def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        """Remove rows that are there."""

    @abstractmethod
    def _erase(self, scope: Scope) -> None:
        """Remove all rows of *scope*."""

    def row_id(self, turn: str, scope: Scope) -> str:  # noqa: ARG002 - a product may want ids of another form
        """Return the id under which a turn is stored."""
        return turn

    # What follows from it.

    @locked
    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store every turn as it was said."""
        rows = {row.id: row for row in (self._row(turn, scope) for turn in turns)}
        known = {row.id: row for row in self._rows(scope, list(rows))}
        if rows:
            self._put(list(rows.values()), scope)
        return Receipt(tuple(Change(_done(row, known.get(name)), name) for name, row in rows.items()))

    def _row(self, turn: Turn, scope: Scope) -> StoredTurn:
        at = turn.at.isoformat() if turn.at else ""
        return StoredTurn(self.row_id(turn.id, scope), turn.text, turn.id, at, turn.role)

    def _hits(self, query: str, scope: Scope, k: int) -> list[Hit]:
        return [Hit(memory_of(row), score) for row, score in self._nearest(query, scope, k)]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List everything under *scope*."""
        return map(memory_of, self._rows(scope))

    @locked
    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of one memory, which keeps its source; an unknown id changes nothing."""
        known = self._rows(scope, [memory])
        if not known:
            return Receipt((Change(Operation.NOOP, memory),))
        self._put([replace(known[0], text=text)], scope)
        return Receipt((Change(Operation.UPDATE, memory),))

    @locked
    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories by id, and count those that were there."""
        known = [row.id for row in self._rows(scope, list(dict.fromkeys(memories)))]
        if known:
            self._drop(known, scope)
        return len(known)

    @locked
    def erase(self, scope: Scope) -> None:
        """Remove everything of *scope*."""
        self._erase(scope)

    def _another(self, embedder: str) -> RowStore:
        """Open an empty store of the same kind."""
        return type(self)(embedder=embedder)

    def _count_canaries(self, embedder: str) -> None:
        """Refuse a product that returns another number of rows than it is asked for."""
        if not self._home.is_new:
            self._another(embedder).close()  # what lies here already is not to be touched
            return
        self._put(
            [StoredTurn(self.row_id(f"canary-{n}", _CANARY), f"canary number {n}") for n in range(CANARIES)],
            _CANARY,
        )
        for k in (7, CANARIES):
            returned = len(self._nearest("Which number has the canary?", _CANARY, k))
            if returned != k:
                what = f"{self.name} {self.version} returned {returned} of {CANARIES} rows for k={k}"
                raise ContractBreach(f"{what}: it ignores a parameter.")
        self.reset()


def memory_of(row: StoredTurn) -> Memory:
    """Show a row as a memory; its form is for the harness to measure."""
    at = datetime.fromisoformat(row.at) if row.at else None
    sources = (row.source,) if row.source else ()
    return Memory(row.id, row.text, Form.UNKNOWN, sources, event_at=at, channel=row.role)


def _done(row: StoredTurn, known: StoredTurn | None) -> Operation:
    """Say what storing *row* does where *known* was there."""
    if known is None:
        return Operation.ADD
    return Operation.NOOP if row == known else Operation.UPDATE
