"""The part of a text by which a failure is known: what two versions differ in, or the word that tells most."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

_WORD: Final = re.compile(r"\w(?:[\w.,:/'-]*\w)?")


def other_part(older: str, newer: str) -> tuple[str, str]:
    """Return what stands in the first text where the second says something else, and what that is.

    Where nothing of one stands in the place of something of the other, each is told by its own words, or whole.
    """
    older_words, newer_words = (list(_WORD.finditer(text)) for text in (older, newer))
    words = [[match[0] for match in matches] for matches in (older_words, newer_words)]
    matcher = SequenceMatcher(None, words[0], words[1], autojunk=False)
    for way, first, last, since, until in matcher.get_opcodes():
        if way == "replace":
            return _between(older, older_words[first:last]), _between(newer, newer_words[since:until])
    return telling_part(older, newer), telling_part(newer, older)


def telling_part(text: str, context: str) -> str:
    """Return the word that tells most: a number, else a name, else the longest; not one that is *beside*."""
    strange = {match[0].casefold() for match in _WORD.finditer(context)}
    words = [match[0] for match in _WORD.finditer(text)]
    own_words = [word for word in words if word.casefold() not in strange] or words
    if not own_words:
        return text.strip()
    return max(
        reversed(own_words), key=lambda word: (_numbered(word), word[0].isupper() and word != words[0], len(word))
    )


def _numbered(word: str) -> bool:
    return any(map(str.isdigit, word))


def naming_word(text: str, context: str = "") -> str:
    """Return the longest small word of *text* that is not *beside*, which names no person; empty where none is."""
    strange = {match[0].casefold() for match in _WORD.finditer(context)}
    words = [match[0] for match in _WORD.finditer(text)]
    return max(
        (word for word in words if word.isalpha() and word.islower() and word not in strange), key=len, default=""
    )


def _between(text: str, matches: list[re.Match[str]]) -> str:
    return text[matches[0].start() : matches[-1].end()]
