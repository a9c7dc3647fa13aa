"""Residue: in which form and at which spot of a file values stand."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from memgauge.studies.erasure.sqlite_pages import free_pages, page_size, rows, with_log
from memgauge.text.encodings import FOLDED, PLAIN, encodings
from memgauge.text.forms import as_text, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.studies.erasure.values import Sought

LARGEST: Final = 1 << 28
"""Bytes of one file that are read."""
UNPACKED: Final = 1 << 24
"""Bytes of a file in which is looked for what lies packed."""
CLOSED: Final = "letters alone"
"""The form of a value of which spaces, marks or case were changed."""
NAME: Final = "its name"
ATTRIBUTE: Final = "an extended attribute"
HAS_ATTRIBUTES: Final = sys.platform == "linux"
"""Whether Python can read the extended attributes of files here."""
_JOINTS = re.compile(r"[\W_]+")
_LEAST_CLOSED: Final = 8
_WHOLE: Final = frozenset({"percent signs", "quoted-printable", "escapes"})
"""Codecs that write most of a text as it is: what stands there already is not met again."""
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


class ResidueSearch:
    """Looks for the same values in files again and again; a file that did not change is not read twice."""

    def __init__(self, sought: Sequence[Sought]) -> None:
        self._sought = tuple(sought)
        self._codes = {each.label: encodings(each.text) for each in sought}
        self._closed = {
            each.label: closed for each in sought if len(closed := _letters(each.text)) >= _LEAST_CLOSED
        }
        others = {each.label: each.within for each in sought if each.within}
        self._others = {label: tuple(map(encodings, within)) for label, within in others.items()}
        self._closed_others = {label: tuple(map(_letters, within)) for label, within in others.items()}
        self._known: dict[tuple[str, str], tuple[FormSpot, ...]] = {}

    def in_text(self, texts: Iterable[str]) -> frozenset[str]:
        """Return the labels of the values that stand in any of *texts*, in any form."""
        data = "\n".join(texts).encode("utf-8", "replace")
        return frozenset(label for label, _, _ in self._forms(data))

    def in_file(self, file: Path) -> tuple[int, tuple[FormSpot, ...]]:
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
            self._known[key] = tuple(self._spots(data, log))
        named = (FormSpot(label, PLAIN, NAME) for label, _, _ in self._forms(file.name.encode()))
        attributes = (FormSpot(label, form, ATTRIBUTE) for label, form, _ in self._forms(_attributes(file)))
        return len(data), (*named, *attributes, *self._known[key])

    def _spots(self, data: bytes, log: bytes) -> Iterator[FormSpot]:
        forms = list(self._forms(data))
        size = page_size(data)
        if not size:
            yield from (FormSpot(label, form, "") for label, form, _ in forms)
            return
        tables = self._tables(with_log(data, log)) if forms or log else {}
        free = free_pages(data)
        for label, form, at in forms:
            pages = [place // size + 1 for place in at]
            if any(page in free for page in pages):
                yield FormSpot(label, form, "a free page")
            elif label not in tables:
                yield FormSpot(label, form, "freed space in a page, in no row")
        for label, names in tables.items():
            yield from (FormSpot(label, PLAIN, f"a row of {name}") for name in sorted(names))

    def _tables(self, data: bytes) -> Mapping[str, set[str]]:
        """Return by value the tables in a row of which it stands."""
        by_table: defaultdict[str, list[bytes]] = defaultdict(list)
        for table, row in rows(data):
            by_table[table].append(row)
        names: defaultdict[str, set[str]] = defaultdict(set)
        for table, cells in by_table.items():
            for label in self._labels_in(b"\n".join(cells)):
                names[label].add(table)
        return names

    def _forms(self, data: bytes) -> Iterator[tuple[str, str, tuple[int, ...]]]:
        """Yield each value in each form in which it stands in *data*, and where its bytes begin."""
        direct = dict(self._spelt(data))
        yield from ((label, form, at) for (label, form), at in direct.items())
        closed = self._closed_in(data) - {label for label, _ in direct}
        yield from ((label, CLOSED, ()) for label in sorted(closed))
        seen: set[tuple[tuple[str, ...], str]] = {
            ((), label) for label in (*closed, *(label for label, _ in direct))
        }
        met = set(direct)
        for packed in unpacked(data[:UNPACKED]):
            labels = self._labels_in(packed.data)
            seen |= {(packed.codecs, label) for label in labels}
            for label in sorted(labels):
                form = " in ".join(reversed(packed.codecs))
                is_same = packed.codecs[-1] in _WHOLE and (packed.codecs[:-1], label) in seen
                if not is_same and (label, form) not in met:
                    met.add((label, form))
                    yield label, form, ()

    def _spelt(self, data: bytes) -> Iterator[tuple[tuple[str, str], tuple[int, ...]]]:
        folded = data.lower()
        for label, codes in self._codes.items():
            tried: set[bytes] = set()
            for form, spelt in codes.items():
                where = folded if form == FOLDED else data
                for others in self._others.get(label, ()):
                    where = _blanked(where, others[form])
                at = tuple(place for code in sorted(spelt - tried) for place in _places(where, code))
                if at:
                    yield (label, form), at
                # What stands as it is, stands in any case too.
                tried |= spelt | (codes[FOLDED] if form == PLAIN and at else set())

    def _labels_in(self, data: bytes) -> set[str]:
        """Return the values of which the letters stand in *data*, and of short ones the whole."""
        short = [each for each in self._sought if each.label not in self._closed]
        plain = {each.label: _blanked(data, [other.encode() for other in each.within]) for each in short}
        return self._closed_in(data) | {each.label for each in short if each.text.encode() in plain[each.label]}

    def _closed_in(self, data: bytes) -> set[str]:
        text = _letters(as_text(data))
        return {label for label, closed in self._closed.items() if closed in self._own(label, text)}

    def _own(self, label: str, letters: str) -> str:
        """Take out of *letters* what holds the value of *label* and is somebody else's."""
        for other in self._closed_others.get(label, ()):
            letters = letters.replace(other, " ")
        return letters


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


def _blanked(data: bytes, codes: Iterable[bytes]) -> bytes:
    """Write zeros over *codes*, so that all else stands where it stood."""
    for code in codes:
        data = data.replace(code, bytes(len(code)))
    return data


def _letters(text: str) -> str:
    return _JOINTS.sub("", text.casefold())


def _places(data: bytes, code: bytes) -> Iterator[int]:
    place = data.find(code)
    while place >= 0:
        yield place
        place = data.find(code, place + 1)
