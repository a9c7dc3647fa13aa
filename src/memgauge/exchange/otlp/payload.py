"""Files of OTLP/JSON: a request a line, or one document; what cannot be read is counted, never guessed."""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import from_json

from memgauge.datasets.files import sha256_of
from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.exchange.reading import RATIO
from memgauge.exchange.traffic.identity import TrafficSource
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

LARGEST: Final = 64 << 20
"""Bytes of the longest line, and of the largest document, that is read in one piece."""
_GZIP: Final = b"\x1f\x8b"
_STARTS: Final = (b"{", b"[", b"\xef\xbb\xbf")
_FORMAT: Final = "Export JSON lines: in the collector's file exporter `format: json`, without `compression`."
_SMALLER: Final = "Write one request a line (`jq -c .`), or let the collector send smaller batches."


@dataclass
class SeenFiles:
    """What was met in files, or in a share of their lines."""

    spans: int = 0
    whole: Counter[Path] = field(default_factory=Counter)
    """Lines and documents that are JSON, by file."""
    broken: Counter[Path] = field(default_factory=Counter)
    """Lines that are none."""
    left_out: Counter[str] = field(default_factory=Counter)
    noted: Counter[str] = field(default_factory=Counter)
    thresholds: Counter[str] = field(default_factory=Counter)
    services: set[str] = field(default_factory=set)
    libraries: set[str] = field(default_factory=set)
    schemas: set[str] = field(default_factory=set)
    sources: list[TrafficSource] = field(default_factory=list)

    def add(self, other: SeenFiles) -> None:
        """Add what was met elsewhere."""
        self.spans += other.spans
        for name in ("whole", "broken", "left_out", "noted", "thresholds", "services", "libraries", "schemas"):
            getattr(self, name).update(getattr(other, name))
        self.sources += other.sources


class PayloadReader:
    """Reads the requests of one file after the other, all lines or its share, and counts what it met."""

    def __init__(self, seen_files: SeenFiles, turn: int = 0, turns: int = 1) -> None:
        """Read the lines whose number is *turn* among every *turns*; who has the first turn names the files."""
        self._seen, self._turn, self._turns = seen_files, turn, turns

    def requests(self, path: Path) -> Iterator[dict[str, Any]]:
        """Yield every request of a file, in order.

        Raises:
            DataNotFoundError: There is no such file.
            MalformedDataError: It is packed in a way that is not read, or binary.
        """
        try:
            if self._turn == 0:
                size = path.stat().st_size
                self._seen.sources.append(TrafficSource(name=path.name, sha256=sha256_of(path), bytes=size))
            for value in self._values(path):
                self._seen.whole[path] += 1
                for request in value if isinstance(value, list) else (value,):
                    if isinstance(request, dict):
                        yield request
                    else:
                        self._seen.left_out["a request that is no object"] += 1
        except FileNotFoundError as error:
            raise DataNotFoundError(f"There is no file at {path}.", "Check the path.") from error
        except IsADirectoryError as error:
            raise MalformedDataError(f"{path} is a folder.", f"Name the files in it: {path}/*.") from error
        except (OSError, EOFError, zlib.error) as error:
            raise MalformedDataError(f"{path}: cannot be read: {error}.", "Ask for another copy.") from error

    def _values(self, path: Path) -> Iterator[Any]:
        with _opened(path) as file:
            document = _document(file, path)
        if document is not None:
            if self._turn == 0:
                yield document
            return
        with _opened(path) as file:
            for number, line in enumerate(_lines(file, path)):
                if number % self._turns == self._turn:
                    try:
                        value = _value(line)
                    except ValueError:  # also of bytes that are no text
                        self._seen.broken[path] += 1
                        continue
                    yield value


def _value(line: bytes) -> Any:
    """Read a line of JSON; of what the quick reader refuses, the thorough one says whether it is.

    Raises:
        ValueError: It is none.
    """
    try:
        return from_json(line, cache_strings="keys")
    except ValueError:
        return json_of(line)


def check_lines(whole: Counter[Path], broken: Counter[Path]) -> None:
    """Refuse a file none of whose lines is JSON.

    Raises:
        MalformedDataError: One is such.
    """
    for path, lines in broken.items():
        if not whole[path]:
            raise MalformedDataError(f"{path}: not one of its {lines:,} lines is JSON.", _FORMAT)


def _opened(path: Path) -> BinaryIO:
    """Open a file, unpacked where gzip packed it.

    Raises:
        MalformedDataError: It is binary, or packed in another way.
    """
    file = path.open("rb")
    start = file.read(4)
    file.seek(0)
    if start[:2] == _GZIP:
        file.close()
        return gzip.open(path)  # type: ignore[return-value] # it reads bytes
    if start.strip() and not start.lstrip().startswith(_STARTS):
        file.close()
        raise MalformedDataError(
            f"{path} begins with the bytes {start.hex(' ')}, which no JSON does: it is compressed, protobuf, or "
            "has a length before every message.",
            _FORMAT,
        )
    return file


def _document(file: BinaryIO, path: Path) -> Any:
    """Read a file whose first line is no JSON by itself as one document; ``None`` where it is none."""
    first_line = next(_lines(file, path), b"{}")
    try:
        json_of(first_line)
    except ValueError:
        try:
            return json_of(first_line + file.read(LARGEST))
        except ValueError:
            return None
    return None


def _lines(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """Yield the lines that are not blank.

    Raises:
        MalformedDataError: One is too long, or a packed file unpacks to too much.
    """
    limit, unpacked_size = max(LARGEST, RATIO * path.stat().st_size), 0
    while line := file.readline(LARGEST):
        unpacked_size += len(line)
        if len(line) == LARGEST:
            raise MalformedDataError(f"{path}: a line is longer than {LARGEST >> 20} MiB.", _SMALLER)
        if unpacked_size > limit:
            raise MalformedDataError(
                f"{path}: it unpacks to more than {limit >> 20:,} MiB.", "Unpack it yourself."
            )
        if line.strip():
            yield line
