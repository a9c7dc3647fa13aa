"""Residue: an erased value that still lies in a file, however it is written."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from memgauge.studies.golden.grams import Grams
from memgauge.studies.golden.tokens import index_of
from memgauge.text.encodings import encodings
from memgauge.text.forms import as_text, decoded, turned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

LARGEST = 1 << 28
"""Bytes of one file that are read."""


def contents(files: Iterable[Path]) -> frozenset[bytes]:
    """Return the digests of what *files* hold: no value stands there that is told later."""
    return frozenset(_digest(data) for file in files if (data := _read(file)) is not None)


def residues(
    files: Iterable[Path], values: Iterable[str], untold: frozenset[bytes] = frozenset()
) -> dict[str, str]:
    """Return those of *values* that stand in *files*, each with the name of one that holds it.

    They stand there or in its name, in any spelling, packed, or in a free page. What has the same bytes is looked
    through once: a database holds its templates several times. *untold* are the :func:`contents` of before any of
    the values was told: of a file that is as it was then only the name is looked at.
    """
    wanted, seen = frozenset(values), dict.fromkeys(untold, frozenset[str]())
    holders: dict[str, str] = {}
    for file in files if wanted else ():
        if (data := _read(file)) is None:
            continue
        digest = _digest(data)
        if digest not in seen:
            seen[digest] = frozenset(_inside(data, wanted))
        holders |= dict.fromkeys(seen[digest] | index_of(wanted).inside(file.name), file.name)
    return holders


def _digest(data: bytes) -> bytes:
    return blake2b(data).digest()


def _read(file: Path) -> bytes | None:
    """Return what a file holds; ``None``: it has gone, as an open database removes files while they are listed."""
    try:
        with file.open("rb") as opened:
            return opened.read(LARGEST)
    except FileNotFoundError:
        return None


def _inside(data: bytes, wanted: frozenset[str]) -> set[str]:
    """Return the values that stand in *data*; of what was never written a little is looked through."""
    index = index_of(wanted)
    written = _UNWRITTEN.sub(_LITTLE, data)
    left = _spelled(written, wanted)
    text = as_text(written)
    left |= index.inside(text)
    if left == wanted:
        return left
    left |= _masked(written, wanted - left)
    parts = _OBJECTS.split(data) if len(data) <= _UNPACKED else [data[:_UNPACKED]]
    inner = dict.fromkeys(hidden for part in parts for hidden in decoded(part))
    for piece in _pieces((text, *inner)):
        left |= index.inside(piece) | index.apart(piece)
        if left == wanted:
            return left
    if len(data) <= _TURNED:
        joined = _BETWEEN.join(inner)
        left |= index.found(text).union(*map(index.inside, (*turned(text), *turned(joined))))
    return left


def _spelled(written: bytes, wanted: frozenset[str]) -> set[str]:
    """Return the values that stand in bytes in one of their forms, in letters of any size."""
    much = len(wanted) * len(written) > _MUCH
    searched = [Grams(data) if much else data for data in (written, written.lower())]
    return {value for value in wanted if any(form in data for form in spellings(value) for data in searched)}


def _pieces(texts: Iterable[str]) -> Iterator[str]:
    """Join *texts*, and cut them to what is quickly looked through; a value stands whole in one of the pieces."""
    waiting, size = list[str](), 0
    for text in texts:
        for part in _parts(text):
            waiting.append(part)
            size += len(part)
            if size > _PIECE:
                yield _BETWEEN.join(waiting)
                waiting, size = [], 0
    if waiting:
        yield _BETWEEN.join(waiting)


def _parts(text: str) -> Iterator[str]:
    """Cut *text* between words, so that neighbours share what is as long as any value."""
    start = 0
    while len(text) - start > _PIECE:
        cut = _BLANK.search(text, start + _PIECE)
        if cut is None:
            break
        yield text[start : cut.start()]
        shared = _BLANK.search(text, cut.start() - _VALUE, cut.start())
        start = shared.end() if shared is not None else cut.start()
    yield text[start:]


_MUCH = 1 << 22
"""Bytes, times values, from which on it pays to note what stands in a file before it is searched."""
_UNWRITTEN, _LITTLE = re.compile(rb"\0{64,}"), bytes(64)
_BETWEEN = " | "
_BLANK = re.compile(r"\s+")
_PIECE = 1 << 16
_VALUE = 1 << 10
"""Characters of a value, at most, with what stands beside it."""


_OBJECTS = re.compile(rb"(?<=[}\]])[,\s]+(?=[{\[])")
"""What stands between the objects of a file of JSON, of which each is unpacked once while the file grows."""
_UNPACKED = 1 << 24
"""Bytes of a file in which is looked for what lies packed."""
_TURNED = 1 << 17
"""Bytes of a file in which values are looked for that were turned round or spaced out."""


def _masked(data: bytes, values: Iterable[str]) -> set[str]:
    """Return the values that stand in *data* with every byte masked by the same one.

    Such a mask leaves in what two neighbouring bytes differ. Bare numbers are left out: masked, one is another.
    """
    if not 1 < len(data) <= _UNPACKED:
        return set()
    steps = _steps(data)
    worded = (value for value in values if len(value) >= _TELLING and not value.isdigit())
    return {value for value in worded if _steps(value.encode()) in steps}


def _steps(data: bytes) -> bytes:
    """Return in what each byte differs from the next."""
    differing = int.from_bytes(data[:-1], "big") ^ int.from_bytes(data[1:], "big")
    return differing.to_bytes(len(data) - 1, "big")


_TELLING = 8
"""Letters of a value that is not met by chance."""


def spellings(value: str) -> set[bytes]:
    """Return a value in every form of bytes by which files may hold it."""
    return {code for codes in encodings(value).values() for code in codes}
