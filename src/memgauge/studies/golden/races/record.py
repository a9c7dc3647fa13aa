"""The record of a race: every call with the ticks at which it began and ended, and what it returned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memgauge.studies.golden.races.operations import RaceDelete, RaceErase, RaceLook, RaceUpdate, RaceWrite

if TYPE_CHECKING:
    from memgauge.studies.golden.races.operations import RaceOperation, RacePlan


@dataclass(frozen=True)
class RaceCall:
    """One call; what ended before another began came before it, and nothing else is known of their order."""

    lane: int
    """Which thread made it; 0 is alone."""
    operation: RaceOperation
    begun: int
    ended: int
    raised: str = ""
    shown: tuple[str, ...] = ()
    """The tokens that a look brought back, in its order, once for every memory that holds them."""
    count: int = 0
    """How many memories a deletion says that it removed."""
    last: bool = False
    """Whether it is a look that was taken when all was done."""

    def before(self, other: RaceCall) -> bool:
        """Whether it had ended when *other* began."""
        return self.ended < other.begun


@dataclass(frozen=True)
class RaceToken:
    """One token: who wrote it, what may have ended it, and which memory it is a version of."""

    name: str
    user: str
    slot: str
    memory: str
    """The token with which the memory was first written."""
    births: tuple[RaceCall, ...]
    updates: tuple[RaceCall, ...]
    """Other versions of the same memory."""
    removals: tuple[RaceCall, ...]
    """Deletions of the memory and erasures of the user."""
    rivals: tuple[RaceCall, ...]
    """What else was said of the slot."""

    def surely_written(self, look: RaceCall) -> bool:
        """Whether a write of it was acknowledged before a look began."""
        return any(not birth.raised and birth.before(look) for birth in self.births)

    def may_follow(self, ending: RaceCall, look: RaceCall) -> bool:
        """Whether *ending* may have come after it was written and before a look ended."""
        return ending.begun < look.ended and any(not ending.before(birth) for birth in self.births)

    def surely_follows(self, ending: RaceCall, look: RaceCall) -> bool:
        """Whether *ending* was acknowledged before a look began and came after all writes of it."""
        return not ending.raised and ending.before(look) and all(birth.before(ending) for birth in self.births)


@dataclass(frozen=True)
class RaceHistory:
    """Everything that was called, in the order in which it began."""

    plan: RacePlan
    calls: tuple[RaceCall, ...]
    settles: bool = False
    """Whether a write can be read only after a flush, so that a look beside it may show anything of it."""

    @cached_property
    def looks(self) -> tuple[RaceCall, ...]:
        """Return the looks that returned."""
        return tuple(call for call in self.calls if isinstance(call.operation, RaceLook) and not call.raised)

    @cached_property
    def tokens(self) -> dict[str, RaceToken]:
        """Return every token that was written, by name."""
        owners, births, memories = self.plan.tokens(), self._births(), self._memories()
        made: dict[str, RaceToken] = {}
        for name, (user, slot) in owners.items():
            memory = memories.get(name, name)
            versions = {each for each in owners if each != name and memories.get(each, each) == memory}
            spoken = {each for each, owner in owners.items() if owner == (user, slot)} - versions - {name}
            made[name] = RaceToken(
                name,
                user,
                slot,
                memory,
                tuple(births.get(name, ())),
                tuple(call for each in versions for call in births.get(each, ())),
                tuple(call for call in self.calls if _removes(call.operation, user, memory)),
                tuple(call for each in spoken for call in births.get(each, ())),
            )
        return {name: token for name, token in made.items() if token.births}

    def _births(self) -> dict[str, list[RaceCall]]:
        births: dict[str, list[RaceCall]] = {}
        for call in self.calls:
            operation = call.operation
            names = [turn.token for turn in operation.turns] if isinstance(operation, RaceWrite) else []
            for name in [operation.token] if isinstance(operation, RaceUpdate) else names:
                births.setdefault(name, []).append(call)
        return births

    def _memories(self) -> dict[str, str]:
        updates = (call.operation for call in self.calls if isinstance(call.operation, RaceUpdate))
        return {update.token: update.memory for update in updates}


def _removes(operation: RaceOperation, user: str, memory: str) -> bool:
    if isinstance(operation, RaceDelete):
        return operation.memory == memory
    return isinstance(operation, RaceErase) and operation.user == user
