"""How rows are spelt as lines of JSON: many in one go, and long plain texts without looking for what to escape."""

from __future__ import annotations

import json
import json.encoder
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_LINES: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
# In C where the library has it there; what spells rows calls the same.
quoted: Final[Callable[[str], str]] = json.encoder.encode_basestring
"""Spells one text as the encoder does."""
_PORTION: Final = 128
"""Rows that are spelt at a time."""
_LONG: Final = 200
"""Letters from which on a text is worth being left out and put in its place again."""
_PLAIN: Final = bytes(sorted(set(range(0x20, 0x100)) - set(b'"\\')))
"""Bytes of UTF-8 that stand for themselves in JSON."""
_COMMON_MARKS: Final = b'"\\\n'
_PLACE: Final = '"text":null'
"""Where a text was left out; inside of a text there would be a backslash before each of its marks."""
_BETWEEN, _LINE_END = '},{"t":"', '}\n{"t":"'


def encode(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Serialise rows, one JSON line each; numbers that are no numbers are refused.

    Half a surrogate pair, which no UTF-8 can hold, becomes a question mark.
    """
    source, lines = iter(rows), list[str]()
    while portion := list(islice(source, _PORTION)):
        lines += (_together(portion) if len(portion) > 1 else None) or map(_alone, portion)
    return "".join(lines).encode("utf-8", "replace")


def utf8(text: str) -> bytes:
    """Write text as bytes; half a surrogate pair, which no UTF-8 can hold, becomes a question mark."""
    return text.encode("utf-8", "replace")


def quoted_bytes(text: bytes) -> bytes:
    """Spell one text, which is UTF-8 and may be long."""
    marks = text.translate(None, _PLAIN)
    if marks.translate(None, _COMMON_MARKS):
        return quoted(text.decode()).encode()
    if marks:
        text = text.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"%b"' % text


def _alone(row: Mapping[str, Any]) -> str:
    return _LINES.encode(row) + "\n"


def _is_plain(text: str) -> bool:
    return not text.encode("utf-8", "replace").translate(None, _PLAIN)


def _together(rows: Sequence[Mapping[str, Any]]) -> list[str] | None:
    """Spell rows as one list, which is then cut into lines; ``None`` where it is not plain where to cut."""
    texts: list[str] = []
    shortened: list[Mapping[str, Any]] = []
    for row in rows:
        if next(iter(row), None) != "t" or not isinstance(row["t"], str):
            return None
        text = row.get("text")
        if type(text) is str and len(text) >= _LONG and _is_plain(text):
            texts.append(text)
            shortened.append({**row, "text": None})
        else:
            shortened.append(row)
    spelt = _LINES.encode(shortened)[1:-1].replace(_BETWEEN, _LINE_END)
    pieces = spelt.split(_PLACE)
    if spelt.count("\n") != len(rows) - 1 or len(pieces) != len(texts) + 1:
        return None
    lines = pieces[:1]
    for text, piece in zip(texts, pieces[1:], strict=True):
        lines += ('"text":"', text, '"', piece)
    return [*lines, "\n"]
