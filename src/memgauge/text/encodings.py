"""Encodings: a value as the bytes by which files may hold it, each form by its name."""

from __future__ import annotations

import base64
import json
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

PLAIN: Final = "plain text"
FOLDED: Final = "other case"
"""To be looked for where all is in small letters."""
COMPOSED: Final = "letters composed otherwise"
_WIDE: Final = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "cp500")
_NATIONAL: Final = (
    *("iso8859-1", "iso8859-2", "iso8859-5", "iso8859-7", "iso8859-8", "iso8859-9", "cp437", "cp850", "cp866"),
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "koi8-r", "koi8-u", "mac-roman"),
    *("mac-cyrillic", "shift-jis", "euc-jp", "iso2022-jp", "gb18030", "big5", "euc-kr", "utf-7"),
)
"""Character sets in which a text beyond ASCII was written before UTF-8, and still is."""
MISREAD: Final = "UTF-8 read as Latin-1"
_LEAST: Final = 6
"""Bytes that are not met by chance."""


def encodings(value: str) -> Mapping[str, frozenset[bytes]]:
    """Return *value* as UTF-8, folded, UTF-16, UTF-32, EBCDIC, in JSON and in base64 at each of its alignments."""
    utf8 = value.encode()
    forms = {PLAIN: {utf8}, FOLDED: {value.casefold().encode()}}
    if not value.isascii():
        forms[COMPOSED] = {unicodedata.normalize(form, value).encode() for form in ("NFC", "NFD")}
    forms |= {coding.upper(): _encoded(value, coding) for coding in _WIDE}
    forms["escapes"] = {json.dumps(value)[1:-1].encode()}
    forms["base64"] = {_middle(utf8, shift) for shift in range(3)}
    return _long_enough(forms)


def national(value: str) -> Mapping[str, frozenset[bytes]]:
    """Return *value* in character sets of one script, and as UTF-8 that was taken for one; of ASCII nothing."""
    if value.isascii():
        return {}
    forms = {coding.upper(): _encoded(value, coding) for coding in _NATIONAL}
    utf8 = value.encode()
    misread = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in utf8)
    forms[MISREAD] = {text.encode() for text in (utf8.decode("latin-1"), misread)}
    return _long_enough(forms)


def _long_enough(forms: Mapping[str, set[bytes]]) -> Mapping[str, frozenset[bytes]]:
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
