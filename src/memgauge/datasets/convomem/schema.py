"""The shape of a file of ConvoMem: test cases; what says where evidence lies is not read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pydantic import AliasChoices, Field, TypeAdapter

from memgauge.datasets.places import FieldPath
from memgauge.datasets.strict import StrictEntry
from memgauge.errors import MalformedDataError
from memgauge.text.jsons import Streamed, json_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CHUNK: Final = 1 << 16


class MessageEntry(StrictEntry):
    """One message."""

    speaker: str
    text: str


class ConversationEntry(StrictEntry):
    """One chat; ``containsEvidence`` beside it is left where it is."""

    messages: list[MessageEntry]
    id: str = ""


class EvidenceItem(StrictEntry):
    """One question with the messages that answer it."""

    question: str
    answer: str
    message_evidences: list[MessageEntry]
    conversations: list[ConversationEntry] = Field(default_factory=list)


class TestCaseEntry(StrictEntry):
    """Questions about the same chats."""

    __test__ = False

    items: list[EvidenceItem] = Field(validation_alias=AliasChoices("evidenceItems", "evidence_items"))
    conversations: list[ConversationEntry] = Field(default_factory=list)
    context_size: int | None = Field(None, validation_alias=AliasChoices("contextSize", "context_size"))

    def chats(self) -> list[ConversationEntry]:
        """Return the chats, or those of its questions, each once, where it has none of its own."""
        if self.conversations:
            return self.conversations
        distinct = {
            tuple((m.speaker, m.text) for m in chat.messages): chat for i in self.items for chat in i.conversations
        }
        return list(distinct.values())


_CASE = TypeAdapter(TestCaseEntry)


def stream_cases(path: Path) -> Iterator[tuple[FieldPath, TestCaseEntry]]:
    """Yield each test case of a file with its place; of a list no more than one is held.

    Raises:
        MalformedDataError: It is not JSON, or a field is not what it must be; the message names the place.
    """
    place = FieldPath(str(path))
    with path.open("rb") as handle:
        if not handle.read(_CHUNK).lstrip().startswith(b"["):
            yield place, place.checked(_CASE, json_file(path, "Fetch it again."))
            return
    yield from map(partial(_checked, place), enumerate(_items(path)))


def _checked(place: FieldPath, numbered: tuple[int, Any]) -> tuple[FieldPath, TestCaseEntry]:
    field = place.at(numbered[0])
    return field, field.checked(_CASE, numbered[1])


def _items(path: Path) -> Iterator[Any]:
    import ijson

    with path.open("rb") as handle:
        try:
            yield from ijson.items(Streamed(handle), "item", use_float=True, buf_size=_CHUNK)
        except (ijson.JSONError, ValueError) as error:
            why = " ".join(str(error).split())
            raise MalformedDataError(f"{path} is not JSON: {why}.", "Fetch it again.") from error
