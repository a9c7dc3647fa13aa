"""The reader of JSON: whatever is wrong with a text is one kind of error, which knows the place.

The library lets more through than its own errors: a number of ten thousand digits, brackets ten thousand deep, a
name that stands twice in an object, of which it keeps the last.
"""

from __future__ import annotations

import json
import math
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

DEPTH: Final = 100
"""How deep lists and objects may lie in each other; no format of ours comes near."""


@dataclass(frozen=True, slots=True)
class JsonLimits:
    """What a text of JSON may hold."""

    size: int = sys.maxsize
    """Characters, or bytes where bytes are read."""
    exact: bool = False
    """Refuse a name that stands twice in an object, and numbers that are none or infinite."""
    distinct: bool = False
    """Refuse a name that stands twice in an object, whatever numbers stand in it."""


FILE: Final = JsonLimits()
"""Files and messages, ours and those of others, where NaN stands as Python writes it."""
RESULTS: Final = JsonLimits(distinct=True)
"""Files of results, whose measures may be NaN, and in which nothing may be said twice."""
REPLY: Final = JsonLimits(size=1 << 20, exact=True)
"""What a model says: what can be read in two ways says nothing."""
IDENTITY: Final = JsonLimits(exact=True)
"""Small files that say what a thing is: read in two ways, they would name two things."""


def json_of(text: str | bytes, limits: JsonLimits = FILE) -> Any:
    """Read JSON.

    Raises:
        json.JSONDecodeError: It is none, lies too deep, holds a number with too many digits, or breaks *limits*.
        UnicodeDecodeError: Bytes that are no text.
    """
    size = len(text)
    if size > limits.size:
        raise json.JSONDecodeError(f"it is larger than {limits.size:,}", "", 0)
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    try:
        decoder = _EXACT if limits.exact else _DISTINCT if limits.distinct else None
        value = json.loads(text) if decoder is None else decoder.decode(text)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise _too_deep(text) from None
    except _Ambiguous as error:
        raise json.JSONDecodeError(str(error), text, 0) from None
    except ValueError:
        # The limit of the interpreter on digits, whose words are about the interpreter.
        raise json.JSONDecodeError("a number has too many digits", text, 0) from None
    if size > 2 * DEPTH and text.count("[") + text.count("{") > DEPTH and deeper(value):
        raise _too_deep(text)
    return value


def object_of(text: str | bytes, limits: JsonLimits = FILE) -> dict[str, Any] | None:
    """Read a JSON object; anything else is ``None``."""
    try:
        value = json_of(text, limits)
    except ValueError:  # also of bytes that are no text
        return None
    return value if isinstance(value, dict) else None


def object_within(text: str, limits: JsonLimits = REPLY) -> dict[str, Any]:
    """Read the one JSON object of a model's reply, perhaps inside a fence or after a sentence.

    Raises:
        json.JSONDecodeError: There is none, or it breaks *limits*.
    """
    match = _OBJECT.search(text)
    if match is None:
        raise json.JSONDecodeError("there is no JSON object", text, 0)
    value: dict[str, Any] = json_of(match[0], limits)
    return value


def json_file(path: Path, remedy: str = "Write it again.", limits: JsonLimits = FILE) -> Any:
    """Read a file of JSON.

    Raises:
        MalformedDataError: It is none; file, line and column are named.
        OSError: It cannot be opened.
    """
    try:
        return json_of(path.read_bytes(), limits)
    except json.JSONDecodeError as error:
        message = f"{path}:{error.lineno}: not JSON: {error.msg} at column {error.colno}."
        raise MalformedDataError(message, remedy) from error
    except UnicodeDecodeError as error:
        raise MalformedDataError(f"{path}: not text: {error}.", remedy) from error


def json_lines(path: Path, remedy: str = "Write one object a line.") -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of every line of a file that is not blank.

    Raises:
        MalformedDataError: A line is no JSON; file, line and column are named.
        OSError: The file cannot be opened.
    """
    with path.open("rb") as file:
        yield from json_rows(file, path, remedy)


def json_rows(
    lines: Iterable[str | bytes], path: Path, remedy: str, limits: JsonLimits = FILE
) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of every line that is not blank; only a newline may have parted them.

    Raises:
        MalformedDataError: A line is no JSON; file, line and column are named.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = json_of(line, limits)
        except json.JSONDecodeError as error:
            message = f"{path}:{number}: not JSON: {error.msg} at column {error.colno}."
            raise MalformedDataError(message, remedy) from error
        except UnicodeDecodeError as error:
            raise MalformedDataError(f"{path}:{number}: not text: {error}.", remedy) from error
        yield number, value


_OPENINGS: Final = 1_000
_STEEP: Final = re.compile(rb'(?:[\[{]\s*(?:"[^"]{0,64}"\s*:\s*)?){%d}' % _OPENINGS)
"""Openings one after the other, as no text has them that is read in a stream."""


class Streamed:
    """A file of JSON that is read in a stream; the libraries take time in the square of its depth."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle

    def read(self, size: int = -1) -> bytes:
        """Read the next bytes.

        Raises:
            json.JSONDecodeError: They open a thousand lists and objects at once.
        """
        chunk = self._handle.read(size)
        # Counted first, at a hundredth of the time: a chunk of prose opens too little to be searched.
        if chunk.count(b"[") + chunk.count(b"{") >= _OPENINGS and _STEEP.search(chunk):
            raise json.JSONDecodeError("it lies more than 1,000 deep", "", 0)
        return chunk


_OBJECT: Final = re.compile(r"\{.*\}", re.DOTALL)


class _Ambiguous(ValueError):  # noqa: N818 - what the text is, which becomes an error of the text
    """A text that can be read in two ways, or that holds what is no number."""


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        seen = set[str]()
        repeated_name = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value] # adds
        raise _Ambiguous(f"the name {repeated_name[:60]!r} stands twice")
    return value


def _finite(numeral: str) -> float:
    number = float(numeral)
    if not math.isfinite(number):
        raise _Ambiguous(f"{numeral[:60]} is no finite number")
    return number


_EXACT: Final = json.JSONDecoder(object_pairs_hook=_distinct, parse_float=_finite, parse_constant=_finite)
_DISTINCT: Final = json.JSONDecoder(object_pairs_hook=_distinct)


def _too_deep(text: str) -> json.JSONDecodeError:
    return json.JSONDecodeError(f"it lies more than {DEPTH} deep", text, 0)


def deeper(value: Any) -> bool:
    """Whether lists and objects lie deeper than is allowed; level by level, for recursion is what is avoided."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEPTH):
        level = [
            child
            for holder in level
            for child in (holder.values() if isinstance(holder, dict) else holder)
            if isinstance(child, (dict, list))  # a union would take three times as long
        ]
        if not level:
            return False
    return True
