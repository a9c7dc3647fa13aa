"""Pages of an SQLite file: which rows can be read, which pages are free, and what else holds bytes.

A file is read as bytes and never opened: nothing that is looked at is changed, checkpointed or locked.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC: Final = b"SQLite format 3\0"
_WAL_MAGIC: Final = (0x377F0682, 0x377F0683)
_WAL_HEADER, _FRAME_HEADER = 32, 24
_MOST_ROWS: Final = 1_000_000


def page_size(data: bytes) -> int:
    """Return the bytes of a page, 0 where *data* is no SQLite file."""
    if not data.startswith(MAGIC) or len(data) < 100:
        return 0
    size = int.from_bytes(data[16:18], "big")
    return 65_536 if size == 1 else size


def free_pages(data: bytes) -> frozenset[int]:
    """Return the numbers of the pages on the list of free ones, counted from 1."""
    size, trunk = page_size(data), int.from_bytes(data[32:36], "big")
    free: set[int] = set()
    while size and trunk and trunk not in free and trunk * size <= len(data):
        free.add(trunk)
        page = data[(trunk - 1) * size : trunk * size]
        count = min(int.from_bytes(page[4:8], "big"), size // 4 - 2)
        free |= {int.from_bytes(page[8 + 4 * n : 12 + 4 * n], "big") for n in range(count)}
        trunk = int.from_bytes(page[:4], "big")
    return frozenset(free)


def with_log(data: bytes, log: bytes) -> bytes:
    """Return a database as a reader sees it: with the committed pages of its write-ahead log."""
    size = page_size(data)
    if not size or len(log) < _WAL_HEADER or int.from_bytes(log[:4], "big") not in _WAL_MAGIC:
        return data
    salt, waiting, pages = log[16:24], dict[int, bytes](), dict[int, bytes]()
    for start in range(_WAL_HEADER, len(log) - _FRAME_HEADER - size + 1, _FRAME_HEADER + size):
        head = log[start : start + _FRAME_HEADER]
        if head[8:16] != salt:
            break  # what an earlier round of the log left behind
        waiting[int.from_bytes(head[:4], "big")] = log[start + _FRAME_HEADER : start + _FRAME_HEADER + size]
        if int.from_bytes(head[4:8], "big"):
            pages |= waiting
            waiting.clear()
    whole = bytearray(data)
    for number, page in sorted(pages.items()):
        if len(whole) < number * size:
            whole.extend(bytes(number * size - len(whole)))
        whole[(number - 1) * size : number * size] = page
    return bytes(whole)


def rows(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield every row that can be read, as the table's name and the bytes of its cells; nothing where none can."""
    if not page_size(data):
        return
    plain = data[:18] + b"\1\1" + data[20:]  # as if it had no log, which a database in memory cannot have
    with closing(sqlite3.connect(":memory:")) as database, suppress(*_BROKEN):
        database.deserialize(plain)
        database.text_factory = bytes
        tables = [name.decode("utf-8", "replace") for (name,) in database.execute(_TABLES)]
        for table in tables:
            quoted = table.replace('"', '""')
            with suppress(*_BROKEN):  # a virtual table of a module that is not here; its shadows are read
                for row in database.execute(f'SELECT * FROM "{quoted}" LIMIT {_MOST_ROWS}'):  # noqa: S608 - a name of its own
                    yield table, b"\n".join(map(_bytes, row))


_BROKEN: Final = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file comes to: what SQLite says of it may quote bytes that are no text."""
_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"


def _bytes(cell: object) -> bytes:
    return cell if isinstance(cell, bytes) else str(cell).encode()
