"""The workbench of one life: what is said goes to the desk, what it means to the facts."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from memgauge.datasets.synthetic.desk import Desk, session_of
from memgauge.datasets.synthetic.dice import Dice
from memgauge.datasets.synthetic.names import PERSONA, Names, word
from memgauge.datasets.synthetic.words import ACTS, MIXED, WordingLevel
from memgauge.records import Fact

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memgauge.datasets.synthetic.sizes import WorldSize
    from memgauge.datasets.synthetic.words import Theme

VERSION = 2
"""Part of every key of randomness: a change of what is generated is a new version."""
ME = "user"
"""The subject of what a user says of themselves."""
LEVELS = tuple(WordingLevel)


class UserLife:
    """Everything about one user while it is made."""

    def __init__(self, seed: int, user: int, size: WorldSize, *, level: str, plausible: bool) -> None:
        self.key = (seed, VERSION, "user", user)
        self.user = user
        self.size = size
        self.conversation = conversation_id(user)
        self.desk = Desk(persona(user), size, self.dice("desk"))
        beyond = self.end.date() + timedelta(days=60)  # no end of anything else falls on a deadline
        self.names = Names(user, self.dice("names"), beyond, plausible=plausible)
        self.facts: list[Fact] = []
        self._level = level
        self._wording = self.dice("wording")

    def dice(self, *purpose: object) -> Dice:
        """Return the randomness of one purpose, which nothing else can disturb."""
        return Dice(*self.key, *purpose)

    @property
    def end(self) -> datetime:
        """Return when everything is asked: the day after the last session."""
        return self.desk.dates[-1] + timedelta(days=1)

    def clause(self, theme: Theme, *, out: bool = False, inner: str = "", **values: object) -> str:
        """Word *theme* at the level of the world; *out* takes the clauses that end something."""
        level = self._wording.pick(LEVELS) if self._level == MIXED else self._level
        name = f"{inner}.{level}" if inner else f"{level}_out" if out else level
        return self._wording.pick(theme.lines[name]).format(**values)

    def topic(self, theme: Theme) -> str:
        """Name what *theme* is about, at the level of the world."""
        level = self._wording.pick(LEVELS) if self._level == MIXED else self._level
        return theme.lines[f"topic.{level}"][0]

    def say(self, act: str, clause: str, session: int, **values: object) -> str:
        """Put *clause* into a sentence of a speech act and place it; return the id of the turn."""
        text = self._wording.pick(ACTS[act]).format(s=clause, **values)
        return self.desk.say(text, session, "tool" if act == "plant" else "user")

    def sessions(self, dice: Dice, n: int, among: Iterable[int] | None = None) -> list[int]:
        """Draw *n* different sessions that have room, in order of time."""
        return sorted(dice.sample(self.desk.roomy(among), n))

    def date(self, turn: str) -> datetime:
        """Return when the session of *turn* was."""
        return self.desk.dates[session_of(turn)]

    def hold(
        self,
        slot: str,
        value: str,
        turns: tuple[str, ...],
        *,
        subject: str = ME,
        start: datetime | None = None,
        end: datetime | None = None,
        functional: bool = True,
    ) -> Fact:
        """Note that something is true, from *start* (or always) to *end* (or for good)."""
        fact = Fact(
            f"f{len(self.facts) + 1:03d}", self.conversation, subject, slot, value, turns, functional, start, end
        )
        self.facts.append(fact)
        return fact


def conversation_id(user: int) -> str:
    """Name the conversation of a user."""
    return f"u{user:06d}"


def persona(user: int) -> str:
    """Name a user."""
    return word(user, PERSONA)


def turns_of(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Collect the turns that state any of *facts*, each once."""
    return tuple(dict.fromkeys(turn for fact in facts for turn in fact.turns))
