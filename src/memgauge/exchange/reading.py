"""Reading foreign files: JSON in one piece or by lines, packed or not, with the place of every mistake."""

from __future__ import annotations

import gzip
import json
import math
import re
import zlib
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.exchange.trace import FileLocation
from memgauge.text.jsons import RESULTS, json_of, json_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

UNPACKED: Final = 4 << 30
"""Bytes that a packed file may unpack to: a small file can unpack to more than any memory holds."""
RATIO: Final = 250
"""How many bytes may come of one; JSON of equal rows packs to a hundredth."""
_SMALL: Final = 64 << 20
RANK: Final = re.compile(r"[0-9]{1,9}")
REMEDY = "Mend the file, or name the format that it has."


def read_text(path: Path) -> str:
    """Read a text file, unpacked where its name ends in ``.gz``.

    Raises:
        DataNotFoundError: There is none.
        MalformedDataError: It is empty, not UTF-8, or badly packed.
    """
    try:
        content = _unpacked(path) if path.suffix == ".gz" else path.read_bytes()
        text = content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise DataNotFoundError(f"There is no file at {path}.", "Check the path.") from error
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise MalformedDataError(f"{path}: cannot be read: {error}.", REMEDY) from error
    if not text.strip():
        raise MalformedDataError(f"{path}: the file is empty.", REMEDY)
    return text


def _unpacked(path: Path) -> bytes:
    limit = min(UNPACKED, max(_SMALL, RATIO * path.stat().st_size))
    with gzip.open(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise MalformedDataError(
            f"{path}: it unpacks to more than {limit >> 20:,} MiB.",
            "Unpack it yourself and name the file inside.",
        )
    return content


def read_json(path: Path) -> Any:
    """Read one JSON document.

    Raises:
        MalformedDataError: It is none; line and column are named.
    """
    try:
        return json_of(read_text(path), RESULTS)
    except json.JSONDecodeError as error:
        raise MalformedDataError(f"{path}:{error.lineno}: column {error.colno}: {error.msg}.", REMEDY) from error


def read_lines(path: Path) -> Iterator[tuple[FileLocation, dict[str, Any]]]:
    """Yield the objects of JSON lines with their places.

    Raises:
        MalformedDataError: A line is no JSON object.
    """
    for number, row in json_rows(read_text(path).split("\n"), path, REMEDY, RESULTS):
        place = FileLocation(path, number)
        yield place, expect(row, dict, place)


def expect(value: Any, kind: type[Any] | tuple[type[Any], ...], place: FileLocation) -> Any:
    """Return *value* if it is of *kind*.

    Raises:
        MalformedDataError: It is not.
    """
    if not isinstance(value, kind) or (isinstance(value, bool) and kind in {int, float}):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = " or ".join(expected.__name__ for expected in kinds)
        raise MalformedDataError(f"{place}: {type(value).__name__} where {names} is expected.", REMEDY)
    return value


def first(row: Mapping[str, Any], *names: str) -> Any:
    """Return what stands under the first of *names* that has anything."""
    return next((row[name] for name in names if row.get(name) is not None), None)


def require_unbroken(places: Mapping[int, FileLocation], start: int = 1) -> None:
    """Refuse ranks of one question that leave one out; each comes with the place where it stands.

    Raises:
        MalformedDataError: They do: a run has no place for a hit whose better ones are unknown.
    """
    for expected, rank in enumerate(sorted(places), start):
        if rank != expected:
            raise MalformedDataError(
                f"{places[rank]}: rank: {rank}, and rank {expected} of this question is missing.",
                f"Number the hits of every question from {start} on and leave none out; ranks are not closed up.",
            )


def score(value: Any, place: FileLocation) -> float | None:
    """Read a score; nothing stays nothing.

    Raises:
        MalformedDataError: It is no finite number.
    """
    if value is None or value == "":
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise MalformedDataError(f"{place}: {str(value)[:40]!r} is no number.", REMEDY) from error
    if not math.isfinite(number):
        raise MalformedDataError(f"{place}: a score of {value} orders nothing.", "Leave the score out.")
    return number
