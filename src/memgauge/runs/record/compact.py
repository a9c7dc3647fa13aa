"""A bundle without texts in a third of its space: numbers as columns, hashes in a file shared with its neighbours.

What a journal says is kept line by line; scores, places and hashes, which are most of it, stand apart from their
lines. The tables follow from the journal: they are made again where the bundle is opened, and must then hold what
was sealed.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import zipfile
from dataclasses import dataclass, field
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.errors import RunError, TamperError
from memgauge.runs.record import journal, manifest
from memgauge.runs.record.files import own_files
from memgauge.runs.record.members import belongs
from memgauge.runs.record.seal import Seal, seal
from memgauge.runs.record.spelling import encode
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

FILE: Final = "compact.json"
"""The member by which such a bundle is known: whose rows these are, and what their hashes are."""
SHARED: Final = "hashes.bin"
"""Hashes of memories' texts, beside the bundles that share them: neighbours store the same turns."""
FORMAT: Final = 1
_ROWS, _SCORES, _PLACES, _HASHES = "rows.xz", "scores.xz", "places.xz", "hashes.xz"
_LARGEST: Final = 256 << 20
"""Bytes that one member may unpack to: LoCoMo has six million."""
_MEMORY: Final = 1 << 30
_MEMBERS: Final = 100
_SCORE, _PLACE, _WIDTH = np.dtype("<f8"), np.dtype("<u4"), 32
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def write_compact(folder: Path, target: Path, lines: Iterable[bytes]) -> Path:
    """Pack the sealed run at *folder*, with *lines* for its journal; new hashes go to the shared file.

    Raises:
        TamperError: A sealed file is not as it was sealed.
    """
    sealed = Seal.read(folder)
    if altered := sealed.altered(folder):
        raise TamperError(f"{folder} changed after it was sealed: {', '.join(altered)}. Nothing was packed.")
    shared = _SharedHashes.read(target.with_name(SHARED))
    columns, whole = _Columns(), hashlib.sha256()
    rows = []
    for line in lines:
        whole.update(line)
        rows.append(_taken_apart(line, columns, shared))
    about = {
        "format": FORMAT,
        "content": sealed.content,
        "identity": sealed.identity,
        "journal": whole.hexdigest(),
    }
    members = {
        FILE: (json.dumps(about, indent=2) + "\n").encode(),
        _ROWS: _squeezed(b"".join(rows)),
        _SCORES: _squeezed(_shuffled(np.array(columns.scores, _SCORE))),
        _PLACES: _squeezed(_shuffled(np.array(columns.places, _PLACE))),
        _HASHES: _squeezed(_shuffled(np.array(columns.hashes, _PLACE))),
    }
    for name, file in own_files(folder):
        if name == manifest.FILE or (name.startswith("scores/") and belongs(name)):
            members[name] = file.read()
    shared.write()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in sorted(members.items()):
            packing = zipfile.ZIP_STORED if name.endswith(".xz") else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, packing)
    return target


def restore(archive: zipfile.ZipFile, folder: Path, beside: Path) -> None:
    """Write the run that *archive* holds into *folder*: its journal, its tables made again, and its seal.

    The hashes that a compact bundle shares lie *beside* it.

    Raises:
        RunError: The hashes are not there, or what comes of it is not what was sealed.
        ValueError: A member is missing, too large or not as it is written.
    """
    about = json_of(archive.read(FILE))
    if about.get("format") != FORMAT:
        raise ValueError(f"its format is {about.get('format')!r}")
    known = _SharedHashes.read(beside / SHARED).rows
    columns = _Columns(
        _column(archive, _SCORES, _SCORE), _column(archive, _PLACES, _PLACE), _column(archive, _HASHES, _PLACE)
    )
    if len(columns.hashes) and max(columns.hashes) >= len(known):
        raise RunError(
            f"{beside / SHARED} lacks hashes of this bundle.", "Fetch it from where the bundle is from."
        )
    content = b"".join(_put_together(_loosened(archive, _ROWS), columns, known))
    if hashlib.sha256(content).hexdigest() != about["journal"]:
        raise ValueError("its journal is not the one that was packed")
    (folder / journal.FILE).write_bytes(content)
    if len(archive.infolist()) > _MEMBERS:
        raise ValueError(f"it holds {len(archive.infolist()):,} files")
    for member in archive.infolist():
        place = PurePosixPath(member.filename)
        if place == PurePosixPath(manifest.FILE) or (place.parts[0] == "scores" and len(place.parts) == 2):
            (folder / place).parent.mkdir(exist_ok=True)
            (folder / place).write_bytes(_bounded(archive, member.filename))
    if seal(folder, about["identity"]).content != about["content"]:
        raise ValueError("its rows are not those that were sealed")


