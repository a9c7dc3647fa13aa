"""A run as one portable file, with or without the texts that belong to others."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from memgauge.errors import RunError
from memgauge.runs.record import journal, manifest
from memgauge.runs.record.seal import Seal, seal
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator

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
_BESIDE: Final = ("scores", "signatures")
"""Folders of a run that quote no text."""
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip can hold: equal runs make equal bundles


def bundle(folder: Path, target: Path, *, without_text: bool = False) -> Path:
    """Pack the sealed run at *folder* into the zip file *target*.

    Without texts, every memory keeps the hash of its text and every failure its kind, so that all numbers of the
    run can still be recomputed, and texts checked by whoever has the dataset. Layers are what models said of these
    texts, and stay behind; :func:`left_out` names them.

    Raises:
        RunError: The run is unfinished, or the target cannot be written.
    """
    Seal.read(folder)
    with tempfile.TemporaryDirectory() as scratch:
        source = _without_text(folder, Path(scratch)) if without_text else folder
        files = [path for path in sorted(source.rglob("*")) if path.is_file()]
        try:
            with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
                for path in files:
                    info = zipfile.ZipInfo(path.relative_to(source).as_posix(), _EPOCH)
                    info.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(info, path.read_bytes())
        except OSError as error:
            with suppress(OSError):
                target.unlink()
            raise RunError(
                f"Cannot write {target}: {error.strerror}.", "Make room or choose another place."
            ) from error
    return target


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
    with tempfile.TemporaryDirectory() as scratch:
        try:
            with zipfile.ZipFile(path) as archive:
                _unpack(archive, Path(scratch))
        except _BROKEN as error:
            raise RunError(f"{path} is not a bundle: {error}.", "Ask for another copy.") from error
        yield Path(scratch)


def _unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    """Write what a run is made of below *folder*, and refuse everything else.

    Raises:
        ValueError: A name leads elsewhere or occurs twice, or there is more than a run can be.
        zipfile.BadZipFile: Bytes are not those that were packed.
    """
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > MEMBERS:
        raise ValueError(f"it holds {len(members):,} files")
    left = min(UNPACKED, max(_SMALL, RATIO * sum(member.compress_size for member in members)))
    for member in members:
        name = PurePosixPath(member.filename)
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


def _without_text(folder: Path, scratch: Path) -> Path:
    sealed = Seal.read(folder)
    if sealed.altered(folder, (journal.FILE, manifest.FILE)):
        raise _changed(folder)
    shutil.copy(folder / manifest.FILE, scratch / manifest.FILE)
    for name in _BESIDE:
        if (folder / name).is_dir():
            shutil.copytree(folder / name, scratch / name)
    with (scratch / journal.FILE).open("wb") as target:
        target.writelines(without_text(folder / journal.FILE))
    if seal(scratch, sealed.identity).content != sealed.content:
        raise _changed(folder)
    return scratch


def without_text(path: Path) -> Iterator[bytes]:
    """Yield the lines of a journal as a bundle without texts holds them, checksums made anew."""
    size = crc = 0
    ended = False
    with path.open("rb") as source:
        for line in source:
            row = json_of(line)
            if row["t"] == "sum":
                yield journal.sum_line(row["conversation"], row["attempt"], size, crc)
            if ended or row["t"] == "sum":  # an attempt of an earlier version has no sum behind its end
                size = crc = 0
            ended = row["t"] == "end"
            if row["t"] == "sum":
                continue
            stripped = journal.encode([_stripped(row)])
            size, crc = size + len(stripped), zlib.crc32(stripped, crc)
            yield stripped


def _changed(folder: Path) -> RunError:
    return RunError(f"{folder} changed after it was sealed.", f"Look at it with `memgauge runs verify {folder}`.")


def _stripped(row: dict[str, object]) -> dict[str, object]:
    """Drop what could quote: texts, notes, channels, and the wording of errors after their kind."""
    bare = {key: value for key, value in row.items() if key != "text"}
    bare |= {key: empty for key, empty in (("notes", list[str]()), ("channel", "")) if key in bare}
    if isinstance(reason := bare.get("reason"), str):
        bare["reason"] = reason.split(":", maxsplit=1)[0]
    return bare
