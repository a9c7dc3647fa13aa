"""Reading sealed traffic: columns, whole or a range of rows, and nothing from a file that was changed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from pydantic import ValidationError

from memgauge.errors import RunError, RunNotFoundError, TamperError
from memgauge.exchange.traffic.identity import FILE, TrafficManifest
from memgauge.exchange.traffic.rows import ADDED, OPERATION_COLUMNS, RECORD_COLUMNS
from memgauge.exchange.traffic.writer import SEAL, SEALED, TABLES
from memgauge.runs.record.database import connect
from memgauge.runs.record.files import small
from memgauge.runs.record.seal import file_hash, how_altered
from memgauge.text.jsons import IDENTITY, object_of
from memgauge.text.parquet import TooMuchError, bounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger

TrafficColumns = dict[str, "NDArray[Any]"]
"""Columns by name: nanoseconds as 64-bit integers; counts that may be unknown as floats, with NaN; texts that may
be unknown as objects, with ``None``."""
_MISSING: Final = (
    "asked",
    "returned",
    "tokens_in",
    "tokens_out",
    "context_tokens",
    "characters",
    "score",
    "traceable",
)


@dataclass(frozen=True, eq=False)
class Traffic:
    """Sealed traffic; its tables are read when they are asked for, and only the columns that are named."""

    folder: Path
    manifest: TrafficManifest

    @classmethod
    def read(cls, folder: Path) -> Traffic:
        """Open the traffic at *folder*.

        Raises:
            RunNotFoundError: There is none.
            RunError: It is broken, or unpacks to more than it may.
            TamperError: A file is not as it was sealed.
        """
        if not (folder / SEAL).is_file():
            raise RunNotFoundError(
                f"No traffic at {folder}: {SEAL} is missing.", "Make it with `memgauge runs import otlp`."
            )
        hashes = object_of(small(folder / SEAL), IDENTITY)
        if hashes is None or set(hashes) != set(SEALED):
            raise RunError(f"{folder / SEAL} is not the seal of traffic.", "Restore it from a copy.")
        changes = [
            name for name in SEALED if not (folder / name).is_file() or file_hash(folder / name) != hashes[name]
        ]
        if changes:
            raise TamperError(
                f"{folder} is not as it was sealed: {how_altered(folder, changes)}. No number is read from it; "
                "restore it from a copy."
            )
        try:
            manifest = TrafficManifest.model_validate_json(small(folder / FILE))
            for name in TABLES:
                bounded(folder / name)
        except (ValidationError, TooMuchError) as error:
            raise RunError(f"{folder}: {str(error).partition(chr(10))[0]}.", "Import it again.") from error
        return cls(folder, manifest)

    @property
    def identity(self) -> TrafficIdentity:
        """Say where it comes from."""
        return self.manifest.identity

    @property
    def ledger(self) -> TrafficLedger:
        """Say what was counted, and what was left out and why."""
        return self.manifest.ledger

    def operations(self, *names: str, rows: tuple[int, int] | None = None) -> TrafficColumns:
        """Return columns of operations, all of them without *names*, in the order of time.

        Of *rows*, only those from the first number on and before the second.
        """
        columns = _selected(names or ("row", *OPERATION_COLUMNS))
        where, values = _within("row", rows)
        return self.query(f"SELECT {columns} FROM {{operations}}{where} ORDER BY row", values)  # noqa: S608 - our own names

    def records(self, *names: str, rows: tuple[int, int] | None = None) -> TrafficColumns:
        """Return columns of the records of such operations, by operation and rank; *rows* are of operations."""
        columns = _selected(names or ("operation", "rank", *RECORD_COLUMNS, "version"))
        where, values = _within("operation", rows)
        return self.query(f"SELECT {columns} FROM {{records}}{where} ORDER BY operation, rank", values)  # noqa: S608 - the same

    def query(self, statement: str, values: Sequence[object] = ()) -> TrafficColumns:
        """Ask in SQL, with ``{operations}`` and ``{records}`` for the tables.

        Raises:
            RunError: The database refuses it.
        """
        with self._named(), connect() as db:
            result = db.execute(self._statement(statement), list(values)).fetchnumpy()
        return {name: _filled(column) for name, column in result.items()}

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[dict[str, Any]]:
        """Ask the same, for rows: everything is exact, and what is unknown is ``None``.

        Raises:
            RunError: The database refuses it.
        """
        with self._named(), connect() as db:
            cursor = db.execute(self._statement(statement), list(values))
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def _statement(self, statement: str) -> str:
        return statement.format(**{name.partition(".")[0]: self._table(name) for name in TABLES})

    def _table(self, name: str) -> str:
        """Name a table, with the columns that traffic of the first format lacks."""
        table, path = name.partition(".")[0], str(self.folder / name).replace("'", "''")
        if self.manifest.format == 1:
            added_columns = ", ".join(f"{value} AS {column}" for column, value in ADDED[table].items())
            return f"(SELECT *, {added_columns} FROM read_parquet('{path}'))"  # noqa: S608 - our own names
        return f"read_parquet('{path}')"

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Say whose tables cannot be read."""
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            reason = str(error).partition(chr(10))[0]
            raise RunError(f"The tables of {self.folder} cannot be read: {reason}.", "Import it again.") from error


def _selected(names: Sequence[str]) -> str:
    return ", ".join(f"{name}::DOUBLE AS {name}" if name in _MISSING else name for name in names)


def _within(column: str, rows: tuple[int, int] | None) -> tuple[str, tuple[int, ...]]:
    return ("", ()) if rows is None else (f" WHERE {column} >= ? AND {column} < ?", rows)


def _filled(column: NDArray[Any]) -> NDArray[Any]:
    """Make what is unknown visible: NaN among numbers, ``None`` among texts."""
    if not isinstance(column, np.ma.MaskedArray):
        return column
    if column.dtype == object:
        texts = column.data.copy()
        texts[np.ma.getmaskarray(column)] = None
        return texts
    return np.ma.filled(column.astype(np.float64), np.nan) if np.ma.getmaskarray(column).any() else column.data
