"""Strings from elsewhere, made to say what they say and do nothing: on terminals, in markup, in spreadsheets."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

OBEYED: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"
    r"\U000e0000-\U000e007f]"
)
"""What a terminal obeys, XML forbids, turns the order of a line around, or hides letters: never shown as it is."""
LONGEST: Final = 1_200
"""Characters of a text from data that a page shows at once."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%")
"""What a spreadsheet may take for the beginning of a formula."""
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""A number as spreadsheets read it too; Python also takes `-inf` and `-1_0` for one."""
_MARKDOWN: Final = re.compile(r"([\\`*_\[\]|~#])")
_MARKUP: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": " ", "\t": " "})
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})


def clean(text: str) -> str:
    """Replace every character of :data:`OBEYED`; keep line ends and tabs."""
    return OBEYED.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    """Set a text from elsewhere in one line: in a cell or a head it would break the lines of its neighbours."""
    return " ".join(text.split()) if "\n" in text or "\t" in text else text


def plain_line(text: str) -> str:
    """Return a text from elsewhere as one harmless line."""
    return clean(" ".join(text.split()))


def name_line(text: str) -> str:
    """Return what somebody calls a run or a memory as one harmless line, for it stands in sentences and cells."""
    return plain_line(text) or "(without a name)"


def visible(text: str) -> str:
    """Write characters that a terminal or a page would obey, or that nobody sees, as what they are."""
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in _HIDDEN else _named(c) for c in text)


def shorten(text: str) -> str:
    """Cut a very long text and say by how much."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… (and {len(text) - LONGEST:,} characters more)"


def harmless(text: str) -> str:
    """Return what a spreadsheet shows as it is: a text that looks like a formula gets an apostrophe before it."""
    text = clean(text)
    if not text.lstrip(" ").startswith(_FORMULA) or _NUMBER.fullmatch(text):
        return text
    return f"'{text}"


def escape(text: str) -> str:
    """Make *text* mean itself in Markdown, inside a table cell too."""
    return _MARKDOWN.sub(r"\\\1", clean(text).translate(_MARKUP))


def _named(character: str) -> str:
    point = ord(character)
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
