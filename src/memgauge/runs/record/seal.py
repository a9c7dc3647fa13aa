"""Sealing: journal into tables, tables into hashes, and after that nothing changes."""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import RunError
from memgauge.refusals import remedy
from memgauge.runs.record import cost, journal, manifest, tables
from memgauge.runs.record.database import connect, overflowing
from memgauge.runs.record.files import opened, small, sweep, write_atomically
from memgauge.runs.record.ordered import PartedLines, parted
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import duckdb

FILE = "SEAL"
FORMAT = 1
_LARGE = 1 << 26
"""Bytes of a journal from which on what its tables need beyond `_ROOM` overflows into files."""
_ROOM = 256 << 20
_LINES = 16
"""Of the longest lines so many may be held at a time besides."""
_PIECE = 1 << 18
"""Bytes of a file that are hashed at a time."""
_PORTION = 10_000
"""Rows that are hashed at a time."""
NAMES = (manifest.FILE, journal.FILE, *(f"{table}.parquet" for table in tables.ORDERS))
"""The files of a run that a seal holds fast; with them what it cost, where its journal says that."""


@dataclass(frozen=True)
class Seal:
    """The hashes of a finished run."""

    files: dict[str, str]
    """sha256 by file name."""
    content: str
    """sha256 of what does not depend on clocks and does not quote texts: equal for equal experiments."""
    format: int = FORMAT
    identity: str = ""
    """Identity of the manifest that the run was sealed under; empty where an earlier version sealed it."""

    @classmethod
    def read(cls, folder: Path) -> Seal:
        """Read the seal of the run at *folder*.

        Raises:
            RunError: It is missing or not, byte for byte, what sealing writes.
        """
        path = folder / FILE
        if not path.is_file():
            raise RunError(
                f"{folder} is not sealed: the run is unfinished.", "Run the same command again to finish it."
            )
        try:
            raw = small(path)
            written = cls(**json_of(raw))
            whole = (
                written.text.encode() == raw
                and written.format == FORMAT
                and set(written.files) - {cost.FILE} == set(NAMES)
            )
        except (ValueError, TypeError) as error:
            raise RunError(f"{path} is not a seal.", "Restore it from a copy.") from error
        if not whole:
            raise RunError(f"{path} is not as it was written.", "Restore it from a copy.")
        return written

    @property
    def text(self) -> str:
        """Return the seal as it is written."""
        fields = {name: value for name, value in vars(self).items() if name != "identity" or value}
        return json.dumps(fields, indent=2) + "\n"

    def covered(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of *names* that it covers: an earlier version wrote fewer files."""
        return tuple(name for name in names if name in self.files)

    def altered(self, folder: Path, names: Iterable[str] | None = None) -> tuple[str, ...]:
        """Name those of the files of the run at *folder*, or of *names*, that are missing or not as sealed."""
        wanted = self.files if names is None else names
        return tuple(name for name in wanted if not self._holds(name, folder / name))

    def _holds(self, name: str, path: Path) -> bool:
        return path.is_file() and file_hash(path) == self.files.get(name)


def how_altered(folder: Path, names: Iterable[str]) -> str:
    """Say of files that are not as they were sealed which of them changed, and which are gone."""
    gone = [name for name in names if not (folder / name).is_file()]
    changed = [name for name in names if name not in gone]
    fates = ((changed, "changed"), (gone, "is gone" if len(gone) == 1 else "are gone"))
    return " and ".join(f"{', '.join(files)} {fate}" for files, fate in fates if files)


def sealed(folder: Path) -> bool:
    """Whether the run at *folder* is finished."""
    return (folder / FILE).is_file()


def seal(folder: Path, identity: str | None = None, known: Mapping[str, str] | None = None) -> Seal:
    """Write the tables of a finished journal and, last and atomically, the seal over all files.

    *identity* is what the seal says of the manifest, where it is not to be read from there; *known* are hashes of
    files that were read just now.

    Raises:
        RunError: The disk is full or fails.
    """
    import duckdb

    large = (folder / journal.FILE).stat().st_size > _LARGE
    with ExitStack() as stack:
        try:
            lines = stack.enter_context(parted(folder / journal.FILE, folder))
            if large:
                db = _made_in_little_room(lines, folder, stack)
            else:
                tables.make(db := stack.enter_context(connect()), lines, folder)
        except (OSError, duckdb.IOException) as error:
            raise RunError(f"Cannot write the tables of {folder}: {error}.", remedy(error)) from error
        except duckdb.Error as error:
            raise RunError(
                f"{folder / journal.FILE} makes no tables: {str(error).partition(chr(10))[0]}.",
                "Restore it from a copy, or move its folder away and run again.",
            ) from error
        content = content_hash(db, ordered=large)
        spent = cost.CostRecord.of(folder, lines.others)
    bound = manifest.Manifest.read(folder).identity if identity is None else identity
    if spent is not None:
        write_atomically(folder / cost.FILE, spent.text)
    names = NAMES if spent is None else (*NAMES, cost.FILE)
    sweep(*(folder / name for name in (manifest.FILE, cost.FILE, FILE)))
    known = known or {}
    files = {name: known.get(name) or file_hash(folder / name) for name in names}
    made = Seal(files=files, content=content, identity=bound)
    write_atomically(folder / FILE, made.text)
    return made


def _made_in_little_room(lines: PartedLines, folder: Path, stack: ExitStack) -> duckdb.DuckDBPyConnection:
    """Make the tables; with more memory where it is too little, for what cannot be sorted within it."""
    import duckdb

    room, most = _ROOM + _LINES * max(lines.longest_memory, lines.longest_other), 16
    for times in (1, 4, most):
        with ExitStack() as attempt:
            db = attempt.enter_context(overflowing(room * times))
            try:
                tables.make_in_little_room(db, lines, folder)
            except duckdb.OutOfMemoryException:
                if times == most:
                    raise
                continue
            stack.push(attempt.pop_all())
            break
    return db


@dataclass(frozen=True)
class ContentHashes:
    """What the tables of a run hold."""

    content: str
    """Without clock readings and texts."""
    clocked: str
    """Without texts alone."""


def content_hash(db: duckdb.DuckDBPyConnection, *, ordered: bool = False) -> str:
    """Hash the tables of a run without clock readings and texts; whether they are known to lie in their order."""
    return _whole({table: _table_hash(db, table, ordered=ordered) for table in tables.ORDERS})


def content_hashes(db: duckdb.DuckDBPyConnection, before: ContentHashes | None = None) -> ContentHashes:
    """Hash the tables of a run without clock readings and with them; a table that has none is read once.

    Tables that are with their clocks what others were *before* are the same without, and are not read again.
    """
    clocked = {table: _table_hash(db, table, clocks=True) for table in tables.ORDERS}
    if before and before.clocked == _whole(clocked):
        return before
    content = {table: _table_hash(db, table) for table in tables.ORDERS if tables.CONTENT[table] != "*"}
    return ContentHashes(_whole(clocked | content), _whole(clocked))


def _table_hash(db: duckdb.DuckDBPyConnection, table: str, *, clocks: bool = False, ordered: bool = False) -> str:
    content, between = hashlib.sha256(), ""
    rows = db.execute(tables.content_query(table, clocks=clocks, ordered=ordered))
    while portion := rows.fetchmany(_PORTION):
        content.update((between + "\n".join(row for (row,) in portion)).encode())
        between = "\n"
    return content.hexdigest()


def _whole(hashes: Mapping[str, str]) -> str:
    lines = (f"{table}={hashes[table]}\n" for table in sorted(hashes))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def file_hash(path: Path) -> str:
    """Hash a file's bytes."""
    digest = hashlib.sha256()
    with opened(path) as file:
        while portion := file.read(_PIECE):  # `hashlib.file_digest` clears a buffer of that size for every file
            digest.update(portion)
    return digest.hexdigest()
