"""Announcing: whether a text says of a value that it is yet to hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.studies.golden.masking import VALUE, masked
from memgauge.studies.golden.spellings import written

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime

    from memgauge.studies.golden.spellings import Place

_AHEAD = re.compile(
    r"\b(?:will|shall|(?:is|are) (?:going )?to (?:be|become)|soon|upcoming|future|planned|scheduled|announced|"
    r"not yet|yet to|next(?! (?:door|to)\b)|wird|k\u00fcnftig\w*|ser\u00e1|sera|bient\u00f4t|pr\u00f3xim\w+|"
    r"prochain\w*)\b|\b\w+['\u2019]ll\b",
    re.IGNORECASE,
)
_ARTICLE = r"(?:the|dem|den|zum|el|al|del|le|la|du|au|\w+day)?"
_BEGIN = re.compile(
    r"(?:\b(?:from|as (?:of|from)|starting(?: on)?|starts?(?:_\w+)?|beginning(?: on)?|begins?|"
    r"effective(?:_\w+)?|since|w\.?e\.?f\.?|(?:valid|active)[_ ](?:from|since|at)|ab|desde|a partir del?|"
    rf"\u00e0 partir|d\u00e8s)\b\.?)\W*{_ARTICLE}\W*$",
    re.IGNORECASE,
)
_END = re.compile(
    r"\b(?:until|till|up to|through|by|before|to|bis|hasta|jusqu\w*|ends?(?:_\w+)?|expire[sd]?(?:_\w+)?|"
    rf"invalid\w*|(?:valid|active)[_ ](?:to|until))\W*{_ARTICLE}\W*$",
    re.IGNORECASE,
)
_LEAVING = re.compile(r"\b(?:leav\w+|left|quits?|ends?|stops?|last day)\b", re.IGNORECASE)
_AFTERWARDS = re.compile(
    r"\b(?:after(?:wards| that)|then|thereafter|from then on|when|danach|dann|despu\u00e9s|ensuite)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])(?<!\b\d\.)(?<!\b\d\d\.)\s+(?!\d)|\n")
_BORDER = re.compile(r"[,;]|\b(?:and|but|und|aber|y|pero|et|mais)\b")


def announced(text: str, value: str, others: Collection[str], at: datetime) -> bool:
    """Whether every sentence that names *value* says that it holds later than *at*, by a day or in words."""
    sentences = [part for part in _SENTENCE.split(masked(text, value, others)) if VALUE in part]
    return bool(sentences) and all(_is_ahead(sentence, f"{at:%Y-%m-%d}") for sentence in sentences)


def _is_ahead(sentence: str, today: str) -> bool:
    if any(_AHEAD.search(clause) for clause in _BORDER.split(sentence) if VALUE in clause):
        return True
    return any(_begins(sentence, day) for day in _later_days(sentence, today))


def _later_days(sentence: str, today: str) -> Iterator[Place]:
    """Yield the days of a sentence that are yet to come."""
    for place in written(sentence).places:
        if place.exact and place.key.startswith("@") and place.key[1:] > today:
            yield place


def _begins(sentence: str, day: Place) -> bool:
    """Whether a day is that from which the value holds: it is said so, or nothing stands between the two."""
    before, behind = sentence[: day.start], sentence[day.end :]
    if _END.search(before):
        turned = _AFTERWARDS.search(behind)
        return turned is not None and VALUE in behind[turned.end() :]
    if _BEGIN.search(before):
        return True
    place = sentence.index(VALUE)
    between = sentence[place + len(VALUE) : day.start] if place < day.start else sentence[day.end : place]
    clause = _BORDER.split(before)[-1]
    return not _BORDER.search(between.strip(" ,")) and not _LEAVING.search(clause)
