"""A run as one portable file, with or without the texts that belong to others."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from memgauge.errors import RunError, TamperError
from memgauge.refusals import remedy
from memgauge.runs.record import compact, journal, manifest
from memgauge.runs.record.files import own_files
from memgauge.runs.record.members import belongs, unsigned
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import Seal, seal
from memgauge.runs.record.spelling import encode
from memgauge.text.jsons import json_of, object_of
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

UNPACKED: Final = 64 << 30
"""Bytes that a bundle may unpack to."""
RATIO: Final = 250
"""How many bytes may come of one; a journal of equal lines packs to a hundredth."""
MEMBERS: Final = 10_000
"""Files that a bundle may hold."""
_SMALL: Final = 64 << 20
_CHUNK: Final = 1 << 20
_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    OverflowError,
)
"""What unpacking a file that is no bundle raises."""
_PACKINGS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ours are deflated; of the others the library unpacks as much at once as there is."""
_BESIDE: Final = ("scores", "signatures")
"""Folders of a run that quote no text."""
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold: equal runs make equal bundles


def bundle(folder: Path, target: Path, *, without_text: bool = False) -> Path:
    """Pack the sealed run at *folder* into the zip file *target*.

    It holds the files that a run is made of, and no other; :func:`memgauge.runs.record.members.strangers` names
    those. Without texts, every memory keeps the hash of its text and every failure its kind, so that all numbers
    of the run can still be recomputed, and texts checked by whoever has the dataset. Layers are what models said
    of these texts, and stay behind; :func:`left_out` names them.

    Raises:
        RunError: The run is unfinished, holds what is no file of its own, or the target cannot be written.
        TamperError: A sealed file is not as it was sealed; nothing is written then.
    """
    sealed = Seal.read(folder)
    _refuse(folder, sealed.altered(folder))
    temporary = target.with_name(f".{target.name}.tmp")
    with tempfile.TemporaryDirectory() as scratch:
        source = _without_text(folder, Path(scratch), sealed) if without_text else folder
        try:
            packed = _packed(source, temporary)
            _refuse(folder, packed.broken(Seal.read(source)))
            temporary.replace(target)
        except OSError as error:
            raise RunError(f"Cannot write {target}: {error.strerror}.", remedy(error)) from error
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    return target


def compact_bundle(folder: Path, target: Path) -> Path:
    """Pack the sealed run at *folder* without texts and tables; see :mod:`memgauge.runs.record.compact`.

    Raises:
        TamperError: A sealed file is not as it was sealed.
    """
    with (folder / journal.FILE).open("rb") as file:
        return compact.write_compact(folder, target, without_text(file))


@dataclass(frozen=True)
class _PackedRun:
    """What went into a bundle."""

    hashes: Mapping[str, str]
    """sha256 of every file, by its name."""
    seals: Mapping[str, bytes]
    """The seals among them."""

    def broken(self, sealed: Seal) -> Sequence[str]:
        """Name the files that are not as they were sealed: those of the run, and those of its layers."""
        run = [name for name, digest in sealed.files.items() if self.hashes.get(name) != digest]
        run += [SEAL] if self.seals.get(SEAL) != sealed.text.encode() else []
        layers = [(name, name.removesuffix(SEAL)) for name in self.seals if name.startswith("layers/")]
        return run + [
            f"{layer}{file}"
            for name, layer in layers
            for file, digest in (object_of(self.seals[name]) or {SEAL: ""}).items()
            if self.hashes.get(f"{layer}{file}") != digest
        ]