@dataclass
class _Columns:
    """What stands apart from its lines, in their order."""

    scores: list[float] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    hashes: list[int] = field(default_factory=list)


@dataclass
class _SharedHashes:
    """The hashes that bundles of one folder share; a number, once given, stays."""

    path: Path
    rows: list[bytes]
    numbers: dict[bytes, int]

    @classmethod
    def read(cls, path: Path) -> _SharedHashes:
        raw = path.read_bytes() if path.is_file() else b""
        rows = [raw[start : start + _WIDTH] for start in range(0, len(raw), _WIDTH)]
        return cls(path, rows, {row: number for number, row in enumerate(rows)})

    def number(self, row: bytes) -> int:
        """Return the number of a hash, a new one where it has none."""
        if row not in self.numbers:
            self.numbers[row] = len(self.rows)
            self.rows.append(row)
        return self.numbers[row]

    def write(self) -> None:
        self.path.write_bytes(b"".join(self.rows))


def _taken_apart(line: bytes, columns: _Columns, shared: _SharedHashes) -> bytes:
    """Return a line without its columns; one that could not be put together again to the letter stays whole."""
    row: dict[str, Any] = json_of(line)
    apart = dict(row)
    if row["t"] == "question" and _plain(row):
        apart |= {"memories": None, "scores": len(row["scores"])}
    elif row["t"] == "memory" and _is_hash(row.get("sha256")):
        apart["sha256"] = None
    if apart == row or encode([row]) != line:
        return line
    if row["t"] == "memory":
        columns.hashes.append(shared.number(bytes.fromhex(row["sha256"])))
    else:
        columns.scores += row["scores"]
        columns.places += row["memories"]
    return encode([apart])


def _plain(row: dict[str, Any]) -> bool:
    """Whether all scores and places are plain numbers, as many of the one as of the other."""
    scores, places = row["scores"], row["memories"]
    return (
        len(scores) == len(places)
        and all(type(score) is float for score in scores)
        and all(type(place) is int and 0 <= place < 1 << 32 for place in places)
    )


def _is_hash(text: object) -> bool:
    return isinstance(text, str) and len(text) == 2 * _WIDTH and text == text.lower() and text.isalnum()


def _put_together(content: bytes, columns: _Columns, known: list[bytes]) -> Iterator[bytes]:
    """Yield the lines of a journal as they were."""
    scores, places, hashes = iter(columns.scores), iter(columns.places), iter(columns.hashes)
    for line in content.splitlines(keepends=True):
        row = json_of(line)
        if row["t"] == "question" and row["memories"] is None:
            count = int(row["scores"])
            row["memories"], row["scores"] = list(islice(places, count)), list(islice(scores, count))
        elif row["t"] == "memory" and row["sha256"] is None:
            row["sha256"] = known[next(hashes)].hex()
        else:
            yield line
            continue
        yield encode([row])


def _shuffled(column: NDArray[Any]) -> bytes:
    """Write first bytes first, then all second ones: neighbours are then alike."""
    return np.frombuffer(column.tobytes(), np.uint8).reshape(-1, column.itemsize).T.tobytes()


def _column(archive: zipfile.ZipFile, name: str, kind: np.dtype[Any]) -> list[Any]:
    raw = np.frombuffer(_loosened(archive, name), np.uint8).reshape(kind.itemsize, -1)
    return list(np.frombuffer(raw.T.tobytes(), kind).tolist())


def _squeezed(content: bytes) -> bytes:
    return lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)


def _loosened(archive: zipfile.ZipFile, name: str) -> bytes:
    """Unpack a member piece by piece, up to what one may be.

    Raises:
        ValueError: It is more, or broken.
    """
    unpacking = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
    try:
        content = unpacking.decompress(_bounded(archive, name), _LARGEST)
    except lzma.LZMAError as error:
        raise ValueError(f"{name} is broken: {error}") from error
    if not unpacking.eof:
        raise ValueError(f"{name} unpacks to more than a run can be, or is cut")
    return content


def _bounded(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as source:
        content = source.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError(f"{name} is more than a run can hold")
    return content
