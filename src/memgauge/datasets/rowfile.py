"""Files of rows, one record each: Parquet, JSON lines, or one JSON list; one row is held at a time."""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue  # noqa: TC002 - the type of what is yielded

from memgauge.datasets.places import FieldPath
from memgauge.errors import MalformedDataError
from memgauge.text.databases import in_memory
from memgauge.text.jsons import Streamed, json_of
from memgauge.text.parquet import TooMuchError, bounded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

_CHUNK: Final = 1 << 16
_PARQUET: Final = b"PAR1"
"""How a Parquet file begins."""
_COUNT_ROWS: Final = "SELECT count(*) FROM read_parquet(?)"

PlacedRow = tuple[FieldPath, object]
"""A row and where it stands."""


def stream_rows(path: Path, columns: Sequence[str]) -> Iterator[PlacedRow]:
    """Yield every row of *path*, of Parquet only the *columns* that are read.

    Raises:
        MalformedDataError: A row cannot be read; the message names it.
    """
    with path.open("rb") as handle:
        start = handle.read(_CHUNK)
        handle.seek(0)
        # Unlike the variable of a loop, map and filter keep nothing of the row before.
        if start.startswith(_PARQUET):
            yield from map(partial(_placed, path), count(), _parquet_rows(path, columns))
        elif start.lstrip().startswith(b"["):
            yield from map(partial(_placed, path), count(), _items(path, handle))
        else:
            yield from filter(None, map(partial(_of_line, path), count(1), handle))


def _placed(path: Path, number: int, row: object) -> PlacedRow:
    return FieldPath(f"{path}, row {number} (counted from 0)"), row


def _of_line(path: Path, number: int, line: bytes) -> PlacedRow | None:
    if not line.strip():
        return None
    place = FieldPath(f"{path}, line {number}")
    try:
        return place, json_of(line)
    except ValueError as error:
        raise MalformedDataError(f"{place.file} is not JSON: {error}.", "Fetch it again.") from error


def _items(path: Path, handle: BinaryIO) -> Iterator[JsonValue]:
    import ijson

    try:
        yield from ijson.items(Streamed(handle), "item", use_float=True, buf_size=_CHUNK)
    except (ijson.JSONError, ValueError) as error:
        why = " ".join(str(error).split())
        raise MalformedDataError(
            f"{path} is not JSON before byte {handle.tell():,}: {why}.", "Fetch it again."
        ) from error


def _parquet_rows(path: Path, columns: Sequence[str]) -> Iterator[object]:
    """Yield the *columns* of every row, as objects of JSON.

    The engine unpacks whole row groups, so that memory grows with them; lines of JSON need that of one row only.
    """
    import duckdb

    selected = ", ".join(columns)
    select = f"SELECT {selected} FROM read_parquet(?, file_row_number = true) WHERE file_row_number = ?"  # noqa: S608 - names of ours
    try:
        bounded(path)
        with in_memory() as db:
            (rows,) = db.execute(_COUNT_ROWS, [str(path)]).fetchall()[0]
            for row in range(rows):
                # Asked for one by one, for the engine holds the whole of what it has columns.
                values = db.execute(select, [str(path), row])
                names = [name for name, *_ in values.description or ()]
                yield dict(zip(names, values.fetchall()[0], strict=True))
    except (duckdb.Error, UnicodeDecodeError, TooMuchError) as error:
        # The engine quotes spoilt names, and cannot spell them.
        why = str(error).partition("\n")[0]
        raise MalformedDataError(f"{path} cannot be read as rows of Parquet: {why}.", "Fetch it again.") from error
