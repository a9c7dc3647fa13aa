"""What can be done wrong: an operator, the methods it fits, and the fault that dice make of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from memgauge.records import Scope
    from memgauge.studies.golden.breeding.calls import Advice, Passing

    Make = Callable[[Random, str], "BredFault"]

T = TypeVar("T")


@dataclass(frozen=True)
class BredFault:
    """One thing that is wrong."""

    says: str
    """What is wrong, in a sentence."""
    advice: Mapping[str, Advice]
    """What is done in the place of which methods."""


@dataclass(frozen=True)
class Operator:
    """One way to do things wrong."""

    name: str
    group: str
    """The class of failures that it belongs to."""
    stage: str
    """Where it works: on what is given, in what is kept, on what is returned, beside it."""
    methods: tuple[str, ...]
    make: Make


OPERATORS: dict[str, Operator] = {}
"""Every operator by its name."""


def operator(name: str, group: str, stage: str, *methods: str) -> Callable[[Make], Make]:
    """Register what makes faults of one kind."""

    def register(make: Make) -> Make:
        OPERATORS[name] = Operator(name, group, stage, methods, make)
        return make

    return register


@dataclass(frozen=True)
class Condition:
    """When something goes wrong."""

    says: str
    """A phrase that follows what goes wrong; empty where it always does."""
    met: Callable[[Passing], bool]


def pick(dice: Random, mapping: Mapping[str, T]) -> tuple[str, T]:
    """Choose an entry of a mapping."""
    name = dice.choice(list(mapping))
    return name, mapping[name]


COUNTS = (2, 3, 5, 10, 20, 50, 100, 200, 500)
"""After how many of something it goes wrong."""
LENGTHS = (100, 200, 400, 1_000, 4_000, 20_000)
"""From how many characters on."""


def always(dice: Random) -> Condition:  # noqa: ARG001 - one of many that draw
    """Go wrong every time."""
    return Condition("", lambda call: True)  # noqa: ARG005 - the condition's signature


def nth(dice: Random) -> Condition:
    """Go wrong at every few calls of the method."""
    every = dice.choice((2, 3, 5, 7))

    def met(call: Passing) -> bool:
        key = f"calls of {call.method}"
        call.past.notes[key] = call.past.notes.get(key, 0) + 1
        return bool(call.past.notes[key] % every == 0)

    return Condition(f", every {every} calls", met)


def after(dice: Random) -> Condition:
    """Go wrong once enough happened."""
    what, counts = pick(
        dice, {"write": COUNTS, "sweep": (1, 3, 10, 30, 100), "reopen": (1, 2, 3, 10), "search": (3, 10, 30)}
    )
    count = dice.choice(counts)
    return Condition(f", after {count} calls of {what}", lambda call: call.past.counts[what] >= count)


def since(dice: Random) -> Condition:
    """Go wrong once enough happened since something was forgotten."""
    what, counts = pick(dice, {"write": COUNTS, "sweep": (1, 3, 10, 30, 100), "reopen": (1, 2, 3, 10)})
    count = dice.choice(counts)

    def met(call: Passing) -> bool:
        return bool(call.past.lost) and call.past.since_forgetting[what] >= count

    return Condition(f", after {count} calls of {what} since something was forgotten", met)


def crowded(dice: Random) -> Condition:
    """Go wrong where much is stored."""
    limit = dice.choice((10, 30, 100, 250, 1_000))
    return Condition(
        f", where more than {limit} memories are stored", lambda call: len(call.stored(call.scope)) > limit
    )


_PEOPLE: Mapping[str, Callable[[Scope], bool]] = {
    "whose id is longer than 24 characters": lambda scope: len(scope.user) > 24,
    "whose id is not plain ASCII": lambda scope: not scope.user.isascii(),
    "whose id holds a capital": lambda scope: scope.user != scope.user.lower(),
    "whose id holds punctuation": lambda scope: not scope.user.isalnum(),
    "of another tenant than the default": lambda scope: scope.tenant != "default",
    "with an agent": lambda scope: scope.agent is not None,
    "in a confined session": lambda scope: scope.session is not None,
}


def somebody(dice: Random) -> Condition:
    """Go wrong for some people."""
    who, test = pick(dice, _PEOPLE)
    return Condition(f", for a user {who}", lambda call: test(call.scope))


def second_user(dice: Random) -> Condition:
    """Go wrong for whoever came late."""
    count = dice.choice((2, 3, 10, 50))
    return Condition(
        f", for all but the first {count - 1} users",
        lambda call: call.scope in list(call.past.scopes)[count - 1 :],
    )


def when(dice: Random, *kinds: Callable[[Random], Condition]) -> Condition:
    """Draw a condition of one of these kinds."""
    return dice.choice(kinds)(dice)


ANY = (always, nth, after, crowded, somebody, second_user)
"""Conditions of every kind that needs nothing forgotten."""
