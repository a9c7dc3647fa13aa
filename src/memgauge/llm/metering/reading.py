"""What a reply says of tokens, read while it passes: of one object, or of a stream of events."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from memgauge.metering import CostSource
from memgauge.text.jsons import object_of
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST: Final = 1 << 26
"""Bytes of a reply that are held to be read, or of one event of a stream."""
MOST: Final = 10**9
"""Tokens of one call; more than that is no count."""
_IN: Final = ("prompt_tokens", "input_tokens")
_OUT: Final = ("completion_tokens", "output_tokens")
_WRITTEN: Final = ("content", "reasoning_content", "refusal", "text")


@dataclass(frozen=True, slots=True)
class TokenCount:
    """A number of tokens, and who says so."""

    value: int | None = None
    source: CostSource = CostSource.UNAVAILABLE

    @classmethod
    def counted(cls, value: int) -> TokenCount:
        """Take what was counted here."""
        return cls(value, CostSource.COUNTED)


UNKNOWN: Final = TokenCount()
NOTHING: Final = TokenCount.counted(0)


@dataclass
class ReplyReader:
    """Reads a reply as it passes; of a stream it holds no more than the event that is under way."""

    legible: bool = True
    """Whether everything so far could be read."""
    done: bool = False
    """Whether a stream said that nothing more comes."""
    _chosen: bool = False
    """Whether a stream brought parts of a choice."""
    _finished: bool = False
    """Whether one of them said why it ended."""
    _held: bytearray = field(default_factory=bytearray)
    _events: bool | None = None
    """Whether it is a stream of events, as soon as its first byte shows that."""
    _usage: Mapping[str, Any] = field(default_factory=dict)
    _characters: int = 0
    """Of everything that was written."""
    _read: bool = False
    """Whether there was anything to read."""

    def feed(self, part: bytes) -> None:
        """Read what has come."""
        self._held += part
        if self._events is None and (begun := self._held.lstrip()):
            self._events = not begun.startswith((b"{", b"["))
        if self._events:
            *lines, rest = self._held.split(b"\n")
            self._held = rest
            for line in lines:
                self._take_event(bytes(line))
        if len(self._held) > LARGEST:
            self.legible = False
            self._held.clear()

    def end(self, *, whole: bool = True) -> None:
        """Read what is left; of a stream that broke off, whatever came before its last event."""
        rest, self._held = bytes(self._held), bytearray()
        if not self._events:
            self._take(object_of(rest))
        elif whole:
            self._take_event(rest)
        self.legible &= self._read

    @property
    def open_ended(self) -> bool:
        """Whether a stream of choices ended without a word of its end: the connection broke off."""
        return bool(self._events) and self._chosen and not (self.done or self._finished)

    def _take_event(self, line: bytes) -> None:
        name, _, content = line.partition(b":")
        content = content.strip()
        if name != b"data" or not content:
            return
        if content == b"[DONE]":
            self.done = True
        else:
            self._take(object_of(content))

    def _take(self, message: Mapping[str, Any] | None) -> None:
        if message is None:
            self.legible = False
            return
        self._read = True
        if isinstance(message.get("usage"), dict):
            self._usage = message["usage"]
        choices = message.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            self._chosen = True
            self._finished |= isinstance(choice, dict) and bool(choice.get("finish_reason"))
            self._characters += sum(map(len, _texts(choice)))

    def taken(self) -> TokenCount | None:
        """Return what the server says that it read; ``None`` where it says nothing that can be."""
        return _reported(self._usage, _IN)

    def written(self) -> TokenCount:
        """Return how much was written: as the server says, else as it was counted, else unknown."""
        if reported := _reported(self._usage, _OUT):
            return reported
        return TokenCount.counted(-(-self._characters // 4)) if self.legible else UNKNOWN


def sent_tokens(body: Mapping[str, Any] | None) -> TokenCount:
    """Count what a request hands over; unknown where it holds more than texts, or is none."""
    if body is None:
        return UNKNOWN
    sent = body.get("input", body.get("messages", body.get("prompt")))
    given = sent if isinstance(sent, list) else [sent]
    counts = [_tokens_of(each) for each in given]
    if sent is None or None in counts:
        return UNKNOWN
    tools = count_tokens(json.dumps(body["tools"])) if body.get("tools") else 0
    return TokenCount.counted(tools + sum(count for count in counts if count is not None))


def _tokens_of(given: object) -> int | None:
    """Count a text, a message, a token or a list of tokens; ``None`` is what cannot be counted."""
    if isinstance(given, str):
        return count_tokens(given)
    if isinstance(given, dict):
        called = [text for call in _list(given.get("tool_calls")) for text in _called(call)]
        parts = [_part(part) for part in _list(given.get("content"))]
        if not called and not parts:
            return None
        return None if None in parts else sum(map(count_tokens, [*called, *(part for part in parts if part)]))
    if isinstance(given, list):
        return len(given) if all(type(token) is int for token in given) else None
    return 1 if type(given) is int else None


def _part(part: object) -> str | None:
    """Return the text of a part of a message; ``None`` where it is a picture or a sound."""
    if isinstance(part, dict):
        return part["text"] if isinstance(part.get("text"), str) else None
    return part if isinstance(part, str) else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _texts(choice: object) -> list[str]:
    """List what one choice of a reply, or of a piece of one, wrote."""
    if not isinstance(choice, dict):
        return []
    message = choice.get("delta") or choice.get("message") or choice
    if not isinstance(message, dict):
        return []
    plain = [message[name] for name in _WRITTEN if isinstance(message.get(name), str)]
    return plain + [text for call in _list(message.get("tool_calls")) for text in _called(call)]


def _called(call: object) -> list[str]:
    function = call.get("function") if isinstance(call, dict) else None
    named = [function.get("name"), function.get("arguments")] if isinstance(function, dict) else []
    return [text for text in named if isinstance(text, str)]


def _reported(usage: Mapping[str, Any], names: tuple[str, ...]) -> TokenCount | None:
    values = [usage[name] for name in names if name in usage]
    good = bool(values) and type(values[0]) is int and 0 <= values[0] <= MOST
    return TokenCount(values[0], CostSource.REPORTED) if good else None
