"""Binding: whether a text tells a value of the thing that it belongs to, of another, or of nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from memgauge.studies.golden.masking import OTHER, VALUE, masked
from memgauge.text.tokens import tokenize
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Bond(StrEnum):
    """Of what a text tells a value."""

    BOUND = "bound"
    SWAPPED = "swapped"
    """Of another thing."""
    DROPPED = "dropped"
    """Of something that two things share: nothing tells them apart."""
    LOOSE = "loose"
    """Of nothing, or of something that nobody spoke of."""


_GENERIC = """
user users name names named call calls called value values fact facts memory memories key slot attribute field
note notes say says said tell tells told mention mentions mentioned know knows known record recorded id subject
predicate object relation entity type text content current currently previous previously former formerly new old
until till since valid profile person today now later then true false null none status active one two three day
days today using uses use used statement states stated learned remember remembers data info information item
entry property label title key-value january february march april may june july august september october
november december monday tuesday wednesday thursday friday saturday sunday still yet always ever never no longer
set get gets have here correct update updated updates speaker client customer person people she he they it
source turn session score confidence category tag tags topic
"""
_ALIKE = """
mum mom mother mama mutter madre mere
dad father papa vater padre pere
phone telephone mobile cell cellphone tel telefon telefono
doctor physician gp arzt medico medecin
dentist zahnarzt orthodontist dental dentista
employer employed works work working job company workplace firm employs profession arbeitgeber
home live lives living lived resides residence residing dwells city town village place wohnt wohnort address stays
boss manager supervisor superior
partner spouse husband wife
bank banking banks account money banco banque konto
allergy allergic allergies allergen
speak speaks language languages speaking
password passcode passphrase pin secret code kennwort
car vehicle auto automobile drives drive
buy buys bought purchase purchased
eat eats food meal dish
deadline due date
meet meets meeting met encountered appointment
visit visits visited travelled been
email mail e-mail
physician medication medicine drug medications takes prescription
trainer coach instructor teacher teaches tutor
flat apartment
shop store
favourite favorite likes prefers preferred preference fond loves
"""
_KIN = """
colleague colleagues coworker friend neighbour neighbor sister brother mother father parent cousin uncle aunt
daughter son child wife husband spouse partner boss manager roommate flatmate classmate customer
"""
RELATIVES = frozenset(_KIN.split())
"""Whom a value can be told of instead of whoever it belongs to."""
_PRONOUNS = frozenset({"her", "hers", "his", "him", "she", "he", "their", "theirs", "they"})
_MARK = re.compile(rf"{VALUE}|{OTHER}")
_POSSESSIVE = re.compile(r"['\u2019](?:s |S(?=[A-Z_]))")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-./]")
_CLAUSE = re.compile(r"[,;|()\[\]{}\n]|(?<=[.!?])\s")
_SENTENCE = re.compile(r"\n|(?<=[.!?;])\s")
_WIDE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


@lru_cache(maxsize=8_192)
def words_of(text: str) -> frozenset[str]:
    """Return what a text is about: its words, without those that any text may have, words alike as one."""
    words = split_words(text)
    content = [word for word in words if word not in _EVERYWHERE and not word.isdigit()]
    return frozenset(part for word in content for part in _stems(word))


def split_words(text: str) -> list[str]:
    """Return the words of a text, possessors without their ending."""
    return tokenize(_CAMEL.sub(" ", _POSSESSIVE.sub(" ", text)))


def _name(slot: str) -> frozenset[str]:
    """Return the words of a slot, those too that any text may have, where it has no others."""
    return words_of(slot) or frozenset(part for word in split_words(slot) for part in _stems(word))


def _stems(word: str) -> Iterator[str]:
    if _WIDE.search(word):
        yield from _WIDE.findall(word)
        return
    (stem,) = tokenize(word, stem="english")[:1] or [word]
    yield stem
    if concept := _CONCEPTS.get(word) or _CONCEPTS.get(stem):
        yield f"={concept}"


@dataclass(frozen=True)
class Thing:
    """What a value belongs to, in the words that were used of it."""

    slot: str
    sentence: str = ""
    """The turn that said the value."""
    value: str = ""
    asked: str = ""

    def words(self) -> frozenset[str]:
        """Return every word under which it goes."""
        return _name(self.slot) | _clause_words(self.sentence, self.value) | words_of(self.asked)

    def near(self) -> frozenset[str]:
        """Return also the words that were said beside it."""
        return _name(self.slot) | words_of(masked(self.sentence, self.value).replace(VALUE, " "))


@lru_cache(maxsize=4_096)
def _clause_words(text: str, value: str) -> frozenset[str]:
    """Return the words of the sentence that said a value; of all that was said, where that sentence has none."""
    sentences = [part for part in _SENTENCE.split(masked(text, value)) if VALUE in part]
    return words_of(" ".join(sentences).replace(VALUE, " ")) or words_of(masked(text, value).replace(VALUE, " "))


def bond(
    text: str,
    value: str,
    thing: Thing,
    rivals: Sequence[Thing],
    *,
    others: Iterable[str] = (),
    people: Iterable[str] = (),
    owner: str = "",
) -> Bond:
    """Say of what *text* tells *value*, at its best mention.

    *rivals* are other things of the same owner, *others* values that the text may bear too, *people* the names of
    others, of whom the value must not be told. The *owner*'s name tells no two of their things apart.
    """
    spoken = masked(text, value, others)
    if owner and not words_of(owner) & thing.near():
        spoken = re.sub(rf"\b{re.escape(owner)}\b", "user", spoken, flags=re.IGNORECASE)
    strangers = frozenset(name.casefold() for name in people) - thing.near()
    places = [match.start() for match in re.finditer(VALUE, spoken)]
    bonds = [_at(spoken, place, thing, rivals, strangers) for place in places]
    return min(bonds, key=tuple(Bond).index, default=Bond.LOOSE)


def _at(text: str, place: int, thing: Thing, rivals: Sequence[Thing], strangers: frozenset[str]) -> Bond:
    own, near = thing.words(), thing.near()
    widest = words_of(_MARK.sub(" ", _paragraph(text, place)))
    for context in _contexts(text, place):
        here = _MARK.sub(" ", context)
        words = words_of(here) | (
            frozenset(part for word in split_words(here) for part in _stems(word)) & _name(thing.slot)
        )
        if strangers & set(split_words(here)):
            return Bond.SWAPPED
        if words & own:
            if _orphaned(text, thing):
                return Bond.DROPPED
            return _among(words, widest, thing, rivals)
        if any(words & (_name(rival.slot) - near - own) for rival in rivals):
            return Bond.SWAPPED
    return Bond.LOOSE


def _orphaned(text: str, thing: Thing) -> bool:
    """Whether nothing says whose a thing is that belongs to a relative of the user."""
    name = split_words(thing.slot)
    kin = RELATIVES.intersection(name)
    if not kin or kin.issuperset(name):
        return False
    whose = frozenset(stem for word in kin for stem in _stems(word))
    return not whose & words_of(text) and _PRONOUNS.isdisjoint(split_words(text))


def _among(words: frozenset[str], widest: frozenset[str], thing: Thing, rivals: Sequence[Thing]) -> Bond:
    """Compare with things that share words with this one: something has to tell them apart."""
    own = thing.near() | thing.words()
    for rival in rivals:
        if (
            rival.sentence and rival.sentence == thing.sentence
        ):  # what one turn says of both tells apart only their names
            names, others = _name(thing.slot), _name(rival.slot)
            if words & (others - names) and not widest & (names - others):
                return Bond.SWAPPED
            continue
        theirs = rival.near()
        shared = own & theirs
        mine, other = own - theirs, theirs - own
        if not words & shared or words & mine or not mine:
            continue
        if _name(thing.slot) <= words and not words & (_name(rival.slot) - _name(thing.slot)):
            continue  # it is called by its whole name
        if words & other & _name(rival.slot):
            return Bond.SWAPPED
        if not words - shared - other and not widest & mine:
            return Bond.DROPPED
    return Bond.BOUND


def _contexts(text: str, place: int) -> Iterator[str]:
    """Yield what stands around a mention: its clause, its record, its sentence, its paragraph."""
    yield _clause(text, place)
    opened, closed = text.rfind("{", 0, place), text.find("}", place)
    if opened >= 0 and closed >= 0:
        yield text[opened : closed + 1]
    yield _around(text, place, _SENTENCE)
    yield _paragraph(text, place)


def _around(text: str, place: int, border: re.Pattern[str]) -> str:
    start = max((match.end() for match in border.finditer(text, 0, place)), default=0)
    after = border.search(text, place)
    return text[start : after.start() if after else len(text)]


def _clause(text: str, place: int) -> str:
    """Return the clause of a mention; ``and`` ends one where each side has a value of its own."""
    start = max((match.end() for match in _CLAUSE.finditer(text, 0, place)), default=0)
    after = _CLAUSE.search(text, place)
    end = after.start() if after else len(text)
    for match in re.finditer(r"\band\b", text[start:end]):
        at = start + match.start()
        if at < place and _MARK.search(text, start, at):
            return _clause_from(text, at + 3, end, place)
        if at > place and _MARK.search(text, at, end):
            return text[start:at]
    return text[start:end]


def _clause_from(text: str, start: int, end: int, place: int) -> str:
    rest = text[start:end]
    for match in re.finditer(r"\band\b", rest):
        if start + match.start() > place and _MARK.search(text, start + match.start(), end):
            return rest[: match.start()]
    return rest


def _paragraph(text: str, place: int) -> str:
    """Return the line of a mention with the lines above it, up to the next that has no value: its heading."""
    lines = text[:place].split("\n")
    rest = text[place:].split("\n")
    if len(lines) + len(rest) <= 3:
        return text
    above: list[str] = []
    for line in reversed(lines[:-1]):
        if not _MARK.search(line):
            above.insert(0, line)
            if line.strip():
                break
    return "\n".join([*above, lines[-1] + rest[0]])


_EVERYWHERE = FUNCTION_WORDS | frozenset(_GENERIC.split())
_CONCEPTS: dict[str, str] = {}
for _line in _ALIKE.strip().splitlines():
    _first, *_rest = _line.split()
    for _word in (_first, *_rest):
        _CONCEPTS.setdefault(_word, _first)
        _CONCEPTS.setdefault(tokenize(_word, stem="english")[0], _first)