def _packed(folder: Path, target: Path) -> _PackedRun:
    """Pack every file of a run; what is packed is what was hashed."""
    hashes, seals = dict[str, str](), dict[str, bytes]()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in own_files(folder):
            if not belongs(name) or unsigned(folder, name):
                continue
            info = zipfile.ZipInfo(name, _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.file_size = os.fstat(file.fileno()).st_size  # whether it needs the larger form of a header
            digest, content = hashlib.sha256(), b""
            with archive.open(info, "w") as sink:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
                    sink.write(chunk)
                    content = (content + chunk)[: _CHUNK + 1] if PurePosixPath(name).name == SEAL else b""
            hashes[name] = digest.hexdigest()
            seals |= {name: content} if content else {}
    return _PackedRun(hashes, seals)


def left_out(folder: Path) -> list[str]:
    """Name the layers of a run, which a bundle without texts does not hold."""
    return sorted(path.parent.name for path in folder.glob("layers/*/layer.json"))


@contextmanager
def unbundled(path: Path) -> Iterator[Path]:
    """Give the folder of a run, unpacked for the time being where *path* is a bundle.

    Raises:
        RunError: The bundle is broken.
    """
    if path.is_dir() or not path.exists():
        yield path
        return
    if not path.is_file():
        raise RunError(f"{path} is not a bundle: it is no regular file.", "Name one, or a folder.")
    with tempfile.TemporaryDirectory() as scratch:
        try:
            with zipfile.ZipFile(path) as archive:
                if compact.FILE in archive.namelist():
                    compact.restore(archive, Path(scratch), path.parent)
                else:
                    _unpack(archive, Path(scratch), path.stat().st_size)
        except (*_BROKEN, KeyError) as error:
            raise RunError(f"{path} is not a bundle: {error}.", "Ask for another copy.") from error
        yield Path(scratch)


def _unpack(archive: zipfile.ZipFile, folder: Path, size: int) -> None:
    """Write what a run is made of below *folder*, and refuse everything else.

    *size* is of the bundle as it lies on the disk; what it says of its members may be a lie.

    Raises:
        ValueError: A name leads elsewhere or occurs twice, or there is more than a run can be.
        zipfile.BadZipFile: Bytes are not those that were packed.
    """
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > MEMBERS:
        raise ValueError(f"it holds {len(members):,} files")
    left = min(UNPACKED, max(_SMALL, RATIO * size))
    for member in members:
        name = PurePosixPath(member.filename)
        if member.compress_type not in _PACKINGS:
            raise ValueError(f"{member.filename!r} is packed in a way that cannot be bounded")
        if name.is_absolute() or ".." in name.parts or "\\" in member.filename or "\0" in member.filename:
            raise ValueError(f"the name {member.filename!r} leads out of it")
        target = folder / name
        if target.exists():
            raise ValueError(f"the name {member.filename!r} occurs twice")
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as source, target.open("wb") as sink:
            while chunk := source.read(min(_CHUNK, left + 1)):  # what a header says of its size may be a lie
                left -= sink.write(chunk)
                if left < 0:
                    raise ValueError("it unpacks to more than a run can be")


def _without_text(folder: Path, scratch: Path, sealed: Seal) -> Path:
    for name, file in own_files(folder):
        beside = belongs(name) and not unsigned(folder, name) and PurePosixPath(name).parts[0] in _BESIDE
        if name == manifest.FILE or beside:
            (scratch / name).parent.mkdir(parents=True, exist_ok=True)
            with (scratch / name).open("wb") as target:
                shutil.copyfileobj(file, target)
        elif name == journal.FILE:
            with (scratch / name).open("wb") as target:
                target.writelines(without_text(file))
    if seal(scratch, sealed.identity).content != sealed.content:
        _refuse(folder, (journal.FILE,))
    return scratch


def without_text(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a journal as a bundle without texts holds them, checksums made anew."""
    size = crc = 0
    ended = False
    for line in lines:
        row = json_of(line)
        if row["t"] == "sum":
            yield journal.sum_line(row["conversation"], row["attempt"], size, crc)
        if ended or row["t"] == "sum":  # an attempt of an earlier version has no sum behind its end
            size = crc = 0
        ended = row["t"] == "end"
        if row["t"] == "sum":
            continue
        stripped = encode([_stripped(row)])
        size, crc = size + len(stripped), zlib.crc32(stripped, crc)
        yield stripped


def _refuse(folder: Path, altered: Sequence[str]) -> None:
    """Refuse to pack a run some of whose files are not as they were sealed.

    Raises:
        TamperError: There are some.
    """
    if altered:
        raise TamperError(
            f"{folder} changed after it was sealed: {', '.join(altered)}. Nothing was packed; look at it with "
            f"`memgauge runs verify {typed(folder)}`, and restore it from a copy."
        )


def _stripped(row: dict[str, object]) -> dict[str, object]:
    """Drop what could quote: texts, notes, channels, and the wording of errors after their kind."""
    bare = {key: value for key, value in row.items() if key != "text"}
    bare |= {key: empty for key, empty in (("notes", list[str]()), ("channel", "")) if key in bare}
    if isinstance(reason := bare.get("reason"), str):
        bare["reason"] = reason.split(":", maxsplit=1)[0]
    return bare
