"""Shapes of races: small plans that are drawn, each of what one kind of bug needs to show."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from memgauge.studies.golden.races.operations import (
    RaceDelete,
    RaceErase,
    RaceLook,
    RacePlan,
    RaceTurn,
    RaceUpdate,
    RaceWrite,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from random import Random

    from memgauge.studies.golden.races.operations import Lanes, Need, RaceOperation

_SLOTS = (
    *("locker code", "badge colour", "parking bay", "desk number", "gym day", "boat name", "team song"),
    *("bus line", "tea blend", "dog breed", "hat size", "card suit", "rose sort", "lamp model", "coat maker"),
)
_USERS = ("ann", "bob", "cid")


class _Draft:
    """Draws operations, each with slots and tokens of its own."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self._numbers = count()

    def write(self, slot: int | None = None, user: str = "ann", turns: int = 1) -> RaceWrite:
        """Draw a write of some turns: about one slot, or about one each."""
        numbers = [next(self._numbers) for _ in range(turns)]
        slots = [_SLOTS[(number if slot is None else slot) % len(_SLOTS)] for number in numbers]
        # Ids are no clue to the order in which turns are said.
        ids = [f"{self.dice.randrange(16**4):04x}-{number}" for number in numbers]
        return RaceWrite(user, tuple(map(RaceTurn, ids, slots, (f"v{number}" for number in numbers))))

    def update(self, written: RaceWrite) -> RaceUpdate:
        """Draw a new value for what was written."""
        turn = written.turns[0]
        return RaceUpdate(written.user, turn.slot, turn.token, f"v{next(self._numbers)}")

    def reader(self, *of: RaceWrite, user: str = "ann") -> tuple[RaceLook, ...]:
        """Draw two to four looks, one after the other."""
        slots = ["", *(write.turns[0].slot for write in of)]
        return tuple(RaceLook(user, self.dice.choice(slots)) for _ in range(self.dice.randint(2, 4)))


def _beside(draft: _Draft) -> RacePlan:
    """One user says several things at once, each of something else."""
    lanes: list[tuple[RaceOperation, ...]] = [
        tuple(draft.write() for _ in range(draft.dice.randint(1, 2))) for _ in range(draft.dice.randint(2, 4))
    ]
    return RacePlan((), ((*lanes, draft.reader()),))


def _same(draft: _Draft) -> RacePlan:
    """One user says several things at once of one slot."""
    first = draft.write(0)
    lanes = [
        tuple(draft.write(0) for _ in range(draft.dice.randint(1, 2))) for _ in range(draft.dice.randint(2, 3))
    ]
    return RacePlan((first,), ((*lanes, draft.reader(first)),))


def _users(draft: _Draft) -> RacePlan:
    """Several users write and look at once."""
    return RacePlan((), (tuple(tuple(_own(draft, user)) for user in _USERS),))


def _own(draft: _Draft, user: str) -> Iterator[RaceOperation]:
    written = draft.write(user=user)
    yield written
    yield from draft.reader(written, user=user)[:2]
    yield draft.write(user=user)


def _batch(draft: _Draft) -> RacePlan:
    """Several turns are handed over in one call, while somebody looks."""
    lanes = [(draft.write(turns=draft.dice.randint(2, 3)),) for _ in range(2)]
    return RacePlan((), ((*lanes, draft.reader(), draft.reader()),))


def _twice(draft: _Draft) -> RacePlan:
    """One turn is delivered several times at once, as by a client that retries."""
    again = draft.write()
    return RacePlan((), (((again,), (again, draft.write()), (draft.write(), again)),))


def _update(draft: _Draft) -> RacePlan:
    """Memories are updated at once: one of them twice, and another beside it."""
    first, second = draft.write(), draft.write()
    lanes = [(draft.update(first),), (draft.update(first),), (draft.update(second), draft.write())]
    return RacePlan((first, second), ((*lanes, draft.reader(first)),))


def _delete(draft: _Draft) -> RacePlan:
    """A memory is deleted twice and updated at once; others are written and updated beside it."""
    first, second = draft.write(), draft.write()
    gone = RaceDelete("ann", first.turns[0].token)
    lanes: list[tuple[RaceOperation, ...]] = [
        (gone,),
        (gone, draft.write()),
        (draft.update(first),),
        (draft.update(second),),
    ]
    draft.dice.shuffle(lanes)
    return RacePlan((first, second), ((*lanes[: draft.dice.randint(2, 4)], draft.reader()),))


def _erase(draft: _Draft) -> RacePlan:
    """A user is erased while they, and somebody else, write."""
    first, second, other = draft.write(), draft.write(), draft.write(user="bob")
    lanes: list[tuple[RaceOperation, ...]] = [
        (RaceErase("ann"), draft.write()),
        (draft.write(), draft.write()),
        (draft.write(user="bob"),),
        draft.reader(first),
    ]
    return RacePlan((first, second, other), (tuple(lanes),))


def _restart(draft: _Draft) -> RacePlan:
    """Several write at once, the memory is opened again, and they go on."""
    phases: list[Lanes] = [
        tuple((draft.write(), draft.write(user=user)) for user in _USERS[: draft.dice.randint(2, 3)])
        for _ in range(2)
    ]
    return RacePlan((draft.write(),), tuple(phases), reopens=True)


@dataclass(frozen=True)
class RaceShape:
    """How plans of one kind are drawn, and what they need of a memory."""

    draw: Callable[[_Draft], RacePlan]
    need: Need | None = None

    @property
    def title(self) -> str:
        """Say what happens in it."""
        return (self.draw.__doc__ or "").rstrip(".")

    def plan(self, dice: Random) -> RacePlan:
        """Draw a plan."""
        return self.draw(_Draft(dice))


SHAPES: Mapping[str, RaceShape] = {
    "beside": RaceShape(_beside),
    "same": RaceShape(_same),
    "users": RaceShape(_users),
    "batch": RaceShape(_batch),
    "twice": RaceShape(_twice),
    "update": RaceShape(_update, "mutable"),
    "delete": RaceShape(_delete, "mutable"),
    "erase": RaceShape(_erase, "erasable"),
    "restart": RaceShape(_restart, "durable"),
}
"""Every shape by its name."""
