"""One spelling for what is said in many: compact dates, markers around an answer, words for a status."""

from __future__ import annotations

import re
import unicodedata

_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:T\d{4}(?:\d\d)?Z?)?(?!\d)")
_STAMP = re.compile(r"(?<!\d)((?:19|20)\d\d-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
_MARKER = re.compile(r"[\[<(*#]*\s*final\s+answer\s*[\])>*]*\s*:?\s*", re.IGNORECASE)
_CLOSING = re.compile(r"[\[<(]\s*/\s*final\s+answer\s*[\])>]", re.IGNORECASE)
_LEADS = re.compile(r"^(?:the\s+)?answer\s*(?:is|:)\s*", re.IGNORECASE)
_FENCE = re.compile(r"```\w*\n?|`|\*\*|__(?=\W|$)|(?<=\W)__")
_TIMED = re.compile(r"(?<![\w.,-])(\d{1,3}(?:\.\d+)?\s?|\d+\s)(s|secs?|mins?|h|hrs?)\b")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours"}
_WORD = re.compile(r"[^\W_]+(?:[.'/+#-][^\W_]+)*|[^\W_]+", re.UNICODE)
_SYNONYMS = {"completed": "done", "complete": "done", "closed": "done", "canceled": "cancelled"}
"""Words for one status, as the timelines themselves use them."""


def answer_of(text: str) -> str:
    """Return what *text* gives as its answer: what follows the last marker, without marks around it."""
    unmarked = _CLOSING.sub("", _FENCE.sub("", text))
    marker = None
    for marker in _MARKER.finditer(unmarked):  # noqa: B007 - only the last one counts
        pass
    behind = unmarked[marker.end() :] if marker else unmarked
    answer = behind if behind.strip() else unmarked
    return _LEADS.sub("", answer.strip()).strip()


def dated(text: str) -> str:
    """Write compact dates (``20250515``, ``20250515T0900``) and time stamps as ISO dates."""
    return _STAMP.sub(r"\1", _COMPACT.sub(r"\1-\2-\3", text))


def timed(text: str) -> str:
    """Write brief units of time behind a number in full (``30 s``, ``5min``)."""
    return _TIMED.sub(lambda match: f"{match[1].strip()} {_UNITS[match[2][0]]}", text)


def words(text: str) -> tuple[str, ...]:
    """Split into folded words; paths, versions and file names stay whole, words for one status become one."""
    folded_text = (
        unicodedata.normalize("NFKC", text).casefold().replace("_", " ").replace("@", " ").replace("#", " ")
    )
    return tuple(_SYNONYMS.get(word, word) for word in _WORD.findall(folded_text))


def holds(text: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    """Whether *phrase* stands in *text* as a run of words."""
    size = len(phrase)
    return bool(size) and any(text[place : place + size] == phrase for place in range(len(text) - size + 1))
