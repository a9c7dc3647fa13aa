"""The values that are looked for: canaries that nobody else has said, or texts that are there."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from memgauge.records import Turn
from memgauge.studies.erasure.record import SoughtValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

_SYLLABLES: Final = tuple(consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou")
FORMER: Final = "former"
"""Kind of a value that an update replaced: what returns it keeps a history."""
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+")
LEAST: Final = 6
"""Characters of a text that does not stand in files by chance."""
_TELLING: Final = 16
"""Characters of a sentence that nobody else is likely to have said."""


@dataclass(frozen=True)
class Sought:
    """A value, under the label by which reports know it."""

    label: str
    kind: str
    text: str
    within: tuple[str, ...] = ()
    """Longer texts of others in which it stands: there it is not met."""

    def described(self, *, shown: bool) -> SoughtValue:
        """Say what a report may say of it."""
        return SoughtValue(self.label, self.kind, len(self.text), self.text if shown else "")


@dataclass(frozen=True)
class Canary:
    """An invented fact of an invented person: the turn that says it, and a question that it answers."""

    turn: Turn
    sought: Sought
    question: str


def canary_word(seed: int, name: str, syllables: int = 5) -> str:
    """Return a word that no language has, the same for the same seed and name."""
    digest = int.from_bytes(blake2b(f"{seed}/{name}".encode(), digest_size=8).digest(), "big")
    word = ""
    for _ in range(syllables):
        digest, place = divmod(digest, len(_SYLLABLES))
        word += _SYLLABLES[place]
    return word


def canary_digits(seed: int, name: str, count: int) -> str:
    """Return digits that are the same for the same seed and name."""
    return str(int.from_bytes(blake2b(f"{seed}/{name}".encode(), digest_size=8).digest(), "big"))[:count]


_CYRILLIC: Final = str.maketrans(
    "bdfgklmnprstvzaeiou",
    "\u0431\u0434\u0444\u0433\u043a\u043b\u043c\u043d\u043f\u0440\u0441\u0442\u0432\u0437\u0430\u044d\u0438\u043e\u0443",
)
_KINDS: Final[Mapping[str, tuple[str, str, Callable[[int, str], str]]]] = {
    "word": ("The word for my locker is {}.", "What is the word for my locker?", canary_word),
    "code": (
        "My badge has the code {}.",
        "Which code does my badge have?",
        lambda s, n: f"KD-{canary_digits(s, n, 9)}",
    ),
    "number": ("You reach me at {}.", "At which number am I reached?", lambda s, n: f"0{canary_digits(s, n, 11)}"),
    "address": (
        "Write to me at {}.",
        "Where do I want letters to go?",
        lambda s, n: f"{canary_word(s, n)}@{canary_word(s, n + '/host', 3)}.example",
    ),
    "accents": (
        "My neighbour is called {}.",
        "What is my neighbour called?",
        lambda s, n: f"Zo\u00eb {canary_word(s, n).title()}\u00fc",
    ),
    "other script": (
        "My village is called {}.",
        "Which village am I from?",
        lambda s, n: canary_word(s, n, 6).translate(_CYRILLIC).title(),
    ),
    "quotes": (
        "My plan for the summer is {}, so far.",
        "What is my plan for the summer?",
        lambda s, n: f'the "{canary_word(s, n)}" tour\\by {canary_word(s, n + "/by", 3)}',
    ),
    "sentence": (
        "My doctor says: {}.",
        "What does my doctor say?",
        lambda s, n: " ".join(canary_word(s, f"{n}/{part}", 3) for part in range(8)),
    ),
}
"""Kinds of value, which files and indexes write differently: what is said, what is asked, what makes one."""


@dataclass(frozen=True)
class InventedUsers:
    """Names of people who are not there, in the shape of ids that services give."""

    subject: str
    longer: str
    """Begins with the whole name of the subject, which a deletion by prefix takes along."""
    shorter: str
    """With which the name of the subject begins."""
    stranger: str

    @property
    def planted(self) -> tuple[str, str, str]:
        """Those of whom something is stored."""
        return self.subject, self.longer, self.shorter


def invented_users(seed: int) -> InventedUsers:
    """Invent names, the same for the same seed."""
    subject, stranger = (f"u-{canary_digits(seed, who, 10)}" for who in ("subject", "stranger"))
    return InventedUsers(subject, f"{subject}{canary_digits(seed, 'longer', 3)}", subject[:-3], stranger)


def canaries(user: str, seed: int, at: datetime) -> tuple[Canary, ...]:
    """Invent one fact of each kind about *user*."""
    return tuple(_canary(user, seed, kind, number, at) for number, kind in enumerate(_KINDS, 1))


def _canary(user: str, seed: int, kind: str, number: int, at: datetime) -> Canary:
    sentence, asked, make = _KINDS[kind]
    value = make(seed, f"{user}/{kind}")
    session = f"{user}-s1"
    turn = Turn(f"{session}-t{number}", user, sentence.format(value), session, at)
    return Canary(turn, Sought(f"v{number}", kind, value), asked)


def former_of(canary: Canary, seed: int) -> Canary:
    """Return what was said before *canary*, which it replaces: a history may keep it."""
    word = canary_word(seed, f"{canary.turn.id}/former")
    turn = replace(canary.turn, text=canary.turn.text.replace(canary.sought.text, word))
    return Canary(turn, Sought(f"{canary.sought.label}-former", FORMER, word), canary.question)


def sought_in(texts: Iterable[str], prefix: str = "t") -> tuple[Sought, ...]:
    """Look for whole texts, and for each of their sentences that is long enough to be nobody else's."""
    whole = list(dict.fromkeys(text.strip() for text in texts if len(text.strip()) >= LEAST))
    sought: list[Sought] = []
    for number, text in enumerate(whole, 1):
        sought.append(Sought(f"{prefix}{number}", "text", text))
        parts = [part for part in _SENTENCE.split(text) if len(part) >= _TELLING and part != text]
        sought += [Sought(f"{prefix}{number}.{place}", "sentence", part) for place, part in enumerate(parts, 1)]
    return tuple(sought)


def names_of(user: str, memories: Sequence[str], others: Sequence[str] = ()) -> tuple[Sought, ...]:
    """Look for the name of a subject and the ids of its memories, as far as they are too long to be chance.

    *others* are names that somebody else has: where one of them holds a name of the subject, that is not met.
    """
    ids = [memory for memory in dict.fromkeys(memories) if len(memory) >= _TELLING]
    listed = [Sought(f"id{number}", "id of a memory", memory) for number, memory in enumerate(ids, 1)]
    names = [*([Sought("name", "name", user)] if len(user) >= LEAST else []), *listed]
    return tuple(replace(each, within=_around(each.text, others)) for each in names)


def _around(name: str, others: Sequence[str]) -> tuple[str, ...]:
    """Return the *others* that hold *name* and more."""
    return tuple(other for other in others if len(other) > len(name) and name.casefold() in other.casefold())
