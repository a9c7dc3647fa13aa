"""Announcing: whether a text says of a value that it is yet to hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.studies.golden.masking import VALUE, masked
from memgauge.studies.golden.spellings import written

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

_AHEAD = re.compile(
    r"\b(?:will|shall|(?:is|are) (?:going )?to be|soon|upcoming|in (?:the )?future|planned|scheduled|announced|"
    r"not yet|yet to|next|wird|k\u00fcnftig|ser\u00e1|sera|bient\u00f4t)\b",
    re.IGNORECASE,
)
_END = re.compile(
    r"\b(?:until|till|up to|through|by|before|to|bis|hasta|jusqu\w*|ends?|expires?)\W*$", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!?;])(?<!\b\d\.)(?<!\b\d\d\.)\s+|\n")


def announced(text: str, value: str, others: Collection[str], at: datetime) -> bool:
    """Whether every sentence that names *value* says that it holds later than *at*, by a day or in words."""
    sentences = [part for part in _SENTENCE.split(masked(text, value, others)) if VALUE in part]
    return bool(sentences) and all(_is_ahead(sentence, f"{at:%Y-%m-%d}") for sentence in sentences)


def _is_ahead(sentence: str, today: str) -> bool:
    if _AHEAD.search(sentence):
        return True
    days = (place for place in written(sentence).places if place.exact and place.key.startswith("@"))
    return any(day.key[1:] > today and not _END.search(sentence[: day.start]) for day in days)
