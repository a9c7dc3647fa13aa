"""One spelling for texts that are to be compared word by word."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Apply NFKC, lower the case, drop punctuation and collapse white space.

    Source: ShiftBench, appendices A.2 and D, which name these four steps and no more; punctuation is what Unicode
    calls so (general categories P*).
    """
    lower_case = unicodedata.normalize("NFKC", text).lower()
    return " ".join("".join(c for c in lower_case if not unicodedata.category(c).startswith("P")).split())
