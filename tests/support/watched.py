"""Memories of the shapes that `memgauge.watch` knows, and what it wrote of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from support import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PRELUDE = """
import os, signal, sys, threading
from memgauge.watch import counted, watch
from support.watched import Mem0Like
memory = watch(Mem0Like(), sys.argv[1], salt="s")
"""
"""How the program of a host begins."""


class Mem0Like:
    """Has mem0's methods, and finds everything of a user in the order of writing."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[str, Any]] = {}

    def add(self, messages: Any, *, user_id: str = "", **_: Any) -> dict[str, Any]:
        """Store a text, and say so."""
        row = {"id": f"m{len(self.rows)}", "memory": messages, "event": "ADD", "user": user_id}
        self.rows[row["id"]] = row
        return {"results": [row]}

    def search(self, query: str, *, filters: dict[str, Any] | None = None, top_k: int = 5) -> dict[str, Any]:
        """Return everything of a user; without a query it fails."""
        if not query:
            raise ValueError(query)
        user = (filters or {}).get("user_id")
        return {"results": [row | {"score": 0.5} for row in self.rows.values() if row["user"] == user][:top_k]}

    def get_all(self, **_: Any) -> list[dict[str, Any]]:
        """List everything."""
        return list(self.rows.values())

    def update(self, memory_id: str, data: str) -> dict[str, str]:
        """Replace a text."""
        self.rows[memory_id]["memory"] = data
        return {"message": "updated"}

    def delete(self, memory_id: str) -> None:
        """Remove a text."""
        del self.rows[memory_id]

    def delete_all(self, user_id: str | None = None) -> None:
        """Remove everything of a user."""
        self.rows = {name: row for name, row in self.rows.items() if row["user"] != user_id}


@dataclass
class StoreItem:
    """An item as LangGraph returns it."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any]
    score: float | None = None


class SearchOperation(NamedTuple):
    """A search of a batch, as LangGraph spells it."""

    namespace_prefix: tuple[str, ...]
    limit: int = 10
    query: str | None = None


class PutOperation(NamedTuple):
    """A put of a batch, as LangGraph spells it."""

    namespace: tuple[str, ...]
    key: str
    value: dict[str, Any] | None


@dataclass
class StoreLike:
    """Has the methods of LangGraph's stores, those that are awaited as well."""

    items: dict[tuple[tuple[str, ...], str], dict[str, Any]] = field(default_factory=dict)

    def put(self, namespace: tuple[str, ...], key: str, value: dict[str, Any] | None) -> None:
        """Store or remove an item."""
        if value is None:
            self.items.pop((namespace, key), None)
        else:
            self.items[namespace, key] = value

    def get(self, namespace: tuple[str, ...], key: str) -> StoreItem | None:
        """Return an item."""
        value = self.items.get((namespace, key))
        return None if value is None else StoreItem(namespace, key, value)

    def search(
        self, namespace_prefix: tuple[str, ...], /, *, query: str | None = None, limit: int = 10
    ) -> list[StoreItem]:
        """Return what lies at or below a namespace."""
        depth = len(namespace_prefix)
        hits = (StoreItem(space, key, value, 0.5) for (space, key), value in self.items.items())
        return [hit for hit in hits if hit.namespace[:depth] == namespace_prefix][:limit]

    def delete(self, namespace: tuple[str, ...], key: str) -> None:
        """Remove an item."""
        self.put(namespace, key, None)

    def batch(self, ops: list[SearchOperation | PutOperation]) -> list[Any]:
        """Do several things."""
        results: list[Any] = []
        for each in ops:
            if isinstance(each, PutOperation):
                self.put(*each)
                results.append(None)
            else:
                results.append(self.search(each.namespace_prefix, query=each.query, limit=each.limit))
        return results

    async def aput(self, namespace: tuple[str, ...], key: str, value: dict[str, Any] | None) -> None:
        """Store or remove an item."""
        self.put(namespace, key, value)

    async def aget(self, namespace: tuple[str, ...], key: str) -> StoreItem | None:
        """Return an item."""
        return self.get(namespace, key)

    async def asearch(
        self, namespace_prefix: tuple[str, ...], /, *, query: str | None = None, limit: int = 10
    ) -> list[StoreItem]:
        """Return what lies at or below a namespace."""
        return self.search(namespace_prefix, query=query, limit=limit)

    async def adelete(self, namespace: tuple[str, ...], key: str) -> None:
        """Remove an item."""
        self.delete(namespace, key)


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """Read all rows of a folder, file after file, without what every file begins with."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("ascii").splitlines()]
    return [row for row in map(json.loads, filter(None, lines)) if "watch" not in row]


def host(program: str, folder: Path, *, within: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start a host, a Python of its own, in which ``memory`` is watched, by the command line *within*."""
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT / "tests")))
    return subprocess.Popen(
        [*within, sys.executable, "-c", PRELUDE + program, str(folder)],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
