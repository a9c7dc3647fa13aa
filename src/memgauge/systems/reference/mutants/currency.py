"""Memories that do not know what holds now."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from memgauge.systems.reference.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from memgauge.records import Change, Scope, Turn
    from memgauge.records.statements import Statement
    from memgauge.systems.reference.ideal import IdealEntry


class AppendOnly(Mutant, how="append-only", breaks=("MIXED_VERSIONS", "STALE_READ")):
    """Never lets a new value take the place of an old one."""

    def _rivals(self, old: IdealEntry, new: IdealEntry) -> bool:  # noqa: ARG002 - the hook's signature
        return False


class KeepsFirst(Mutant, how="keeps-first", breaks=("STALE_READ", "OMISSION", "LOST_ACROSS_SESSION")):
    """Ignores corrections: the first value of a slot stays."""

    def _supersede(self, entry: IdealEntry) -> Generator[Change, None, IdealEntry]:
        if any(self._rivals(old, entry) and old.holds(entry.valid_from) for old in self._entries):
            return replace(entry, valid_to=entry.valid_from)
        return (yield from super()._supersede(entry))


class NeverEnds(Mutant, how="never-ends", breaks=("EXPIRED_READ",)):
    """Ignores that something ended or was removed."""

    def _end(self, scope: Scope, statement: Statement, at: datetime | None) -> Iterable[Change]:  # noqa: ARG002 - the hook's signature
        return ()


class TtlIgnored(Mutant, how="ttl-ignored", breaks=("EXPIRED_READ",)):
    """Lets nothing expire."""

    def _ending(self, statement: Statement, expires_at: datetime | None) -> datetime | None:
        return super()._ending(statement, expires_at) if statement.over else None


class TtlWallClock(Mutant, how="ttl-wall-clock", breaks=("EXPIRED_READ", "OMISSION", "LOST_ACROSS_SESSION")):
    """Lets things expire by the real clock instead of the time that it is told."""

    def __init__(self, *, clock: Callable[[], datetime] = datetime.now) -> None:
        super().__init__()
        self._today = clock

    def _ending(self, statement: Statement, expires_at: datetime | None) -> datetime | None:
        end = super()._ending(statement, expires_at)
        if statement.over or end is None:
            return end
        return datetime.min if end <= self._today() else None  # noqa: DTZ901 - naive like every time of a scenario


class TtlEarly(Mutant, how="ttl-early", breaks=("OMISSION", "LOST_ACROSS_SESSION")):
    """Lets everything expire after a day."""

    def _visible(self, entry: IdealEntry, as_of: datetime | None) -> bool:
        young = entry.at is None or as_of is None or as_of < entry.at + timedelta(days=1)
        return young and super()._visible(entry, as_of)


class LatestArrival(Mutant, how="latest-arrival", breaks=("TIME_AXIS_CONFUSION", "STALE_READ")):
    """Takes the order in which turns arrive for the order in which things happened."""

    def _event_time(self, turn: Turn) -> datetime | None:
        return max(filter(None, (self._latest, turn.at)), default=None)


class BackfillWins(Mutant, how="backfill-wins", breaks=("TIME_AXIS_CONFUSION",)):
    """Takes what is told of the past for the present."""

    def _learn(self, turn: Turn, scope: Scope, statement: Statement, number: int, **how: Any) -> Iterable[Change]:
        if statement.over:
            statement = replace(statement, over=False, until=None)
        return super()._learn(turn, scope, statement, number, **how)


class AnnouncedEarly(Mutant, how="announced-early", breaks=("FUTURE_READ", "STALE_READ", "OMISSION")):
    """Takes what is announced for what holds already."""

    def _learn(self, turn: Turn, scope: Scope, statement: Statement, number: int, **how: Any) -> Iterable[Change]:
        return super()._learn(turn, scope, replace(statement, since=None), number, **how)


class AnnouncedLost(Mutant, how="announced-lost", breaks=("OMISSION", "STALE_READ")):
    """Keeps nothing of what is announced."""

    def _learn(self, turn: Turn, scope: Scope, statement: Statement, number: int, **how: Any) -> Iterable[Change]:
        return super()._learn(turn, scope, statement, number, **how) if statement.since is None else ()


class AnnouncedReplaces(Mutant, how="announced-replaces", breaks=("OMISSION", "LOST_HISTORY")):
    """Ends what holds once a change is announced, and begins the new on its day."""

    def _supersede(self, entry: IdealEntry) -> Generator[Change, None, IdealEntry]:
        if entry.valid_from is None or entry.at is None or entry.valid_from <= entry.at:
            return (yield from super()._supersede(entry))
        at_once = yield from super()._supersede(replace(entry, valid_from=entry.at))
        return replace(at_once, valid_from=entry.valid_from)


MUTANTS = (
    AppendOnly,
    KeepsFirst,
    NeverEnds,
    TtlIgnored,
    TtlWallClock,
    TtlEarly,
    LatestArrival,
    BackfillWins,
    AnnouncedEarly,
    AnnouncedLost,
    AnnouncedReplaces,
)
