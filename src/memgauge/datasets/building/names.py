"""Names that are known, found in texts and replaced by names that nobody has."""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata
from typing import TYPE_CHECKING

from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CONSONANTS, _VOWELS, _SYLLABLES = "bdfgklmnprstvz", "aeiou", 3
MADE_UP = re.compile(rf"(?:[{_CONSONANTS}][{_VOWELS}]){{{_SYLLABLES}}}x", re.IGNORECASE)
"""How every made-up name is built, and hardly any real one: ``Kolanex``."""

_NOBODY = """
user human me you assistant ai bot model system chatgpt gpt claude agent speaker customer support admin
unknown de da di do du del della der den des van von zu la le les el al bin ibn ben bar dr mr mrs ms miss
prof sir jr sr
"""
_GENERIC = frozenset(_NOBODY.split())
"""Words in the names of speakers that name nobody, and particles that no name is alone."""
_WORDS = """
april amber angel art august autumn bill brook carol chance chase christian dale dawn dick drew earl eve
faith ford frank gene ginger glen grace grant guy harmony heather heath holly hope hunter iris ivy jack jade
jasmine jewel joy june lance lily major mark mason max may melody mercy miles olive page pat patience pearl
penny pepper ray rich rob robin rocky rod rose ruby rusty sandy scarlet serenity skip sky stormy sue summer
trinity trip victor violet wade ward will winter wood woods
"""
_ALSO_WORDS = FUNCTION_WORDS | frozenset(_WORDS.split())
"""Names that are words too, so that only their capitals tell."""


def words_of(names: Iterable[str]) -> frozenset[str]:
    """Return the words of *names* that name somebody, folded: no particles, initials or made-up words."""
    words = (word for name in names for word in re.split(r"[\s,;/|-]+", fold(name)))
    bare = (re.sub(r"^\W+|\W+$", "", word) for word in words)
    return frozenset(word for word in bare if _names_somebody(word))


def fold(name: str) -> str:
    """Bring a name to the spelling under which names are equal."""
    plain = name.replace("\u2019", "'").replace("\u0130", "i").replace("\u0131", "i")  # both Turkish i
    return unicodedata.normalize("NFC", plain.casefold())


def _names_somebody(word: str) -> bool:
    letters = sum(map(str.isalpha, word))
    return letters >= 2 and word not in _GENERIC and not MADE_UP.fullmatch(word)


def pattern(words: Iterable[str]) -> re.Pattern[str] | None:
    """Return what finds any of *words*, whatever its case; ``None`` where there are none.

    Words that are ordinary words too (``mark``, ``rose``) are found with a capital only. In scripts that write no
    capitals a word is found inside a longer one, since such scripts may write no spaces.
    """
    parts = [_part(word) for word in sorted(words, key=lambda word: (-len(word), word))]
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _part(word: str) -> str:
    # What folding made one must be found in each of its spellings.
    written = re.escape(word).replace("'", "['\u2019]").replace("ss", "(?:ss|\u00df)")
    if word in _ALSO_WORDS:
        written = f"(?-i:{re.escape(word.capitalize())}|{re.escape(word.upper())})"
    if word == word.upper():
        return written
    return rf"(?<![^\W\d_]){written}(?![^\W\d_])"


def invent(word: str, key: str) -> Iterator[str]:
    """Yield made-up names for a folded *word*, always the same ones under the same *key*.

    They follow from a keyed hash, so that without the key no guess can be tried against them.
    """
    attempt = 0
    while True:
        digest = hmac.digest(key.encode(), f"{attempt}\0{word}".encode(), hashlib.sha256)
        number, syllables = int.from_bytes(digest), ""
        for _ in range(_SYLLABLES):
            number, consonant = divmod(number, len(_CONSONANTS))
            number, vowel = divmod(number, len(_VOWELS))
            syllables += _CONSONANTS[consonant] + _VOWELS[vowel]
        yield f"{syllables}x"
        attempt += 1


def dress(made_up: str, original: str) -> str:
    """Give a made-up name the capitals of what it replaces."""
    if original.islower():
        return made_up
    return made_up.upper() if len(original) > 1 and original.isupper() else made_up.capitalize()
