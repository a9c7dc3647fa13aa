"""The ledger: what was written by whom and when, and so what holds, and what must never be seen again.

Every value is a token that occurs nowhere else, so that whatever returns it names its writer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from memgauge.studies.golden.tokens import TokenIndex

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping
    from datetime import datetime

    from memgauge.records import Scope, Turn


class Mood(StrEnum):
    """How a value was said."""

    FACT = "fact"
    SUPPOSED = "supposed"
    """Imagined, quoted, denied: said, and not true."""
    PLANTED = "planted"
    """Said by a channel that must not be believed."""


@dataclass(frozen=True, slots=True)
class LedgerWrite:
    """One value as it was said."""

    number: int
    step: int
    """The step of the scenario."""
    scope: Scope
    session: str
    slot: str
    token: str
    turn: str
    said_at: datetime
    valid_from: datetime | None
    valid_to: datetime | None = None
    """The first moment at which it no longer holds."""
    functional: bool = True
    mood: Mood = Mood.FACT
    backfilled: bool = False
    """Whether it was told of the past."""
    ended_by: int | None = None
    """The write that took its place."""
    restated: bool = False
    """Whether it was put in the place of another value by its id, which no turn says."""
    erased: int | None = None
    """The step that erased it."""
    text: str = ""
    """All that was said, where it is known."""
    expires: datetime | None = None
    """The end that the memory was handed, after which no search may return it; it may be replaced before."""

    def holds(self, at: datetime) -> bool:
        """Whether it is true at *at*."""
        begun = self.valid_from is None or self.valid_from <= at
        return (
            self.mood is Mood.FACT
            and self.erased is None
            and begun
            and (self.valid_to is None or at < self.valid_to)
        )

    @property
    def announced(self) -> bool:
        """Whether it was told before it began to hold."""
        return self.valid_from is not None and self.valid_from > self.said_at

    def ran_out(self, now: datetime) -> bool:
        """Whether the end that the memory was handed has passed."""
        return self.expires is not None and self.expires <= now and self.erased is None

    def is_loose(self, at: datetime, asked_at: datetime | None) -> bool:
        """Whether a memory that is asked for *at* need not return it: it ran out, or had not been told by then."""
        return self.ran_out(asked_at or at) or (self.backfilled and at < self.said_at)

    def ends_on_the_day_of(self, at: datetime) -> bool:
        """Whether it is a past whose last day is that of *at*: "until Friday" may mean through Friday, or not."""
        if self.valid_to in {None, self.said_at} or not self.backfilled or self.erased is not None:
            return False
        return self.valid_to <= at < self.valid_to + timedelta(days=1)


class ScenarioLedger:
    """Everything that was said in one run of one scenario."""

    def __init__(self) -> None:
        self._writes: list[LedgerWrite] = []
        self._places: dict[str, list[int]] = {}
        """Where the writes of every value stand."""
        self.users: set[str] = set()
        """Everybody who said something."""
        self._slots: dict[Scope, dict[str, LedgerWrite]] = {}
        self.tokens = TokenIndex()
        """Finds which values of this ledger stand in a text."""
        self.turns: dict[tuple[Scope, str], Turn] = {}
        """What was said, by whose it is and its id."""
        self._told: dict[Scope, datetime] = {}
        """The latest time of anything that was said, by whose it is."""
        self._swept: datetime | None = None

    def __iter__(self) -> Iterator[LedgerWrite]:
        return iter(self._writes)

    def write(self, write: LedgerWrite) -> LedgerWrite:
        """Note a write; a fact with one value at a time ends where the next one begins, in the order of time."""
        write = replace(write, number=len(self._writes) + 1)
        if write.mood is Mood.FACT and write.functional and write.valid_from is not None:
            for place, old in enumerate(self._writes):
                if old.slot == write.slot and old.scope == write.scope and self._rivals(old, write):
                    if old.valid_from is None or old.valid_from <= write.valid_from:
                        if old.valid_to is None or old.valid_to > write.valid_from:
                            self._writes[place] = replace(old, valid_to=write.valid_from, ended_by=write.number)
                    elif write.valid_to is None or write.valid_to > old.valid_from:
                        write = replace(write, valid_to=old.valid_from, ended_by=old.number)
        self._add(write)
        return write

    def _add(self, write: LedgerWrite) -> None:
        self._places.setdefault(write.token, []).append(len(self._writes))
        self._slots.setdefault(write.scope, {})[write.slot] = write
        self.users.add(write.scope.user)
        self.tokens.add(write.token)
        self._writes.append(write)

    def restate(self, step: int, old: LedgerWrite, token: str) -> None:
        """Note that another value was put in the place of *old*, for all of its time."""
        number = len(self._writes) + 1
        place = self._writes.index(old)
        self._writes[place] = replace(old, valid_to=old.valid_from, ended_by=number)
        text = old.text.replace(old.token, token)
        self._add(replace(old, number=number, step=step, token=token, text=text, restated=True))

    def hear(self, scope: Scope, turn: Turn) -> None:
        """Note that something was said, whatever it means."""
        self.turns[scope, turn.id] = turn
        if turn.at is not None:
            self._told[scope] = max(turn.at, self._told.get(scope, turn.at))

    def sweep(self, now: datetime) -> None:
        """Note that the memory was told the time, to do its maintenance."""
        self._swept = now

    def clock(self, scope: Scope) -> datetime | None:
        """Return the latest time that a memory was told under *scope*: by what was said, or by a sweep."""
        return max((at for at in (self._told.get(scope), self._swept) if at is not None), default=None)

    def turned(self, scope: Scope, now: datetime) -> bool:
        """Whether anything began or ended by itself before *now*, since the memory was last told the time."""
        known_until = self.clock(scope)
        own = (write for write in self._writes if write.scope == scope)
        limits = (
            at for write in own for at in (write.valid_from, write.valid_to, write.expires) if at is not None
        )
        return known_until is not None and any(known_until < at <= now for at in limits)

    @staticmethod
    def _rivals(old: LedgerWrite, new: LedgerWrite) -> bool:
        return old.mood is Mood.FACT and old.functional and old.erased is None and old.token != new.token

    def end(self, scope: Scope, slot: str, at: datetime, token: str | None = None) -> None:
        """Note that a slot, or one value of it, no longer holds."""
        for place, old in enumerate(self._writes):
            if old.scope == scope and old.slot == slot and old.holds(at) and token in {None, old.token}:
                self._writes[place] = replace(old, valid_to=at)

    def erase(
        self,
        step: int,
        scope: Scope,
        slot: str | None = None,
        at: datetime | None = None,
        *,
        spared: Container[str] = (),
    ) -> list[LedgerWrite]:
        """Note that a scope, one slot of it, or what that has at a time was erased; return what was.

        Values in *spared* stay: nobody could ask for their deletion.
        """
        gone = []
        for place, old in enumerate(self._writes):
            if old.token in spared or (at is not None and not old.holds(at)):
                continue
            if old.scope == scope and slot in {None, old.slot} and old.erased is None:
                self._writes[place] = replace(old, erased=step)
                gone.append(self._writes[place])
        return gone

    def written(self, scope: Scope, slot: str) -> list[LedgerWrite]:
        """Return everything that was ever said of a slot."""
        return [w for w in self._writes if w.scope == scope and w.slot == slot]

    def holding(self, scope: Scope, slot: str, at: datetime) -> list[LedgerWrite]:
        """Return what holds of a slot at a time."""
        return [w for w in self._writes if w.scope == scope and w.slot == slot and w.holds(at)]

    def undecided(
        self, scope: Scope, slot: str, at: datetime, asked_at: datetime | None = None
    ) -> list[LedgerWrite]:
        """Return what a memory may give for a slot at a time, and need not.

        That is what ran out before it was asked for, which no search need return any more; a past on its last
        day, or as of a time at which it had not been told yet, which some memories take for what was known then;
        and what may or may not have held beside another past: whether "until May it was X" takes the place of what
        was said of the time before, or follows it, is nowhere said. What was told last is sure, unless it is a
        past that ends after another.
        """
        written = self.written(scope, slot)
        loose = [w for w in written if w.ends_on_the_day_of(at) or (w.holds(at) and w.is_loose(at, asked_at))]
        rivals = [w for w in written if w.functional and (w.holds(at) or w in loose)]
        pasts = [w.valid_to for w in rivals if w.backfilled and w.valid_to is not None]
        if not pasts or len({w.token for w in rivals}) == 1:
            return loose
        last_told = max(rivals, key=lambda w: w.number)
        if not last_told.backfilled or last_told.valid_to == min(pasts):
            rivals.remove(last_told)
        return loose + rivals

    def writes_of(self, token: str) -> list[LedgerWrite]:
        """Return every write of a token."""
        return [self._writes[place] for place in self._places.get(token, ())]

    def slots(self, scope: Scope) -> Mapping[str, LedgerWrite]:
        """Return the last write of every slot that somebody spoke of."""
        return self._slots.get(scope, {})
