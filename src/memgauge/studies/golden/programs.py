"""Programs: random scenarios, drawn as a swarm so that what they do collides.

Each program first draws a tiny universe (one to three scopes, one to three slots) and some of the rules, and then
a few moves from these; a program that may do everything hardly ever does the same thing twice. A program is an
ordinary scenario: the runner plays it and the ledger judges it, like one that was written by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Protocol, TypeVar

from memgauge.studies.golden.moves import MOVES, NEEDS
from memgauge.studies.golden.scenario import Provenance, Scenario, User
from memgauge.studies.golden.writer import Person, ProgramWriter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from memgauge.studies.golden.tokens import Kind

T = TypeVar("T")

GENERATOR, VERSION = "memgauge.programs", 4
"""Programs of another version differ; a version and a seed name them for ever."""
NAME = "fuzz.program"
"""All programs have one id, and so the same tokens, which makes them faster to look for."""
EVERYTHING = frozenset({"mutable", "erasable", "expiring", "auditable", "durable", "assembling", "answering"})
_PEOPLE = ("alice", "bob", "carol", "Alice", "ali", "al_ce", "alice2")
_SLOTS = ("deadline", "city", "budget", "editor", "hobby", "language", "allergy")
_MANY = frozenset({"hobby", "language", "allergy"})
_KINDS: tuple[Kind, ...] = ("word", "word", "word", "date", "number", "code")
_SIZES = (2, 4, 6, 9, 13, 18)
_ALICE = User(user="alice")
_SHAPES = {
    "tenants": (Person(User(user="alice", tenant="acme")),),
    "agents": (Person(User(user="alice", agent="coder")),),
    "session": (Person(_ALICE, "aside"),),
    "sessions": (Person(_ALICE, "aside"), Person(_ALICE, "apart")),
}
"""Who shares alice's name, by the shape of a program."""


class ChoiceSource(Protocol):
    """Whatever choices are drawn from: dice with a seed, or Hypothesis."""

    def choose(self, options: Sequence[T]) -> T:
        """Choose one of *options*; the first is the simplest."""
        ...


@dataclass(frozen=True)
class SeededChoices:
    """Choices from a seed."""

    random: Random

    def choose(self, options: Sequence[T]) -> T:
        """Choose one of *options*, each as likely as the others."""
        return options[self.random.randrange(len(options))]


def draw(source: ChoiceSource, offers: Collection[str] = EVERYTHING, *, generator: str = "") -> Scenario:
    """Draw one program that a memory with these optional protocols can be put through."""
    writer = ProgramWriter(source.choose, draw_people(source), draw_slots(source))
    rules = draw_rules(source, offers)
    for _ in range(source.choose(_SIZES)):
        MOVES[source.choose(rules)](writer)
    writer.finish(maintain="maintenance" in rules, restart="restart" in rules)
    return scenario_of(writer, generator)


def scenario_of(writer: ProgramWriter, generator: str) -> Scenario:
    """Make a scenario of what was written down."""
    return Scenario(
        id=NAME,
        title="a random program",
        family="fuzz",
        tags=("rare",),
        provenance=Provenance(kind="fuzz", generator=generator),
        vars={name: kind for name, kind in writer.kinds.items() if kind != "word"},
        repeats=1,
        steps=tuple(writer.steps),
    )


def programs(seed: int | str, offers: Collection[str] = EVERYTHING) -> Iterator[Scenario]:
    """Yield programs without end; each follows from the seed and its number alone."""
    for number in count():
        name = f"{GENERATOR}/{VERSION}/{seed}-{number}"
        yield draw(SeededChoices(Random(name)), offers, generator=name)  # noqa: S311 - programs that can be repeated


def draw_people(source: ChoiceSource) -> tuple[Person, ...]:
    """Draw whose memory it is: mostly different users, at times one under two tenants, with two agents or alone.

    Alone is in one session or two that keep to themselves.
    """
    shape = source.choose(("one", "two", "two", "three", "tenants", "agents", "session", "sessions"))
    if shape in _SHAPES:
        return Person(_ALICE), *_SHAPES[shape]
    people = [_ALICE]
    for _ in range(("one", "two", "three").index(shape)):
        taken = {person.user for person in people}
        people.append(User(user=source.choose([name for name in _PEOPLE if name not in taken])))
    return tuple(map(Person, people))


def draw_slots(source: ChoiceSource) -> dict[str, tuple[Kind, bool]]:
    """Draw what is talked about: slots with the type of their values and whether they have many at a time."""
    slots: dict[str, tuple[Kind, bool]] = {}
    for _ in range(source.choose((1, 1, 2, 3))):
        name = source.choose([slot for slot in _SLOTS if slot not in slots])
        slots[name] = (source.choose(_KINDS), name in _MANY)
    return slots


def draw_rules(source: ChoiceSource, offers: Collection[str]) -> list[str]:
    """Draw some of the rules that the memory can follow; telling and reading always belong to them."""
    able = [name for name in MOVES if NEEDS.get(name, frozenset()) <= set(offers)]
    odds = source.choose(((True, False), (True, False, False, False)))
    return ["tell", "read", *(name for name in able if source.choose(odds))]
