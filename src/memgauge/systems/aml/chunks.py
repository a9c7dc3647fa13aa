"""Cut a session into Adds as the platform does: 20 messages or 2,000 words, after a message or a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from memgauge.systems.aml.contract import CHUNK_MESSAGES, CHUNK_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WORD: Final = re.compile(r"\s*\S+\s*")
_END: Final = re.compile(r"[.!?。！？]\s|\n$")  # noqa: RUF001 - ends of sentences in Chinese
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - conversations have local times, which are sent as they are
_MILLISECOND: Final = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class AddMessage:
    """One message of an Add."""

    role: str
    content: str
    at: datetime | None = None

    @property
    def words(self) -> int:
        """Count what white space parts."""
        return len(self.content.split())

    def plain(self) -> dict[str, Any]:
        """Spell it as it is sent; without a time there is no time."""
        spelled: dict[str, Any] = {"role": self.role, "content": self.content}
        return spelled if self.at is None else spelled | {"timestamp": milliseconds(self.at)}


def milliseconds(at: datetime) -> int:
    """Write a time as Unix milliseconds."""
    return (at - _EPOCH) // _MILLISECOND


def time_of(value: object) -> datetime | None:
    """Read Unix milliseconds; what no calendar has, and what is no number, is no time."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return _EPOCH + timedelta(milliseconds=value)
    except (OverflowError, ValueError):  # ValueError: of what is no number
        return None


def chunks(
    messages: Iterable[AddMessage], most: int = CHUNK_MESSAGES, words: int = CHUNK_WORDS
) -> Iterator[tuple[AddMessage, ...]]:
    """Yield the Adds of one session, in order; nothing is lost and nothing said twice."""
    chunk: list[AddMessage] = []
    size = 0
    for message in messages:
        for piece in _pieces(message, words):
            if chunk and (len(chunk) == most or size + piece.words > words):
                yield tuple(chunk)
                chunk, size = [], 0
            chunk.append(piece)
            size += piece.words
    if chunk:
        yield tuple(chunk)


def _pieces(message: AddMessage, words: int) -> Iterator[AddMessage]:
    """Cut a message that is too long for one Add after a sentence, and a sentence that is after a word."""
    if message.words <= words:
        yield message
        return
    begun: list[str] = []
    size = 0
    for sentence in _sentences(message.content, words):
        length = len(sentence.split())
        if begun and size + length > words:
            yield replace(message, content="".join(begun))
            begun, size = [], 0
        begun.append(sentence)
        size += length
    yield replace(message, content="".join(begun))


def _sentences(text: str, words: int) -> Iterator[str]:
    """Yield sentences and lines with the white space about them, none of more than so many words."""
    begun: list[str] = []
    for word in _WORD.findall(text):
        begun.append(word)
        if len(begun) == words or _END.search(word):
            yield "".join(begun)
            begun = []
    if begun:
        yield "".join(begun)
