"""Large files of JSON, packed or not, read in a stream: their top values, and the items of one list or object."""

from __future__ import annotations

import gzip
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.exchange.reading import RATIO, REMEDY
from memgauge.text.jsons import Streamed, deeper

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

_CHUNK: Final = 1 << 16
SMALL: Final = 64 << 20
"""Bytes that any file may unpack to."""
_SCALARS: Final = frozenset({"string", "number", "boolean"})


class _Limited(Streamed):
    """Bytes of a packed file, up to what may come of it."""

    def __init__(self, handle: BinaryIO, path: Path) -> None:
        super().__init__(handle)
        self._left = max(SMALL, RATIO * path.stat().st_size)

    def read(self, size: int = -1) -> bytes:
        chunk = super().read(size)
        self._left -= len(chunk)
        if self._left < 0:
            raise ValueError("it unpacks to more than such a file may")
        return chunk


def top_values(path: Path) -> dict[str, Any]:
    """Return the texts, numbers and truth values at the top of an object.

    Raises:
        DataNotFoundError: There is no such file.
        MalformedDataError: It is no object, or broken.
    """
    import ijson

    with _read(path) as stream:
        events = ijson.parse(stream, use_float=True, buf_size=_CHUNK)
        if next(events, ("", ""))[1] != "start_map":
            raise MalformedDataError(f"{path}: a list or a value where an object is expected.", REMEDY)
        return {name: value for name, event, value in events if event in _SCALARS and "." not in name}


def items_at(path: Path, prefix: str) -> Iterator[Any]:
    """Yield the items of the list at *prefix*.

    Raises:
        DataNotFoundError: There is no such file.
        MalformedDataError: It is broken.
    """
    import ijson

    with _read(path) as stream:
        for item in ijson.items(stream, f"{prefix}.item" if prefix else "item", use_float=True, buf_size=_CHUNK):
            yield _shallow(item)


def pairs_at(path: Path, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the names and values of the object at *prefix*.

    Raises:
        DataNotFoundError: There is no such file.
        MalformedDataError: It is broken.
    """
    import ijson

    with _read(path) as stream:
        for name, value in ijson.kvitems(stream, prefix, use_float=True, buf_size=_CHUNK):
            yield name, _shallow(value)


def _shallow(value: Any) -> Any:
    if deeper(value):
        raise ValueError("an item lies too deep")
    return value


@contextmanager
def _read(path: Path) -> Iterator[Streamed]:
    import ijson

    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as handle:
            yield _Limited(cast("BinaryIO", handle), path)
    except FileNotFoundError as error:
        raise DataNotFoundError(f"There is no file at {path}.", "Check the path.") from error
    except (ijson.JSONError, ValueError, OSError, EOFError, zlib.error) as error:
        why = " ".join(str(error).split())
        raise MalformedDataError(f"{path}: cannot be read: {why}.", REMEDY) from error
