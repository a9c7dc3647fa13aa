"""A memory that bears no other thread than the one that opened it, as connections of sqlite3 do."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from memgauge.records import Hit, Memory, Ranking, Receipt
from memgauge.systems.protocol import Capabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Scope, Turn


class OneThread:
    """Keeps turns in a database in memory; whatever comes from another thread raises, closing too."""

    name, version = "one-thread", "1"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self.rows = sqlite3.connect(":memory:")
        self.rows.execute("create table memories (scope, id, text)")

    def capabilities(self) -> Capabilities:
        """Declare nothing."""
        return Capabilities()

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep."""
        for turn in turns:
            self.rows.execute("insert into memories values (?, ?, ?)", (repr(scope), turn.id, turn.text))
        return Receipt()

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Do nothing."""

    def search(self, query: str, scope: Scope, k: int, as_of: Any = None) -> Ranking:
        """Return what was written last."""
        return Ranking(tuple(map(Hit, reversed(self.dump(scope))))[:k])

    def dump(self, scope: Scope) -> list[Memory]:
        """List everything."""
        rows = self.rows.execute("select id, text from memories where scope = ?", (repr(scope),))
        return [Memory(name, text) for name, text in rows]

    def reset(self) -> None:
        """Forget."""
        self.rows.execute("delete from memories")

    def close(self) -> None:
        """Close, from its own thread alone."""
        self.rows.close()


class NeverFinds(OneThread):
    """Raises at every search, on whichever thread."""

    def search(self, query: str, scope: Scope, k: int, as_of: Any = None) -> Ranking:
        """Raise."""
        raise RuntimeError("the index is broken")
