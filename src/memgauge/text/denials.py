"""Values that an English text names as what is not so, or no longer: ``not 212``, ``moved from Rome``."""

from __future__ import annotations

import re
from typing import Final

FILLERS: Final = "on in the of at about around by since until from to it was is a an for"
"""Words that say nothing between a denial, or the beginning of an answer, and a value."""
_BETWEEN: Final = rf"(?:\s+(?:{'|'.join(FILLERS.split())}|be|been|really|exactly))*\s+"
_NO: Final = r"(?:\b(?:not|never|neither|nor|cannot)\b|n['\u2019]t\b)"
_BUT: Final = r"(?:\b(?:any|every|all)(?:one|body|thing|where)\s+(?:but|except)\b|\b(?:other|rather)\s+than\b)"
_NOT: Final = rf"(?<!why ){_NO}(?!\s+(?:until|only|just|before|later|earlier)\b)"
DENIED_WORD: Final = re.compile(rf"(?:{_NOT}|{_BUT}){_BETWEEN}\S+", re.IGNORECASE)
"""A denial and the word right behind it."""
_OPENED: Final = r"[\"'(\u2018\u201c]?\Z"
_RIGHT_BEFORE: Final = re.compile(
    rf"(?:{_NOT}|\b(?:no longer|instead of|formerly|previously)\b(?:\s+[a-z]+)?){_BETWEEN}{_OPENED}", re.IGNORECASE
)
_TURNED: Final = re.compile(
    rf"(?:{_BUT}|(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bbe )(?<!'s )(?<!'m )(?<!'re )\bused to\s+[a-z]+"
    rf"|\b(?:moved|relocated)(?:\s+away)?\s+from){_BETWEEN}{_OPENED}",
    re.IGNORECASE,
)
"""What denies a value, unless it is denied itself: who never moved from Rome lives there."""
_EXCHANGED: Final = re.compile(
    rf"\b(?:changed|switched|updated|moved)(?:\s+[\w'\u2019-]+){{0,3}}\s+from\s+{_OPENED}", re.IGNORECASE
)
_FOR_ANOTHER: Final = re.compile(r"[\"')\u2019\u201d]?\s+to\b", re.IGNORECASE)
_NOT_BEFORE: Final = re.compile(rf"{_NO}(?:\s+[\w'\u2019-]+){{0,3}}\s+\Z", re.IGNORECASE)
_ANY_MORE: Final = re.compile(r"\s+any[\s-]?(?:more|longer)\b", re.IGNORECASE)
_ANY_SIGN: Final = re.compile(
    r"\b(?:no[rt]|never|neither|cannot|no longer|instead|formerly|previously|used|but|except|than|from)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)
_REACH: Final = 64
"""Letters before a value in which its denial is looked for."""


def may_deny(text: str) -> bool:
    """Whether any word stands in *text* without which nothing is denied there."""
    return bool(_ANY_SIGN.search(text))


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether what stands between *start* and *end* of *text* is named as what is not so, or is so no longer."""
    before = text[max(start - _REACH, 0) : start]
    if _RIGHT_BEFORE.search(before):
        return True
    if (turned := _TURNED.search(before)) is not None:
        return not _NOT_BEFORE.search(before[: turned.start()])
    if _EXCHANGED.search(before) and _FOR_ANOTHER.match(text, end):
        return True
    return bool(_ANY_MORE.match(text, end) and _NOT_BEFORE.search(before))
