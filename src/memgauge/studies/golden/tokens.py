"""Tokens: values that nobody could guess, of the type that a slot has, and found again in any text."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal, get_args

from memgauge.studies.golden.ruling_out import may_bear
from memgauge.studies.golden.spellings import SHORT, closed, keys_of, written
from memgauge.text.dates import spell_date
from memgauge.text.escapes import unescaped
from memgauge.text.forms import hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Kind = Literal[
    "word",
    "date",
    "number",
    "code",
    "pin",
    "name",
    "firm",
    "mail",
    "marked",
    "emoji",
    "letters",
    "long",
    "memo",
    "signed",
    "quoted",
    "braced",
    "lines",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
_MOST_WORDS = {"memo": 120}
"""Words of the longest values; others have fourteen at most."""
_WORDS = 14
_OF_WORDS = {
    "name": "{0} {1}",
    "firm": "{0}, {1} and {2}",
    "mail": "{0}.{1}@example.org",
    "marked": "{0} & <{1}>",
    "signed": "{0}++",
    "quoted": 'O\'{0} "{1}"',
    "braced": "{0} {{user}} %s {1}",
    "lines": "{0}\u2028{1}\x85{2}",
    "emoji": "{0} \U0001f483 {1}",
    "long": " ".join(f"{{{place}}}" for place in range(_WORDS)),
    "memo": " ".join(f"{{{place}}}" for place in range(_MOST_WORDS["memo"])),
}
"""Values of several words, as people and firms have; what cuts one short or writes its marks anew loses it."""
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aeiou"
_CYRILLIC = str.maketrans(
    _CONSONANTS + _VOWELS,
    "\u0431\u0434\u0444\u0433\u0445\u0436\u043a\u043b\u043c\u043d\u043f\u0440\u0441\u0442\u0432\u0437"
    "\u0430\u044d\u0438\u043e\u0443",
)
"""Letters of another alphabet, which a narrow encoding does not have."""
_ACCENTS = str.maketrans(_VOWELS, "\u00e0\u00e9\u00ed\u00f2\u00fc")
_FIRST_DAY = date(2031, 1, 1)
_TOKEN = re.compile(r"Zq[a-z]{8}")
_NEW = 8
"""Values so few that each is looked for by itself."""
_LONG = 6
"""Characters that a value needs to be looked for inside of other words."""


def token(seed: str, name: str, kind: str = "word") -> str:
    """Return the value of a variable in a run with a seed: the same again, and no other's."""
    digest = int.from_bytes(blake2b(f"{seed}/{name}".encode(), digest_size=8).digest(), "big")
    if kind in _OF_WORDS:
        parts = range(_MOST_WORDS.get(kind, _WORDS))
        return _OF_WORDS[kind].format(*(_word(seed, f"{name}/{part}") for part in parts))
    if kind == "letters":
        return _word(seed, name).lower().translate(_CYRILLIC).title()
    return _OF_DIGEST[kind](digest)


def _word(seed: str, name: str) -> str:
    return token(seed, name)[2:].title()


