"""What a thread does to a memory in a race, and a plan of several threads; everything is named, nothing drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random


@dataclass(frozen=True)
class RaceTurn:
    """One sentence: *slot* has the value that the name *token* stands for."""

    id: str
    slot: str
    token: str

    def __str__(self) -> str:
        return f"My {self.slot} is {self.token}."


@dataclass(frozen=True)
class RaceWrite:
    """Turns that are handed over in one call."""

    user: str
    turns: tuple[RaceTurn, ...]

    method: ClassVar = "ingest"

    def __str__(self) -> str:
        return f"{self.user} says {' '.join(map(str, self.turns))}"


@dataclass(frozen=True)
class RaceUpdate:
    """The memory that was written with the token *memory* gets a new text."""

    user: str
    slot: str
    memory: str
    token: str

    method: ClassVar = "update"

    def __str__(self) -> str:
        return f"{self.user} updates the memory of {self.memory} to My {self.slot} is {self.token}."


@dataclass(frozen=True)
class RaceDelete:
    """The memory that was written with the token *memory* is deleted by its id."""

    user: str
    memory: str

    method: ClassVar = "delete"

    def __str__(self) -> str:
        return f"{self.user} deletes the memory of {self.memory}"


@dataclass(frozen=True)
class RaceErase:
    """Everything of a user is erased."""

    user: str

    method: ClassVar = "erase"

    def __str__(self) -> str:
        return f"{self.user} is erased"


@dataclass(frozen=True)
class RaceLook:
    """Somebody looks: at everything, or at what a question about a slot returns."""

    user: str
    slot: str = ""
    """Empty lists everything."""

    @property
    def method(self) -> str:
        """Name what is called."""
        return "search" if self.slot else "dump"

    def __str__(self) -> str:
        return f"{self.user} searches {self.slot}" if self.slot else f"{self.user} lists"


@dataclass(frozen=True)
class RaceReopen:
    """The memory is closed and opened again; nothing else goes on."""

    method: ClassVar = "reopen"

    def __str__(self) -> str:
        return "the memory is opened again"


RaceOperation: TypeAlias = RaceWrite | RaceUpdate | RaceDelete | RaceErase | RaceLook | RaceReopen
Lanes: TypeAlias = tuple[tuple[RaceOperation, ...], ...]
Need: TypeAlias = Literal["mutable", "erasable", "durable"]


@dataclass(frozen=True)
class RacePlan:
    """What happens first, alone; then on several threads at once, phase by phase."""

    setup: tuple[RaceOperation, ...]
    phases: tuple[Lanes, ...]
    reopens: bool = False
    """Whether the memory is opened again after every phase."""

    def operations(self) -> Iterator[RaceOperation]:
        """Yield everything that is done."""
        yield from self.setup
        for lanes in self.phases:
            for lane in lanes:
                yield from lane

    def tokens(self) -> dict[str, tuple[str, str]]:
        """Return whose every token is, and of which slot."""
        owners: dict[str, tuple[str, str]] = {}
        for operation in self.operations():
            if isinstance(operation, RaceWrite):
                owners |= {turn.token: (operation.user, turn.slot) for turn in operation.turns}
            elif isinstance(operation, RaceUpdate):
                owners[operation.token] = (operation.user, operation.slot)
        return owners

    def looks(self) -> tuple[RaceLook, ...]:
        """Return every look that is taken when all is done: at each user's list and at each of their slots."""
        owners = dict.fromkeys(self.tokens().values())
        users = dict.fromkeys(user for user, _ in owners)
        return (*(RaceLook(user) for user in users), *(RaceLook(user, slot) for user, slot in owners))

    def one_by_one(self, dice: Random) -> RacePlan:
        """Return the same operations on one thread, in an order that the threads could have had."""
        return replace(self, phases=tuple((tuple(_merged(lanes, dice)),) for lanes in self.phases))


def _merged(lanes: Lanes, dice: Random) -> Iterator[RaceOperation]:
    left = [list(lane) for lane in lanes if lane]
    while left:
        lane = dice.choice(left)
        yield lane.pop(0)
        left = [lane for lane in left if lane]
