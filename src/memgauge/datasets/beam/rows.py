"""BEAM as rows, one conversation each, as the Hugging Face hub publishes it: Parquet, JSON lines or one JSON list.

Of a row are read ``conversation_id``, ``chat`` and ``probing_questions``, which is a Python literal in a string.
Plans of a chat of ten million tokens are read from ``chat``; ``plans`` says the same again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from pydantic import BaseModel, JsonValue, TypeAdapter

from memgauge.datasets.beam.batches import CheckedChat, batches_of
from memgauge.datasets.beam.schema import json_or_literal, probes_of
from memgauge.datasets.places import FieldPath
from memgauge.errors import MalformedDataError
from memgauge.text.jsons import Streamed, json_of
from memgauge.text.parquet import TooMuchError, bounded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

_CHUNK = 1 << 16
_PARQUET = b"PAR1"
"""How a Parquet file begins."""
_COUNT_ROWS = "SELECT count(*) FROM read_parquet(?)"
_SELECT_ROW = """
SELECT conversation_id, chat, probing_questions
FROM read_parquet(?, file_row_number = true) WHERE file_row_number = ?
"""


class RowEntry(BaseModel):
    """One row, as far as it is read."""

    conversation_id: str | int
    chat: object
    probing_questions: object


_ROW = TypeAdapter(RowEntry)


@dataclass(frozen=True)
class RowFile:
    """A file of rows."""

    path: Path

    def chats(self) -> Iterator[CheckedChat]:
        """Read row by row.

        Raises:
            MalformedDataError: A row is broken, names a conversation again, or there is none.
        """
        with self.path.open("rb") as handle:
            # Unlike the variable of a loop, map and filter keep nothing of the row before.
            chats = map(_UniqueConversations(), self._rows(handle))
            first = next(chats, None)
            if first is None:
                raise MalformedDataError(f"{self.path} holds no row: one conversation each is wanted.")
            yield first
            del first
            yield from chats

    def _rows(self, handle: BinaryIO) -> Iterator[tuple[FieldPath, CheckedChat]]:
        start = handle.read(_CHUNK)
        handle.seek(0)
        if start.startswith(_PARQUET):
            return map(partial(_of_item, self.path), count(), _parquet_rows(self.path))
        if start.lstrip().startswith(b"["):
            return map(partial(_of_item, self.path), count(), _items(self.path, handle))
        return filter(None, map(partial(_of_line, self.path), count(1), handle))


@dataclass
class _UniqueConversations:
    """Refuse a conversation that was there before: a file of several sizes counts each from 1."""

    seen: dict[str, FieldPath] = field(default_factory=dict)

    def __call__(self, row: tuple[FieldPath, CheckedChat]) -> CheckedChat:
        place, chat = row
        if before := self.seen.get(chat.name):
            again = f"{chat.name!r} is also the conversation of {before.file}"
            raise place.at("conversation_id").wrong(again, "Keep one size a file.")
        self.seen[chat.name] = place
        return chat


def _of_line(path: Path, number: int, line: bytes) -> tuple[FieldPath, CheckedChat] | None:
    if not line.strip():
        return None
    place = FieldPath(f"{path}, line {number}")
    try:
        row = json_of(line)
    except ValueError as error:
        raise MalformedDataError(f"{place.file} is not JSON: {error}.", "Fetch it again.") from error
    return place, _chat(place, row)


def _of_item(path: Path, number: int, item: object) -> tuple[FieldPath, CheckedChat]:
    place = FieldPath(f"{path}, row {number} (counted from 0)")
    return place, _chat(place, item)


def _chat(place: FieldPath, row: object) -> CheckedChat:
    entry = place.checked(_ROW, row)
    batches = batches_of(place.at("chat"), entry.chat)
    asked = place.at("probing_questions")
    probes = entry.probing_questions
    if isinstance(probes, str):
        probes = json_or_literal(f"{place.file}: field $.probing_questions", probes)
    return CheckedChat(str(entry.conversation_id), batches, probes_of(asked, probes))


def _items(path: Path, handle: BinaryIO) -> Iterator[JsonValue]:
    import ijson

    try:
        yield from ijson.items(Streamed(handle), "item", use_float=True, buf_size=_CHUNK)
    except (ijson.JSONError, ValueError) as error:
        why = " ".join(str(error).split())
        raise MalformedDataError(
            f"{path} is not JSON before byte {handle.tell():,}: {why}.", "Fetch it again."
        ) from error


def _parquet_rows(path: Path) -> Iterator[object]:
    """Yield the columns that are read of every row, as objects of JSON.

    The engine unpacks whole row groups, so that memory grows with them; lines of JSON need that of one chat only.
    """
    import duckdb

    try:
        bounded(path)
        with duckdb.connect() as db:
            (rows,) = db.execute(_COUNT_ROWS, [str(path)]).fetchall()[0]
            for row in range(rows):
                # Asked for one by one, for the engine holds the whole of what it has columns.
                columns = db.execute(_SELECT_ROW, [str(path), row])
                names = [name for name, *_ in columns.description or ()]
                yield dict(zip(names, columns.fetchall()[0], strict=True))
    except (duckdb.Error, UnicodeDecodeError, TooMuchError) as error:
        # The engine quotes spoilt names, and cannot spell them.
        why = str(error).partition("\n")[0]
        raise MalformedDataError(f"{path} cannot be read as rows of Parquet: {why}.", "Fetch it again.") from error
