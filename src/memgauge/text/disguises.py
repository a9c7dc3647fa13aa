"""Disguises: letters that look like others, or that nobody sees, put into a text and taken out of it."""

from __future__ import annotations

import unicodedata

_CYRILLIC = (
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0455\u0458"
    "\u0410\u0412\u0421\u0415\u041d\u041a\u041c\u041e\u0420\u0422\u0425"
)
_HOMOGLYPHS = dict(zip("aceopxyisjABCEHKMOPTX", _CYRILLIC, strict=True))
_BACK = {ord(odd): plain for plain, odd in _HOMOGLYPHS.items()}
_TAGS = {0xE0000 + point: chr(point) for point in range(0x20, 0x7F)}
_SELECTORS = frozenset(chr(point) for point in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
ZWSP, ZWNJ, SHY, RLO, PDF, VS16, GRAPHEME_JOINER = "\u200b\u200c\u00ad\u202e\u202c\ufe0f\u034f"


def spread(text: str, between: str) -> str:
    """Put a character that nobody sees into the middle of every word of at least four letters."""
    return " ".join(w[: len(w) // 2] + between + w[len(w) // 2 :] if len(w) > 3 else w for w in text.split(" "))


def homoglyphs(text: str) -> str:
    """Take letters of another alphabet that look the same."""
    return "".join(_HOMOGLYPHS.get(c, c) for c in text)


def tags(text: str) -> str:
    """Write ASCII in tag characters, which no font shows."""
    return "".join(chr(0xE0000 + ord(c)) if 0x20 <= ord(c) < 0x7F else c for c in text)


def mirrored(text: str) -> str:
    """Write a text backwards behind an override, so that it reads forwards."""
    return f"{RLO}{text[::-1]}{PDF}"


def fullwidth(text: str) -> str:
    """Take the wide forms of ASCII."""
    return "".join(chr(ord(c) + 0xFEE0) if 0x21 <= ord(c) < 0x7F else c for c in text)


def unfolded(text: str) -> str:
    """Undo every disguise of this module but the backward one, which is undone beside the text."""
    reversed_text = " ".join(part.split(PDF)[0][::-1] for part in text.split(RLO)[1:])
    unmasked = unicodedata.normalize("NFKC", f"{text} {reversed_text}".translate(_TAGS)).translate(_BACK)
    visible = (
        c for c in unmasked if unicodedata.category(c) != "Cf" and c not in _SELECTORS and c != GRAPHEME_JOINER
    )
    return "".join(visible).casefold()
