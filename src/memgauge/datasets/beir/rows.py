"""Rows of a retrieval folder, whatever they are written as: JSON lines, Parquet, or values between tabs."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any, Final

from memgauge.datasets.places import objects_of
from memgauge.errors import MalformedDataError
from memgauge.text.databases import in_memory
from memgauge.text.jsons import json_of, json_rows
from memgauge.text.parquet import TooMuchError, bounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

_SCORE: Final = re.compile(r"-?[0-9]{1,9}")
_PIECE: Final = 1_000
_PLACE: Final = "file_row_number"
_REMEDY: Final = "Write one object a line."


def rows_of(paths: Iterable[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every row with its place.

    Raises:
        MalformedDataError: One cannot be read; file and line are named.
    """
    return ((where, row) for path in paths for where, _, row in placed_rows(path))


def placed_rows(path: Path) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Yield every row of a file with its place for messages and the one where it is found again."""
    match path.suffix:
        case ".parquet":
            for row in _parquet(path, "true"):
                place = int(row.pop(_PLACE))
                yield f"{path}, row {place}", place, row
        case ".tsv":
            for number, row in _tabbed(path):
                yield f"{path}:{number}", number, row
        case _:
            with path.open("rb") as file:
                lines = _Lines(file)
                for where, row in objects_of(json_rows(lines, path, _REMEDY), path):
                    yield where, lines.begun, row


def fetch_rows(path: Path, places: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Read the rows at *places* again, in the order of the file."""
    if path.suffix == ".parquet":
        listed = ",".join(map(str, sorted(places)))
        yield from _parquet(path, f"{_PLACE} IN ({listed})")
        return
    with path.open("rb") as file:
        for place in sorted(places):
            file.seek(place)
            yield json_of(file.readline())


class _Lines:
    """The lines of a file, and where the present one begins."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.begun = 0

    def __iter__(self) -> Iterator[bytes]:
        ended = 0
        for line in self._file:
            self.begun, ended = ended, ended + len(line)
            yield line


def _parquet(path: Path, where: str) -> Iterator[dict[str, Any]]:
    import duckdb

    statement = f"SELECT * FROM read_parquet(?, {_PLACE} = true) WHERE {where} ORDER BY {_PLACE}"  # noqa: S608 - numbers of ours
    try:
        bounded(path)
        with in_memory() as db:
            rows = db.execute(statement, [str(path)])
            names = [name for name, *_ in rows.description or ()]
            while piece := rows.fetchmany(_PIECE):
                yield from (dict(zip(names, row, strict=True)) for row in piece)
    except (duckdb.Error, UnicodeDecodeError, TooMuchError) as error:
        why = str(error).partition("\n")[0]
        raise MalformedDataError(f"{path} cannot be read as Parquet: {why}.", "Fetch it again.") from error


def _tabbed(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield judgments; a first line without a number is a heading, which LMEB's makers leave out."""
    number = 1
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.reader(file, delimiter="\t"), 1):
                if len(row) == 3 and _SCORE.fullmatch(row[2]):
                    yield number, {"query-id": row[0], "corpus-id": row[1], "score": int(row[2])}
                elif number > 1:
                    raise MalformedDataError(
                        f"{path}:{number}: not query-id, corpus-id, score.", "Separate them by tabs."
                    )
    except (csv.Error, UnicodeDecodeError) as error:
        raise MalformedDataError(
            f"{path}: behind line {number}: not a table: {error}.", "Write it as UTF-8, values between tabs."
        ) from error
