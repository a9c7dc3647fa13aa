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


class Currency(Mutant):
    """Mistakes one time for another."""

    family = "currency"


class AppendOnly(Currency):
    """Never lets a new value take the place of an old one."""

    how = "append-only"
    breaks = ("MIXED_VERSIONS", "STALE_READ")

    def rivals(self, old: IdealEntry, new: IdealEntry) -> bool:  # noqa: ARG002 - the hook's signature
        """Let everything hold beside everything."""
        return False


class KeepsFirst(Currency):
    """Ignores corrections: the first value of a slot stays."""

    how = "keeps-first"
    breaks = ("STALE_READ", "OMISSION", "LOST_ACROSS_SESSION")

    def supersede(self, entry: IdealEntry) -> Generator[Change, None, IdealEntry]:
        """End the new value where an old one holds."""
        if any(self.rivals(old, entry) and old.holds(entry.valid_from) for old in self._entries):
            return replace(entry, valid_to=entry.valid_from)
        return (yield from super().supersede(entry))


class NeverEnds(Currency):
    """Ignores that something ended or was removed."""

    how = "never-ends"
    breaks = ("EXPIRED_READ",)

    def end(self, scope: Scope, statement: Statement, at: datetime | None) -> Iterable[Change]:  # noqa: ARG002 - the hook's signature
        """Do nothing."""
        return ()


class TtlIgnored(Currency):
    """Lets nothing expire."""

    how = "ttl-ignored"
    breaks = ("EXPIRED_READ",)

    def ending(self, statement: Statement, expires_at: datetime | None) -> datetime | None:
        """Know only the end of what was over when it was told."""
        return super().ending(statement, expires_at) if statement.over else None


class TtlWallClock(Currency):
    """Lets things expire by the real clock instead of the time that it is told."""

    how = "ttl-wall-clock"
    breaks = ("EXPIRED_READ", "OMISSION", "LOST_ACROSS_SESSION")

    def __init__(self, *, clock: Callable[[], datetime] = datetime.now) -> None:
        super().__init__()
        self._today = clock

    def ending(self, statement: Statement, expires_at: datetime | None) -> datetime | None:
        """Expire at once what ends before today as the machine knows it, and nothing else."""
        end = super().ending(statement, expires_at)
        if statement.over or end is None:
            return end
        return datetime.min if end <= self._today() else None  # noqa: DTZ901 - naive like every time of a scenario


class TtlEarly(Currency):
    """Lets everything expire after a day."""

    how = "ttl-early"
    breaks = ("OMISSION", "LOST_ACROSS_SESSION")

    def visible(self, entry: IdealEntry, as_of: datetime | None) -> bool:
        """Whether *entry* holds and is of today."""
        young = entry.at is None or as_of is None or as_of < entry.at + timedelta(days=1)
        return young and super().visible(entry, as_of)


class LatestArrival(Currency):
    """Takes the order in which turns arrive for the order in which things happened."""

    how = "latest-arrival"
    breaks = ("TIME_AXIS_CONFUSION", "STALE_READ")

    def event_time(self, turn: Turn) -> datetime | None:
        """Return the latest time that was heard of, even where *turn* is older."""
        return max(filter(None, (self._latest, turn.at)), default=None)


class BackfillWins(Currency):
    """Takes what is told of the past for the present."""

    how = "backfill-wins"
    breaks = ("TIME_AXIS_CONFUSION",)

    def learn(self, turn: Turn, scope: Scope, statement: Statement, number: int, **how: Any) -> Iterable[Change]:
        """Forget that what is told is over."""
        if statement.over:
            statement = replace(statement, over=False, until=None)
        return super().learn(turn, scope, statement, number, **how)


MUTANTS = (AppendOnly, KeepsFirst, NeverEnds, TtlIgnored, TtlWallClock, TtlEarly, LatestArrival, BackfillWins)
