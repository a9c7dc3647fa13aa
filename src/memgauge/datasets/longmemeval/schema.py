"""The shape of LongMemEval's files, read one record at a time."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pydantic import BaseModel, TypeAdapter, model_validator

from memgauge.datasets.places import FieldPath
from memgauge.errors import MalformedDataError
from memgauge.text.json_stream import UnsureError, objects_of
from memgauge.text.jsons import Streamed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO, Self

_CHUNK = 1 << 16


class LongMemEvalTurn(BaseModel):
    """One message."""

    role: str
    content: str
    has_answer: bool | None = None
    """Present on every message of an evidence session, absent elsewhere: only ``True`` marks evidence."""


class RecordEntry(BaseModel):
    """One question with a haystack of its own."""

    question_id: str
    question_type: str
    question: str
    answer: str | int | float
    question_date: str
    haystack_dates: list[str]
    haystack_session_ids: list[str]
    haystack_sessions: list[list[LongMemEvalTurn]]
    answer_session_ids: list[str]

    @model_validator(mode="after")
    def _parallel(self) -> Self:
        sizes = {len(self.haystack_dates), len(self.haystack_session_ids), len(self.haystack_sessions)}
        if len(sizes) != 1:
            raise ValueError("haystack_dates, haystack_session_ids and haystack_sessions differ in length")
        return self


_RECORD = TypeAdapter(RecordEntry)


def stream_records(path: Path) -> Iterator[RecordEntry]:
    """Yield the records of *path* one by one; only one is held at a time.

    Raises:
        MalformedDataError: The file is not a JSON list of records; the message names the record and the place.
    """
    with path.open("rb") as handle:
        position = -1
        for position, entry in enumerate(_objects(path, handle)):
            yield FieldPath(str(path), (position,)).checked(_RECORD, entry)
        if position < 0:
            raise MalformedDataError(
                f"{path} holds no record: a JSON list of objects is wanted.", "Fetch it again."
            )


def _objects(path: Path, handle: BinaryIO) -> Iterator[object]:
    """Cut records out of the file as long as they are plainly that, and leave all others to the strict reader."""
    done = 0
    try:
        for entry in objects_of(handle):
            yield entry
            done += 1
    except UnsureError:
        handle.seek(0)
        yield from islice(_entries(path, handle), done, None)


def _entries(path: Path, handle: BinaryIO) -> Iterator[object]:
    import ijson

    done = 0
    try:
        for entry in ijson.items(Streamed(handle), "item", use_float=True, buf_size=_CHUNK):
            yield entry
            done += 1
    except (ijson.JSONError, ValueError) as error:
        # The reader works in chunks, so the exact byte is not known.
        high = handle.tell()
        where = f"record {done} (counted from 0), between bytes {max(0, high - _CHUNK):,} and {high:,}"
        raise MalformedDataError(
            f"{path} is not JSON: {where}: {' '.join(str(error).split())}.",
            "Fetch the file again.",
        ) from error
