"""Residue: in which form and at which spot of a file values stand."""

from __future__ import annotations

import errno
import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from memgauge.studies.erasure.spelled import UNPACKED, SpelledValues
from memgauge.studies.erasure.sqlite_pages import free_pages, page_size, rows, with_log
from memgauge.text.encodings import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.studies.erasure.spelled import MetForm
    from memgauge.studies.erasure.values import Sought

LARGEST: Final = 1 << 28
"""Bytes of one file that are read."""
NAME: Final = "its name"
ATTRIBUTE: Final = "an extended attribute"
HAS_ATTRIBUTES: Final = sys.platform == "linux"
"""Whether Python can read the extended attributes of files here."""
_UNREAD: Final[Mapping[bytes, str]] = {
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"\x04\x22\x4d\x18": "LZ4",
    b"\xff\x06\0\0sNaPpY": "Snappy",
    b"PAR1": "Parquet",
}
"""How what is packed in a way that is not unpacked here begins."""


@dataclass(frozen=True)
class FormSpot:
    """A value in a file: the form that it is written in, and where."""

    label: str
    form: str
    spot: str


@dataclass(frozen=True)
class SearchedFile:
    """What looking through a file came to."""

    bytes: int
    """That were read."""
    spots: tuple[FormSpot, ...]
    cut: tuple[str, ...]
    """How that is packed of which only the beginning was unpacked."""


class ResidueSearch:
    """Looks for the same values in files again and again; a file that did not change is not read twice."""

    def __init__(self, sought: Sequence[Sought]) -> None:
        self._values = SpelledValues(sought)
        self._known: dict[tuple[str, str], tuple[tuple[FormSpot, ...], tuple[str, ...]]] = {}

    def in_text(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the labels of the values that stand in any of *texts*, in any form."""
        return frozenset(met.label for met in self._met("\n".join(texts).encode("utf-8", "replace")))

    def in_file(self, file: Path) -> SearchedFile:
        """Return how many bytes of a file were read, and where in it values stand.

        Raises:
            OSError: It cannot be read.
        """
        data, log = read_start(file), b""
        beside = file.with_name(f"{file.name}-wal")
        if page_size(data) and beside.is_file():
            log = read_start(beside)
        key = (sha256(data).hexdigest(), sha256(log).hexdigest())
        if key not in self._known:
            met = self._values.met_in(data)
            self._known[key] = tuple(self._spots(data, log, met.forms)), met.cut
        spots, cut = self._known[key]
        named = (FormSpot(met.label, PLAIN, NAME) for met in self._met(file.name.encode()))
        attributes = (FormSpot(met.label, met.form, ATTRIBUTE) for met in self._met(_attributes(file)))
        return SearchedFile(len(data), (*named, *attributes, *spots), cut)

    def _met(self, data: bytes) -> tuple[MetForm, ...]:
        return self._values.met_in(data).forms

    def _spots(self, data: bytes, log: bytes, forms: Sequence[MetForm]) -> Iterator[FormSpot]:
        size = page_size(data)
        if not size:
            yield from (FormSpot(met.label, met.form, "") for met in forms)
            return
        tables = self._tables(with_log(data, log))  # a row may lie in several pages, where no byte shows it whole
        free = free_pages(data)
        for met in forms:
            pages = [place // size + 1 for place in met.at]
            if any(page in free for page in pages):
                yield FormSpot(met.label, met.form, "a free page")
            elif met.label not in tables:
                yield FormSpot(met.label, met.form, "freed space in a page, in no row")
        for label, names in tables.items():
            yield from (FormSpot(label, PLAIN, f"a row of {name}") for name in sorted(names))

    def _tables(self, data: bytes) -> Mapping[str, set[str]]:
        """Return by value the tables in a row of which it stands."""
        by_table: defaultdict[str, list[bytes]] = defaultdict(list)
        for table, row in rows(data):
            by_table[table].append(row)
        names: defaultdict[str, set[str]] = defaultdict(set)
        for table, cells in by_table.items():
            for label in self._values.labels_in(b"\n".join(cells)):
                names[label].add(table)
        return names


def unread_codecs(file: Path) -> tuple[str, ...]:
    """Name the ways in which a file, or part of it, is packed that are not unpacked here."""
    data = read_start(file)[:UNPACKED]
    return tuple(name for magic, name in _UNREAD.items() if magic in data)


def read_start(file: Path) -> bytes:
    """Read a file, and of one that is too large the beginning.

    Raises:
        OSError: It cannot be read.
    """
    with file.open("rb") as opened:
        return opened.read(LARGEST)


def _attributes(file: Path) -> bytes:
    """Return the names and values of a file's extended attributes; nothing where its file system has none."""
    if sys.platform != "linux":
        return b""
    try:
        return b"\n".join(
            each for name in os.listxattr(file) for each in (os.fsencode(name), os.getxattr(file, name))
        )
    except OSError as error:
        if error.errno == errno.ENOTSUP:
            return b""
        raise
