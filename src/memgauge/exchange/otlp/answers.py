"""What a model answered, in the words of several emitters, and the longest run that a record shares with it.

On their way through the disk texts are numbers, one a word, so that no word of anybody is written.
"""

from __future__ import annotations

import re
import zlib
from array import array
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final

from memgauge.exchange.traffic.rows import TRACEABLE
from memgauge.text.jsons import json_of
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.exchange.otlp.spans import TracedSpan

_MESSAGES: Final = "gen_ai.output.messages"
_PLACES: Final = ("llm.output_messages.", "gen_ai.completion.")
"""How attributes begin that hold one message each, with its place in the name."""
_PLACED: Final = re.compile(r"(?:llm\.output_messages\.\d+\.message|gen_ai\.completion\.\d+)\.content").fullmatch
_EVENTS: Final = {
    "gen_ai.client.inference.operation.details": _MESSAGES,
    "gen_ai.choice": "message",
    "gen_ai.content.completion": "gen_ai.completion",
}
"""Events that hold what was answered, and their attribute."""
_SAID: Final = None, "text", "output_text"
"""Kinds of parts that are words for the user, and no call of a tool."""
_SPEAKERS: Final = None, "assistant", "model"
_MODELS: Final = "gen_ai.response.model", "gen_ai.request.model", "llm.model_name"
_TRACES: Final = (
    b"output.messages",
    b"output_messages",
    b"gen_ai.completion",
    b"gen_ai.choice",
    b"operation.details",
)
"""What a file has somewhere that holds an answer."""
_PACKED: Final = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
"""How files begin that gzip or zstd packed."""
_PIECE: Final = 1 << 20
_DEPTH: Final = 8
_MOST: Final = 1 << 15
"""Words of an answer that are looked through."""


def may_answer(path: Path) -> bool:
    """Say whether a file may hold an answer, so that records need not be made numbers where none does.

    A file that cannot be read holds none; whoever reads it says why it cannot.
    """
    try:
        with path.open("rb") as file:
            overlap = file.read(4)
            if overlap.startswith(_PACKED):
                return True
            while piece := file.read(_PIECE):
                window = overlap + piece
                if any(trace in window for trace in _TRACES):
                    return True
                overlap = piece[-64:]
    except OSError:
        return False
    return False


def answer_of(span: TracedSpan) -> str:
    """Return what a span says that a model answered; empty where it says nothing of it."""
    attributes = span.attributes
    messages = [attributes[_MESSAGES]] if _MESSAGES in attributes else []
    messages += [attributes[name] for name in attributes if name.startswith(_PLACES) and _PLACED(name)]
    messages += [event.attributes.get(_EVENTS[event.name]) for event in span.events if event.name in _EVENTS]
    return "\n".join(text for value in messages for text in _texts(_parsed(value), _DEPTH)) if messages else ""


def model_of(span: TracedSpan) -> str:
    """Name the model that a span asked; one that embeds answers nothing."""
    if span.attributes.get("gen_ai.operation.name") == "embeddings":
        return ""
    names = (span.attributes.get(name) for name in _MODELS)
    return next((name for name in names if isinstance(name, str) and name), "")


def words_of(text: str, salt: int) -> bytes:
    """Spell a text as numbers, one a word; equal words are equal numbers under one *salt*."""
    return array("I", [zlib.crc32(word.encode("utf-8", "replace"), salt) for word in tokenize(text)]).tobytes()


def longest_runs(texts: Sequence[bytes | None], answers: Sequence[bytes]) -> list[int | None]:
    """Return the words of the longest run that each text shares with any of some answers.

    It is unknown of a text of fewer words than a run has that says anything, and without an answer.
    """
    word_numbers = [None if text is None else _numbers(text) for text in texts]
    runs: list[int | None] = [
        0 if answers and words is not None and len(words) >= TRACEABLE else None for words in word_numbers
    ]
    for answer in answers:
        matcher = SequenceMatcher(None, (), _numbers(answer)[:_MOST], autojunk=False)
        for place, words in enumerate(word_numbers):
            if words is not None and (longest := runs[place]) is not None:
                matcher.set_seq1(words)
                runs[place] = max(longest, matcher.find_longest_match().size)
    return runs


def _numbers(words: bytes) -> array[int]:
    numbers = array("I")
    numbers.frombytes(words)
    return numbers


def _parsed(value: Any) -> Any:
    """Read a text of JSON as what it holds; any other text is what was answered."""
    if isinstance(value, str) and value[:1] in {"[", "{"}:
        try:
            return json_of(value)
        except ValueError:
            return value
    return value


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Yield the words for the user in a message, in its parts, or in a list of either."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth:
        for part in value:
            yield from _texts(part, depth - 1)
    elif isinstance(value, dict) and depth and value.get("role") in _SPEAKERS and value.get("type") in _SAID:
        for name in ("content", "text", "parts", "message"):
            yield from _texts(value.get(name), depth - 1)
