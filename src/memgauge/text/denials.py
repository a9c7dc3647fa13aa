"""Values that an English text names as what is not so, or no longer: ``not 212``, ``moved from Rome``."""

from __future__ import annotations

import re
from typing import Final

FILLERS: Final = "on in the of at about around by since until from to it was is a an for"
"""Words that say nothing between a denial, or the beginning of an answer, and a value."""
_BETWEEN: Final = rf"(?:\s+(?:{'|'.join(FILLERS.split())}|be|been|really|exactly))*\s+"
_NOT: Final = (
    r"(?:(?:\b(?:not|never|neither|nor|cannot)\b|n['\u2019]t\b)(?!\s+(?:until|only|just|before|later|earlier)\b)"
    r"|\b(?:any|every|all|no)(?:one|body|thing|where)\s+(?:but|except)\b|\b(?:other|rather)\s+than\b)"
)
DENIED_WORD: Final = re.compile(rf"{_NOT}{_BETWEEN}\S+", re.IGNORECASE)
"""A denial and the word right behind it."""
_RIGHT_BEFORE: Final = re.compile(
    rf"(?:{_NOT}|\b(?:no longer|instead of|formerly|previously|used to)\b(?:\s+[a-z]+)?"
    rf"|\b(?:moved|relocated|switched|changed|went)(?:\s+away)?\s+from){_BETWEEN}\Z",
    re.IGNORECASE,
)
_NOT_BEFORE: Final = re.compile(rf"{_NOT}(?:\s+[\w'\u2019-]+){{0,3}}\s+\Z", re.IGNORECASE)
_ANY_MORE: Final = re.compile(r"\s+any[\s-]?(?:more|longer)\b", re.IGNORECASE)
_REACH: Final = 64
"""Letters before a value in which its denial is looked for."""


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether what stands between *start* and *end* of *text* is named as what is not so, or is so no longer."""
    before = text[max(start - _REACH, 0) : start]
    if _RIGHT_BEFORE.search(before):
        return True
    return bool(_ANY_MORE.match(text, end) and _NOT_BEFORE.search(before))
