"""Encodings: a value as the bytes by which files may hold it, each form by its name."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

PLAIN: Final = "plain text"
FOLDED: Final = "other case"
"""To be looked for where all is in small letters."""
_WIDE: Final = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "cp500")
_LEAST: Final = 6
"""Bytes that are not met by chance."""


def encodings(value: str) -> Mapping[str, frozenset[bytes]]:
    """Return *value* as UTF-8, folded, UTF-16, UTF-32, EBCDIC, in JSON and in base64 at each of its alignments."""
    utf8 = value.encode()
    forms = {PLAIN: {utf8}, FOLDED: {value.casefold().encode()}}
    forms |= {coding.upper(): _encoded(value, coding) for coding in _WIDE}
    forms["escapes"] = {json.dumps(value)[1:-1].encode()}
    forms["base64"] = {_middle(utf8, shift) for shift in range(3)}
    return {form: frozenset(code for code in codes if len(code) >= _LEAST) for form, codes in forms.items()}


def _encoded(value: str, coding: str) -> set[bytes]:
    """Return *value* in a coding, and nothing where that has not all of its letters."""
    try:
        return {value.encode(coding)}
    except UnicodeEncodeError:
        return set()


def _middle(utf8: bytes, shift: int) -> bytes:
    """Return what of the base64 of *utf8* is the same whatever stands before and after."""
    base64_text = base64.b64encode(b"\0" * shift + utf8)
    return base64_text[4 : len(base64_text) - 4]
