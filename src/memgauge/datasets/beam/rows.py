"""BEAM as rows, one conversation each, as the Hugging Face hub publishes it: Parquet, JSON lines or one JSON list.

Of a row are read ``conversation_id``, ``chat`` and ``probing_questions``, which is a Python literal in a string.
Plans of a chat of ten million tokens are read from ``chat``; ``plans`` says the same again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import starmap
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, TypeAdapter

from memgauge.datasets.beam.batches import CheckedChat, batches_of
from memgauge.datasets.beam.schema import json_or_literal, probes_of
from memgauge.datasets.rowfile import stream_rows
from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.datasets.places import FieldPath

_COLUMNS: Final = ("conversation_id", "chat", "probing_questions")


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
        # Unlike the variable of a loop, map keeps nothing of the row before.
        chats = map(_UniqueConversations(), starmap(_placed_chat, stream_rows(self.path, _COLUMNS)))
        first = next(chats, None)
        if first is None:
            raise MalformedDataError(f"{self.path} holds no row: one conversation each is wanted.")
        yield first
        del first
        yield from chats


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


def _placed_chat(place: FieldPath, row: object) -> tuple[FieldPath, CheckedChat]:
    return place, _chat(place, row)


def _chat(place: FieldPath, row: object) -> CheckedChat:
    entry = place.checked(_ROW, row)
    batches = batches_of(place.at("chat"), entry.chat)
    asked = place.at("probing_questions")
    probes = entry.probing_questions
    if isinstance(probes, str):
        probes = json_or_literal(f"{place.file}: field $.probing_questions", probes)
    return CheckedChat(str(entry.conversation_id), batches, probes_of(asked, probes))
