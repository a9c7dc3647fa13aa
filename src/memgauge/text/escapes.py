"""Escapes: single characters that a text writes by their numbers, and what the text around them then says."""

from __future__ import annotations

import html
import quopri
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_ESCAPE = re.compile(
    r"\\u(?:\{(?P<any>[0-9a-fA-F]{1,6})\}|(?P<four>[0-9a-fA-F]{4}))|\\x(?P<two>[0-9a-fA-F]{2})|"
    r"\\(?P<eight>[0-7]{3})|\\+(?P<quote>\")"
)
_RTF = re.compile(rb"\\u(?P<point>-?\d{3,5}) ?\?|\\'(?P<byte>[0-9a-fA-F]{2})")
"""Letters of RTF: by their number in Unicode, or a byte of a character set that it names elsewhere."""
_HALVES = re.compile("[\ud800-\udfff]")


def unescaped(text: str) -> str:
    """Return *text* with the characters that HTML and JSON write by their numbers."""
    if "&" in text:
        text = html.unescape(text)
    if "\\" not in text:
        return text
    text = _ESCAPE.sub(_character, text)  # JSON writes what lies beyond the first plane as two halves
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if _HALVES.search(text) else text


def _rtf_character(match: re.Match[bytes]) -> bytes:
    if match["byte"]:
        return bytes.fromhex(match["byte"].decode())
    return chr(int(match["point"]) % 0x10000).encode("utf-8", "replace")


def _character(match: re.Match[str]) -> str:
    if match["quote"]:
        return match["quote"]
    hexadecimal = match["any"] or match["four"] or match["two"]
    point = int(hexadecimal, 16) if hexadecimal else int(match["eight"], 8)
    return chr(point) if point < 0x110000 else match[0]


def spaced_words(data: bytes) -> bytes:
    """Read the underscores of a header as the spaces that they are: a number or a day may stand between them."""
    return quopri.decodestring(data, header=True)


CHANGES: Mapping[str, tuple[re.Pattern[bytes], Callable[[bytes], Iterable[bytes]]]] = {
    "percent signs": (re.compile(rb"%[0-9A-Fa-f]{2}"), lambda part: [unquote_to_bytes(part)]),
    "quoted-printable": (
        re.compile(rb"=(?:[0-9A-Fa-f]{2}|[ \t]*\r?\n|[\r?=])"),
        lambda part: [quopri.decodestring(part), spaced_words(part)],
    ),
    "RTF": (_RTF, lambda part: [_RTF.sub(_rtf_character, part)]),
    "escapes": (
        re.compile(rb"&[#A-Za-z]|\\(?:[ux]|[0-7]{3}|\\*\")"),
        lambda part: [unescaped(part.decode("utf-8", "replace")).encode("utf-8", "replace")],
    ),
}
"""What changes single characters: by what it is seen, and what the text around it then says."""
