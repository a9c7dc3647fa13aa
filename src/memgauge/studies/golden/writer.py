"""The writer: a random program while it is written down, and what the next move must know of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from memgauge.studies.golden.scenario import AskStep, Maintenance, Restart, Say, SessionStep, User

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from memgauge.studies.golden.scenario import Step
    from memgauge.studies.golden.tokens import Kind

SPANS = ("1d", "2d", "3d", "6d", "40d")
"""Distances in time: few, so that they meet."""
_TIMELESS = ("recall", "answer")
"""The layers that are told what time it is."""


def variable(number: int) -> str:
    """Name a variable: a to z, aa, ab; without digits, since the copies of a bulk are told apart by them."""
    name = ""
    while number >= 0:
        number, letter = divmod(number, 26)
        name, number = chr(97 + letter) + name, number - 1
    return name


@dataclass(frozen=True)
class Person:
    """Whoever speaks: a user, at times in a session that keeps to itself."""

    user: User
    session: str = ""
    """The session that keeps to itself; empty outside of every such session."""

    def begins(self, open_session: str) -> tuple[Step, ...]:
        """Return the steps after which it is this person who speaks."""
        confined = bool(self.session)
        return self.user, SessionStep(session=self.session or open_session, confined=confined)


class ProgramWriter:
    """Writes down a program, and remembers of it what the next move must know."""

    def __init__(
        self,
        choose: Callable[[Sequence[Any]], Any],
        people: Sequence[Person],
        slots: Mapping[str, tuple[Kind, bool]],
    ) -> None:
        self.choose = choose
        self.people = people
        self.slots = slots
        self.steps: list[Step] = []
        self.kinds: dict[str, Kind] = {}
        self.who = people[0]
        self.session = 0
        self.sessions: list[str] = ["s0", *(person.session for person in people if person.session)]
        self.told: dict[tuple[Person, str], list[str]] = {}
        """Variables that were said, by person and slot."""
        self.ending: set[Person] = set()
        """Whose values may end without a word, so that only who is told the time can know."""

    def new(self, slot: str) -> str:
        """Name a new variable for a slot."""
        name = variable(len(self.kinds))
        self.kinds[name] = self.slots[slot][0] if slot in self.slots else "word"
        self.told.setdefault((self.who, slot), []).append(name)
        return name

    def add(self, *steps: Step) -> None:
        """Write down steps."""
        self.steps += steps

    def turn_to(self, person: Person) -> None:
        """Let somebody else speak, or the same user elsewhere."""
        user, session = person.begins(f"s{self.session}")
        if person.user != self.who.user:
            self.add(user)
        if person.session != self.who.session:
            self.add(session)
        self.who = person

    def someone(self) -> None:
        """Let anybody speak."""
        self.turn_to(self.choose(self.people))

    def slot(self) -> str:
        """Choose a slot."""
        return str(self.choose(tuple(self.slots)))

    def saying(self, slot: str, **more: Any) -> Say:
        """Say that a slot has a new value, or one more."""
        name, many = self.new(slot), self.slots[slot][1]
        key, verb = ("adds", "includes") if many else ("sets", "is")
        begins = f" from {{@{more['starts']}}} on" if "starts" in more else ""
        ends = f" until {{@{more['until']}}}" if "until" in more else ""
        return said(f"My {slot} {verb} {{{name}}}{begins}{ends}.", **{key: {slot: name}, **more})

    def asking(self, slot: str, **more: Any) -> AskStep:
        """Ask for a slot, in every layer that can know."""
        layers = {"layers": _TIMELESS} if self.who in self.ending else {}
        k = {"k": 100} if slot in self.slots and self.slots[slot][1] else {}
        return AskStep.model_validate({"ask": f"What is my {slot}?", "about": slot, **layers, **k, **more})

    def finish(self, *, maintain: bool, restart: bool) -> None:
        """End by reading everything, as everybody, in a new session; the last read has something to find."""
        if maintain and self.choose((False, True)):
            self.add(Maintenance(maintenance=1))
        if restart and self.choose((False, True)):
            self.add(Restart(restart="process"))
        self.new_session()
        past = self.choose((None, None, *SPANS))
        for person in self.people:
            self.turn_to(person)
            self.add(*(self.asking(slot) for slot in self.slots))
            if past:
                self.add(*(self.asking(slot, as_of=f"-{past}") for slot in self.slots))
        self.control()

    def control(self) -> None:
        """Say something and read it: where nothing has to come back, what stays away proves nothing."""
        name = self.new("colour")
        self.add(said(f"My colour is {{{name}}}.", sets={"colour": name}))
        self.add(self.asking("colour", layers=("recall",)))

    def new_session(self) -> None:
        """Begin another session, and leave one that keeps to itself."""
        self.session += 1
        self.sessions.append(f"s{self.session}")
        self.add(SessionStep(session=self.sessions[-1]))
        self.who = replace(self.who, session="")


def said(text: str, **more: Any) -> Say:
    """Say *text*, with the keys that say what it means."""
    return Say.model_validate({"say": text, **more})
