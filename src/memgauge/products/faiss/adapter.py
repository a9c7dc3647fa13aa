"""FAISS, raw lane: a flat index a scope, and beside it a file of this adapter with everything else.

FAISS stores vectors under numbers and no text, no id, no scope and no time: a memory over it is an index and
whatever somebody puts beside it. What the conformance check and the golden suite say of texts is therefore said of
this adapter's file; FAISS answers for the search alone.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.systems.adapters.product_store import OnDisk, hashed, product
from memgauge.systems.adapters.rows import RowStore, StoredTurn
from memgauge.systems.locking import locked
from memgauge.text.jsons import json_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.records import Scope


@dataclass
class _Shelf:
    """One scope: an index of vectors by number, and the rows by the same number."""

    index: Any
    rows: dict[int, StoredTurn] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    next: int = 0
    is_written: bool = True


class Faiss(OnDisk, RowStore):
    """Keeps the vectors of turns in FAISS (flat, exact) and their texts beside it.

    An index may not be read while it is written, so every call has it alone.
    """

    name = "faiss"
    pin = "faiss-cpu==1.15.1"
    interventions = ("FAISS stores no text: texts, ids, sources and times lie in a file of the adapter",)

    @locked
    def _open(self) -> None:
        self._faiss = product("faiss")
        self._numpy = product("numpy")
        self._shelves: dict[Scope, _Shelf] = {}  # a scope is read when it is first used

    @locked
    def _shut(self) -> None:
        for scope, shelf in self._shelves.items():
            self._write(scope, shelf)
        self._shelves = {}

    @locked
    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: ARG002 - the protocol's
        """Write index and rows: a write is searchable at once and durable from here on."""
        self._write(scope, self._shelf(scope))

    @locked
    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        shelf = self._shelf(scope)
        self._forget([row.id for row in rows if row.id in shelf.numbers], shelf)
        numbers = range(shelf.next, shelf.next + len(rows))
        shelf.index.add_with_ids(self._matrix([row.text for row in rows]), self._numbers(numbers))
        for number, row in zip(numbers, rows, strict=True):
            shelf.rows[number], shelf.numbers[row.id] = row, number
        shelf.next, shelf.is_written = numbers.stop, False

    @locked
    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        shelf = self._shelf(scope)
        scores, numbers = shelf.index.search(self._matrix([query]), k)
        ranked = zip(numbers[0].tolist(), scores[0].tolist(), strict=True)
        return [(shelf.rows[number], score) for number, score in ranked if number >= 0]  # FAISS pads with -1

    @locked
    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        shelf = self._shelf(scope)
        if ids is None:
            return list(shelf.rows.values())
        return [shelf.rows[shelf.numbers[name]] for name in ids if name in shelf.numbers]

    @locked
    def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        shelf = self._shelf(scope)
        self._forget(ids, shelf)
        self._write(scope, shelf)

    @locked
    def _erase(self, scope: Scope) -> None:
        """Remove the files of a scope."""
        self._shelves.pop(scope, None)
        for file in self._files(scope):
            file.unlink(missing_ok=True)

    def _forget(self, ids: Sequence[str], shelf: _Shelf) -> None:
        gone = [shelf.numbers.pop(name) for name in ids]
        if not gone:
            return
        shelf.index.remove_ids(self._numbers(gone))
        for number in gone:
            del shelf.rows[number]
        shelf.is_written = False

    def _shelf(self, scope: Scope) -> _Shelf:
        if scope not in self._shelves:
            self._shelves[scope] = self._read(scope)
        return self._shelves[scope]

    def _files(self, scope: Scope) -> tuple[Path, Path]:
        root = self._home.root
        return root / f"{hashed(scope)}.faiss", root / f"{hashed(scope)}.jsonl"

    def _read(self, scope: Scope) -> _Shelf:
        vectors, texts = self._files(scope)
        if not texts.exists():
            flat = self._faiss.IndexFlatIP(self._vectors.dim)
            return _Shelf(self._faiss.IndexIDMap2(flat))
        rows = {}
        for _, entry in json_lines(texts):
            number = int(entry.pop("number"))  # a statement of its own: what is assigned is read before its place
            rows[number] = StoredTurn(**entry)
        numbers = {row.id: number for number, row in rows.items()}
        return _Shelf(self._faiss.read_index(str(vectors)), rows, numbers, max(rows, default=-1) + 1)

    def _write(self, scope: Scope, shelf: _Shelf) -> None:
        if shelf.is_written:
            return
        vectors, texts = self._files(scope)
        self._faiss.write_index(shelf.index, str(vectors))
        lines = (json.dumps({"number": number, **asdict(row)}) + "\n" for number, row in shelf.rows.items())
        texts.write_text("".join(lines), encoding="utf-8")
        shelf.is_written = True

    def _matrix(self, texts: Sequence[str]) -> Any:
        return self._numpy.array(self._vectors.embed(texts), dtype="float32")

    def _numbers(self, numbers: Sequence[int]) -> Any:
        return self._numpy.array(list(numbers), dtype="int64")
