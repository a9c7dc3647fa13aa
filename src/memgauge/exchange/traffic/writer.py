"""Writes traffic in portions and bounded memory: lines first, then two sorted tables, then a seal."""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Self

from memgauge.errors import RunError
from memgauge.exchange.traffic.identity import FILE, TrafficLedger, TrafficManifest
from memgauge.exchange.traffic.rows import (
    OPERATION_COLUMNS,
    RECORD_COLUMNS,
    TrafficOperation,
    TrafficRecord,
)
from memgauge.exchange.traffic.versions import number_versions
from memgauge.refusals import remedy
from memgauge.runs.record.database import connect, open_database
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.seal import file_hash

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from types import TracebackType

    import duckdb

    from memgauge.exchange.traffic.identity import TrafficIdentity

SEAL: Final = "SEAL"
TABLES: Final = ("operations.parquet", "records.parquet")
SEALED: Final = (*TABLES, FILE)
"""The files of traffic that its seal holds fast."""
GROUP: Final = 40_960
"""Rows that lie in one group of a table."""
_MEMORY: Final = 192 << 20
_LITTLE: Final = 1 << 20
"""Bytes of lines that are written without bounds for memory."""
_PORTION: Final = 2_000
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


class TrafficWriter:
    """Takes operations in any order; closing it sorts them by time, numbers versions and seals the folder.

    The folder appears whole or not at all::

        with TrafficWriter(folder) as writer:
            writer.add(operation, records)
            writer.close(identity, ledger)
    """

    def __init__(self, folder: Path) -> None:
        """Begin traffic that will lie at *folder*.

        Raises:
            RunError: Something lies there, or nothing can be written beside it.
        """
        if folder.exists() and any(folder.iterdir()):
            raise RunError(f"{folder} is not empty.", "Name another folder, or move it away.")
        self.folder = folder
        self.operations = self.records = 0
        self._stack = ExitStack()
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            scratch = self._stack.enter_context(TemporaryDirectory(dir=folder.parent, prefix=".traffic-"))
            self._scratch = Path(scratch)
            self._operations, self._records = (
                self._stack.enter_context((self._scratch / f"{name}.jsonl").open("wb"))
                for name in ("operations", "records")
            )
        except OSError as error:
            raise RunError(f"Cannot write beside {folder}: {error.strerror}.", "Choose another folder.") from error
        self._waiting: tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]] = [], []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def add(self, operation: TrafficOperation, records: Iterable[TrafficRecord] = ()) -> None:
        """Take one operation and its records, best first."""
        number = self.operations
        operations, waiting_records = self._waiting
        operations.append((*operation, number))
        for rank, record in enumerate(records, 1):
            waiting_records.append((*record, number, rank))
            self.records += 1
        self.operations += 1
        if len(operations) >= _PORTION or len(waiting_records) >= _PORTION:
            self._flush()

    def close(self, identity: TrafficIdentity, ledger: TrafficLedger) -> Path:
        """Sort, number, seal, and put the folder in its place.

        Raises:
            RunError: There is no room.
        """
        import duckdb

        half = self._scratch / "traffic"
        half.mkdir()
        try:
            self._flush()
            self._operations.close()
            self._records.close()
            window = self._tables(half)
            manifest = TrafficManifest(
                identity=identity,
                ledger=ledger.model_copy(update={"operations": self.operations}),
                began_ns=window[0],
                ended_ns=window[1],
                operations=self.operations,
                records=self.records,
            )
            write_atomically(half / FILE, manifest.model_dump_json(indent=2) + "\n")
            hashes = {name: file_hash(half / name) for name in SEALED}
            write_atomically(half / SEAL, json.dumps(hashes, indent=2) + "\n")
            shutil.rmtree(self.folder, ignore_errors=True)
            half.rename(self.folder)
        except (OSError, duckdb.IOException, duckdb.OutOfMemoryException) as error:
            raise RunError(f"Cannot write {self.folder}: {error}.", remedy(error)) from error
        finally:
            self._stack.close()
        return self.folder

    def _flush(self) -> None:
        """Write what waits as one line each, column by column."""
        for rows, names, file in zip(self._waiting, _LINES, (self._operations, self._records), strict=True):
            if rows:
                columns = dict(zip(names, zip(*rows, strict=True), strict=True))
                file.write((_encode(columns) + "\n").encode("utf-8", "replace"))
                rows.clear()

    def _tables(self, half: Path) -> tuple[int, int]:
        """Write both tables; return when the first operation began, and when the last one ended."""
        with _database(self._scratch) as db:
            _load(db, "taken", self._scratch / "operations.jsonl", OPERATION_COLUMNS | _SEQUENCE)
            _load(db, "held", self._scratch / "records.jsonl", RECORD_COLUMNS | _PLACE)
            db.execute(_NUMBERED)
            number_versions(db)
            _copy(db, _OPERATIONS.format(columns=", ".join(OPERATION_COLUMNS)), half / TABLES[0])
            columns = ", ".join(f"h.{name}" for name in RECORD_COLUMNS)
            _copy(db, _RECORDS.format(columns=columns), half / TABLES[1])
            ((began, ended),) = db.execute("SELECT min(began_ns), max(ended_ns) FROM numbered").fetchall()
            return began or 0, ended or 0


_SEQUENCE: Final = {"seq": "BIGINT"}
_PLACE: Final = {"seq": "BIGINT", "rank": "INTEGER"}
_LINES: Final = (*TrafficOperation._fields, *_SEQUENCE), (*TrafficRecord._fields, *_PLACE)
# Time first; what began and ended together is told apart by its names, and only then by the order of its coming.
_NUMBERED: Final = """
CREATE TEMP TABLE numbered AS SELECT
row_number() OVER (ORDER BY began_ns, ended_ns, trace, span, seq)::INTEGER - 1 AS row, * FROM taken
"""
_LOADED: Final = """
CREATE TEMP TABLE {table} AS SELECT {columns}
FROM read_json(?, format = 'newline_delimited', maximum_object_size = {longest}, columns = {{{typed}}})
"""
_OPERATIONS: Final = "SELECT row, {columns} FROM numbered ORDER BY row"
_RECORDS: Final = """
SELECT n.row AS operation, h.rank, {columns}, coalesce(v.version, 0)::INTEGER AS version
FROM held h JOIN numbered n USING (seq) LEFT JOIN versions v ON v.operation = n.row AND v.rank = h.rank
ORDER BY n.row, h.rank
"""


def _database(scratch: Path) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
    """Connect to the database that all reading shares where little waits: to open one takes longest of all."""
    if sum(path.stat().st_size for path in scratch.glob("*.jsonl")) <= _LITTLE:
        return connect()
    return open_database(_MEMORY, str(scratch / "spilt"))


def _load(db: duckdb.DuckDBPyConnection, table: str, path: Path, columns: dict[str, str]) -> None:
    types = ", ".join(f"{name}: '{kind}[]'" for name, kind in columns.items())
    with path.open("rb") as file:
        longest = max((len(line) for line in file), default=0) | (1 << 16)
    lists = ", ".join(f"unnest({name}) AS {name}" for name in columns)
    db.execute(_LOADED.format(table=table, columns=lists, longest=longest + 1, typed=types), [str(path)])


def _copy(db: duckdb.DuckDBPyConnection, rows: str, target: Path) -> None:
    place = str(target).replace("'", "''")
    db.execute(f"COPY ({rows}) TO '{place}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP})")
