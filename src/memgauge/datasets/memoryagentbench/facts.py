"""FactConsolidation's facts: numbered lines of a few forms, in which a larger number is newer and wins.

The forms are those of MQuAKE's edits, its slips of spelling included. A line of another form is a turn like any
other, and states no fact that is known here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memgauge.datasets.places import FieldPath

_LINE: Final = re.compile(r"(\d{1,7})\. (.*)", re.ASCII)
_AROUND: Final = (
    ("The company that produced ", " is "),
    ("The type of music that ", " plays is "),
    ("The univeristy where ", " was educated is "),
    ("The university where ", " was educated is "),
    ("The headquarters of ", " is located in the city of "),
    ("The name of the current head of state in ", " is "),
    ("The name of the current head of the ", " government is "),
)
_OFFICE: Final = re.compile(r"(The [A-Za-z ]+? of )(.+) is (.+)")
"""The capital, the author, the director, the prime minister of something, and the like."""
_BETWEEN: Final = (
    " is a citizen of ",
    " is married to ",
    " is located in the continent of ",
    " is affiliated with the religion of ",
    " is associated with the sport of ",
    " is famous for ",
    " is employed by ",
    " speaks the language of ",
    " plays the position of ",
    " works in the field of ",
    " worked in the city of ",
    " was born in the city of ",
    " died in the city of ",
    " was founded in the city of ",
    " was founded by ",
    " was created in the country of ",
    " was created by ",
    " was developed by ",
    " was performed by ",
    " was written in the language of ",
    "'s child is ",
)


class NumberedFact(NamedTuple):
    """One line."""

    number: int
    text: str
    """Without its number."""

    @property
    def turn(self) -> str:
        """Name its turn."""
        return f"f{self.number:05d}"


class StatedFact(NamedTuple):
    """What a line says, where it has a known form."""

    subject: str
    relation: str
    """The words around the subject and before the value: ``The capital of … is``."""
    value: str


@dataclass(frozen=True)
class RivalFacts:
    """The facts of one conversation, and which of them speak of the same thing."""

    facts: Sequence[NumberedFact]
    stated: Mapping[int, StatedFact]
    """By number."""
    groups: Mapping[tuple[str, str], Sequence[int]]
    """The numbers of the facts of one relation and subject, oldest first."""

    @classmethod
    def of(cls, facts: Sequence[NumberedFact]) -> RivalFacts:
        """Read what every fact says."""
        read = ((fact.number, stated_by(fact.text)) for fact in facts)
        stated = {number: claim for number, claim in read if claim is not None}
        groups: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        for number, claim in stated.items():
            groups[claim.relation, claim.subject].append(number)
        return cls(facts, stated, dict(groups))

    def rivals(self, number: int) -> Sequence[int]:
        """Return the other facts of the same subject and relation."""
        claim = self.stated.get(number)
        group = self.groups[claim.relation, claim.subject] if claim else ()
        return [other for other in group if other != number]


def facts_in(place: FieldPath, context: str) -> list[NumberedFact]:
    """Read the numbered lines below the heading.

    Raises:
        MalformedDataError: A line has no number, or not the next one.
    """
    facts: list[NumberedFact] = []
    for at, line in enumerate(context.split("\n")):
        match = _LINE.fullmatch(line.rstrip("\r"))
        if match is None and (not line.strip() or not facts):
            continue
        if match is None or int(match[1]) != len(facts):
            why = f"line {at + 1} is not fact number {len(facts)}"
            raise place.wrong(why, "Take the row as it is published.")
        facts.append(NumberedFact(len(facts), match[2]))
    if not facts:
        raise place.wrong("no numbered fact is in it", "Take the row as it is published.")
    return facts


def stated_by(text: str) -> StatedFact | None:
    """Read a line of a known form; titles may hold the words before a value, so the last ones count."""
    sentence = text.removesuffix(".")
    for head, tail in _AROUND:
        if sentence.startswith(head):
            subject, middle, value = sentence[len(head) :].rpartition(tail)
            if middle and subject and value:
                return StatedFact(subject, f"{head}…{tail}".strip(), value)
    if office := _OFFICE.fullmatch(sentence):
        return StatedFact(office[2], f"{office[1]}… is", office[3])
    for between in _BETWEEN:
        subject, middle, value = sentence.rpartition(between)
        if middle and subject and value:
            return StatedFact(subject, f"…{between}".strip(), value)
    return None


def resting_on(question: str, answers: Sequence[str], facts: Iterable[NumberedFact]) -> NumberedFact | None:
    """Infer the one fact that a single-hop question rests on.

    It ends, or begins, with an accepted answer and shares most words with the question; two that share as many
    leave it open.
    """
    wanted = tuple(filter(None, map(fold, answers)))
    asked = set(fold(question).split())
    candidates: list[tuple[int, NumberedFact]] = []
    for fact in facts:
        folded = fold(fact.text)
        if any(_ends(folded, answer) for answer in wanted):
            candidates.append((len(asked & set(folded.split())), fact))
    best = max((shared for shared, _ in candidates), default=0)
    chosen = [fact for shared, fact in candidates if shared == best]
    return chosen[0] if len(chosen) == 1 else None


def _ends(text: str, answer: str) -> bool:
    return text == answer or text.endswith(f" {answer}") or text.startswith(f"{answer} ")