def _syllables(digest: int) -> str:
    text = ""
    for _ in range(4):
        digest, place = divmod(digest, len(_CONSONANTS) * len(_VOWELS))
        text += _CONSONANTS[place // len(_VOWELS)] + _VOWELS[place % len(_VOWELS)]
    return f"Zq{text}"


_OF_DIGEST: Mapping[str, Callable[[int], str]] = {
    "word": _syllables,
    "date": lambda digest: spell_date(_FIRST_DAY + timedelta(days=digest % 20_000)),
    "number": lambda digest: str(100_000 + digest % 900_000),
    "code": lambda digest: f"{chr(65 + digest % 26)}{chr(65 + digest // 26 % 26)}-{digest // 676 % 1_000_000:06d}",
    "pin": lambda digest: f"00{1_000 + digest % 9_000}",
}


def nearly(value: str, manner: str) -> str:
    """Return another value that is nearly *value*: longer, shorter, with another digit or letter, or an accent."""
    if manner == "longer":
        return value + ("ko" if value.isalpha() else "7")
    if manner == "shorter":
        return value[: -2 if value.isalpha() else -1]
    if manner == "accent":
        return re.sub(r"[aeiou]", lambda vowel: vowel[0].translate(_ACCENTS), value, count=1)
    last = value[-1]
    other = str((int(last) + 1) % 10) if last.isdigit() else _VOWELS[(_VOWELS.find(last) + 1) % len(_VOWELS)]
    return value[:-1] + other


def found_in(text: str, tokens: Iterable[str]) -> set[str]:
    """Return the *tokens* that stand in *text*, written in any ordinary way.

    Words in any case and inflected, numbers in groups, codes with any joint, dates in any spelling. Scripts that
    write no spaces may stand right beside a token.
    """
    return index_of(frozenset(tokens)).found(text)


def in_full(text: str, value: str) -> bool:
    """Whether *text*, which bears *value*, leaves no part of it out, such as the year of a day."""
    days = {key for key in _form(value).keys if key[:1] == "@" and key[1:2].isdigit()}
    return not days or not days.isdisjoint(written(text).keys)


def places(text: str, *values: str) -> list[tuple[int, int]]:
    """Return where in *text* any of *values* stands."""
    forms = [_form(value) for value in values]
    keys = frozenset(key for form in forms for key in form.keys)
    spans = [(place.start, place.end) for place in written(text).places if place.key in keys]
    patterns = (form.pattern for form in forms if form.pattern is not None)
    return spans + [match.span() for pattern in patterns for match in pattern.finditer(text)]


def cut_values(text: str, values: Iterable[str]) -> set[str]:
    """Return the parts of *values* that a line of *text* begins or ends with where the whole was cut.

    A line that says itself that something was left out (…) misleads nobody.
    """
    lines = [line.strip() for line in text.splitlines()]
    ends = [re.sub(r"[.,;!]$", "", line) for line in lines if not line.endswith(("…", "..."))]
    begins = [line for line in lines if not line.startswith(("…", "..."))]
    cuts = {(value, value[:at], value[at:]) for value in values for at in _cuts(value)}
    heads = {head for _, head, _ in cuts for line in ends if _ends_with(line, head)}
    # A domain is no part of one address alone, and a letter before it is hardly more.
    own = {cut for cut in cuts if "@" not in cut[0] or cut[2].find("@") >= _PART}
    tails = {tail for _, _, tail in own for line in begins if _begins_with(line, tail)}
    glued = (cut for cut in own for line in ends if line.endswith(cut[2]) and not found_in(line, cut[:1]))
    return heads | tails | {tail for _, _, tail in glued if len(tail) > _PART}


def _cuts(value: str) -> Iterable[int]:
    """Return where a value can be cut in the middle of a word, so that what is left is no word by chance."""
    return (at for at in range(_PART, len(value) - _PART + 1) if value[at - 1 : at + 1].isalnum())


def _ends_with(line: str, part: str) -> bool:
    return line.endswith(part) and not line.removesuffix(part)[-1:].isalnum()


def _begins_with(line: str, part: str) -> bool:
    return line.startswith(part) and not line.removeprefix(part)[:1].isalnum()


_PART = 3
"""Characters of a value that are taken for a part of it and not for a word of their own."""


@lru_cache(maxsize=8_192)
def index_of(tokens: frozenset[str]) -> TokenIndex:
    """Make what finds any of *tokens*."""
    return TokenIndex(tokens)


class TokenIndex:
    """Finds which of many values stand in a text, at a cost that hardly grows with their number."""

    def __init__(self, tokens: Iterable[str] = ()) -> None:
        self._known: set[str] = set()
        self._added: list[str] = []
        self._found: dict[str, tuple[int, set[str]]] = {}
        """What was found in a text, and how many values were looked for then."""
        self._shown: dict[str, tuple[int, dict[str, bool]]] = {}
        """What stands in a text in any form, and of how many values that are no tokens this is so.

        Unlike a token, such a value may stand in what was looked through before it was thought of.
        """
        self._plain: list[str] = []
        """Values that have not the shape of tokens."""
        self._by_key: dict[str, set[str]] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._words: dict[str, str] = {}
        """Values of the shape that tokens have, by what they are inside of other words."""
        self._others: dict[str, str] = {}
        self._apart = False
        """Whether any value is a number, a day or short, and so is found where it stands alone only."""
        for value in tokens:
            self.add(value)

    def add(self, value: str) -> None:
        """Find this one too."""
        form = _form(value)
        if value in self._known:
            return
        self._known.add(value)
        self._added.append(value)
        is_token = bool(_TOKEN.fullmatch(value))
        if not is_token:
            self._plain.append(value)
        for key in form.keys:
            self._by_key.setdefault(key, set()).add(value)
        if form.pattern is not None:
            self._patterns[value] = form.pattern
        if len(form.bare) >= _LONG and not form.bare.isdigit():
            (self._words if is_token else self._others)[form.bare] = value
        else:
            self._apart = True

    def __len__(self) -> int:
        return len(self._known)

    def found(self, text: str) -> set[str]:
        """Return the values that stand in *text* as a reader sees it."""
        if len(text) > SHORT:
            return self._find(text, None)
        count, seen = self._found.get(text, (0, set()))
        if new := len(self._added) - count:
            self._found[text] = len(self._added), seen | self._find(text, self._added[count:] if count else None)
        return set(self._found[text][1]) if new else set(seen)

    def _find(self, text: str, values: Sequence[str] | None) -> set[str]:
        """Look for all values, or for those that were added since."""
        unread = len(text) > SHORT and not may_bear(text, self._by_key)
        keys, plain = frozenset() if unread else written(text).keys, unescaped(text) if self._patterns else text
        new = self._patterns.keys() if values is None else self._patterns.keys() & values
        seen = {value for value in new if self._patterns[value].search(plain)}
        if values is not None and len(values) < _NEW:
            return seen | {value for value in values if not _form(value).keys.isdisjoint(keys)}
        return seen | {value for key in self._by_key.keys() & keys for value in self._by_key[key]}

    def inside(self, text: str) -> set[str]:
        """Return the words and codes in *text* even where they are run together with what stands beside them."""
        folded = text.casefold()
        there = {self._words[match[1]] for match in _GLUED.finditer(folded) if match[1] in self._words}
        return there | (self._run_together(text, self._others) if self._others else set())

    def _run_together(self, text: str, bare: Iterable[str]) -> set[str]:
        letters = closed(text)
        return {self._others[each] for each in bare if each in letters}

    def apart(self, text: str) -> set[str]:
        """Return the values in *text* if any could stand there that would not be seen inside of other words."""
        return self.found(text) if self._apart else set()

    def shown(self, text: str) -> dict[str, bool]:
        """Return the values in *text* in whatever form, and whether each is written in another than its own."""
        count, seen = self._shown.get(text, (-1, {}))
        if count == len(self._plain):
            return seen
        covered, other = hidden(text), set(seen)
        bare = [_form(value).bare for value in self._plain[max(count, 0) :]]
        new = [each for each in bare if each in self._others]
        for form in (*covered.turned, *covered.decoded):
            other |= self.inside(form) if count < 0 else self._run_together(form, new)
        for decoded in covered.decoded:
            other |= self.apart(decoded)
        self._shown[text] = len(self._plain), dict.fromkeys(other, True) | dict.fromkeys(self.found(text), False)
        return self._shown[text][1]


_GLUED = re.compile(r"(?=(zq[a-z]{8}))")


@dataclass(frozen=True)
class _Form:
    """How a value is looked for."""

    keys: frozenset[str]
    bare: str
    """Its letters and digits alone."""
    pattern: re.Pattern[str] | None = None
    """What finds it where it is more than a word, a number, a code or a date."""


def _composed(part: str) -> str:
    """Return what finds a word whether its accents are written on their letters or behind them."""
    forms = ((letter, unicodedata.normalize("NFD", letter)) for letter in part)
    return "".join(re.escape(whole) if whole == apart else f"(?:{whole}|{apart})" for whole, apart in forms)


@lru_cache(maxsize=65_536)
def _form(value: str) -> _Form:
    """Say how a value is looked for."""
    bare = closed(value)
    if keys := keys_of(value):
        return _Form(keys, "" if any(key[:1] == "@" for key in keys) else bare)
    parts = [_composed(part) for part in re.split(r"[\s\-_]+", value) if part]
    joined = r"[\s\-\u2010-\u2015_]+".join(parts) or re.escape(value)
    joined += "(?:e?s)?" if len(bare) >= _LONG and bare.isalpha() else ""
    return _Form(frozenset(), bare, re.compile(rf"(?<![A-Za-z0-9_]){joined}(?![A-Za-z0-9_])", re.IGNORECASE))
