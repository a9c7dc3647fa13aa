"""Mastra's memory, raw lane: a turn is a message of one thread and one resource a scope, recalled by meaning.

Observational and working memory, which ask a model, are off. What is measured is ``recall``: it finds messages by
their vectors, then reads them by their times, so that of two messages of one moment it returns one.
"""

from __future__ import annotations

import atexit
import os
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.products.mastra.child import NodeMemory
from memgauge.systems.adapters.folders import scratch
from memgauge.systems.adapters.product_store import OnDisk, hashed, spelled
from memgauge.systems.adapters.rows import RowStore, StoredTurn
from memgauge.systems.mcp.hosting import find_program, npm_version

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope

PROGRAM = Path(__file__).with_name("memory.cjs")
ROLES = {"user", "assistant"}
"""What Mastra takes; a message of ``system`` is dropped without a word."""
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
"""When a turn was said of which nobody knows."""


class Mastra(OnDisk, RowStore):
    """Keeps turns in Mastra's memory."""

    name = "mastra"
    pin = "@mastra/memory@1.31.0"
    interventions = (
        "a thread and a resource a scope; recall without messages around a hit (messageRange 0), topK as asked",
        "messages are a millisecond apart: of two with one time, recall returns one twice and the other never",
        "recall gives the order of time and no scores: both are its vector query's",
        "other roles than user and assistant are user; the role that was said lies in the metadata",
        "ids are made of scope and turn, since an id of another thread is overwritten",
        "working and observational memory off; telemetry off",
    )
    _moments = 0

    def _installed(self) -> str:
        return npm_version("@mastra/memory", "node", "Mastra")

    def _open(self) -> None:
        """Open the file of the store."""
        self._asked("open")

    def _shut(self) -> None:
        self._asked("close")

    def _asked(self, op: str, **given: object) -> Any:
        file = str(self._home.root / "mastra.db")
        return _node().call(self._vectors.embed, op, file=file, **given)

    def row_id(self, turn: str, scope: Scope) -> str:
        """Make an id that no other scope has."""
        return f"{hashed(scope)}/{turn}"

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        self._asked("put", scope=hashed(scope), rows=[self._message(row, scope) for row in rows])

    def _message(self, row: StoredTurn, scope: Scope) -> dict[str, Any]:
        self._moments += 1
        at = datetime.fromisoformat(row.at).replace(tzinfo=UTC) if row.at else BEGINNING
        moment = (at + timedelta(milliseconds=self._moments % 60_000)).isoformat()
        role = row.role if row.role in ROLES else "user"
        metadata = {**row.metadata, "scope": spelled(scope)}
        return {"id": row.id, "text": row.text, "metadata": metadata, "role": role, "at": moment}

    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        """Recall by meaning, best first; what came without having been found stands last."""
        recalled = self._asked("search", scope=hashed(scope), query=query, k=k)
        recalled.sort(key=lambda message: (message["score"] is None, -(message["score"] or 0), message["id"]))
        return [(_row(message), message["score"]) for message in recalled]

    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        if ids == []:
            return []
        listed = self._asked("list", scope=hashed(scope), ids=None if ids is None else list(ids))
        return [_row(message) for message in listed]

    def _drop(self, ids: Sequence[str], scope: Scope) -> None:  # noqa: ARG002 - ids are made of their scope
        self._asked("drop", ids=list(ids))

    def _erase(self, scope: Scope) -> None:
        """Delete the thread of a scope, with its messages and vectors."""
        self._asked("erase", scope=hashed(scope))


@cache
def _begun() -> list[NodeMemory]:
    """Hold the one process of Node, which takes seconds to start, for all stores of this process."""
    return []


def _node() -> NodeMemory:
    begun = _begun()
    if not begun or begun[-1].is_gone:
        program = find_program("node")
        packages = next((str(each.parent) for each in Path(program).parents if each.name == "node_modules"), ".")
        folder = scratch("mastra")
        env = {"PATH": os.environ.get("PATH", ""), "HOME": folder, "MASTRA_TELEMETRY_DISABLED": "1"}
        begun.append(NodeMemory([program, str(PROGRAM), packages], env, Path(folder)))
        atexit.register(begun[-1].close)
    return begun[-1]


def _row(message: dict[str, Any]) -> StoredTurn:
    return StoredTurn.beside(message["id"], message["text"], message["metadata"])
