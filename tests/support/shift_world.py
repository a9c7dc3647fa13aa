"""A small world for the shift study: the generated one, and what may be done to it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.records import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.records import Case, Gold


@dataclass(frozen=True)
class World:
    """The tiny generated world with every case passed through a function."""

    change: Callable[[Case], Case] = lambda case: case

    @property
    def identity(self) -> DatasetIdentity:
        """Name it after what it is made of."""
        return open_dataset("synthetic:tiny").identity

    def cases(self) -> Iterator[Case]:
        """Yield the changed cases."""
        return map(self.change, open_dataset("synthetic:tiny").cases())

    def gold(self) -> Iterator[Gold]:
        """Yield the gold as it is."""
        return open_dataset("synthetic:tiny").gold()

    def describe(self) -> Mapping[str, object]:
        """Count nothing."""
        return {}


def rewritten(session: int, text: str) -> Callable[[Case], Case]:
    """Return a change that replaces everything said in and after a session."""

    def change(case: Case) -> Case:
        sessions = tuple(
            replace(s, turns=tuple(replace(turn, text=text) for turn in s.turns)) if number >= session else s
            for number, s in enumerate(case.conversation.sessions)
        )
        return replace(case, conversation=replace(case.conversation, sessions=sessions))

    return change


def one_session(case: Case) -> Case:
    """Put everything into the first session."""
    first = case.conversation.sessions[0]
    turns = tuple(case.conversation.turns())
    return replace(case, conversation=replace(case.conversation, sessions=(replace(first, turns=turns),)))


def told_first(case: Case) -> Case:
    """Put everything into the first session, and say something else in a second one."""
    (first,) = one_session(case).conversation.sessions
    later = Session("later", first.at, (replace(first.turns[0], id="later:t01", session="later"),))
    return replace(case, conversation=replace(case.conversation, sessions=(first, later)))


@dataclass(frozen=True)
class Unlabelled(World):
    """The same world of which nobody says where its answers stand."""

    def gold(self) -> Iterator[Gold]:
        """Yield the gold without evidence."""
        return (replace(gold, evidence=()) for gold in World.gold(self))
