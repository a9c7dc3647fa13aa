"""From what was said of one slot to what held when: a pure function, blind to the order of arrival."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from memgauge.records.statements import Act, Statement

if TYPE_CHECKING:
    from collections.abc import Iterable

ALWAYS = datetime.min  # noqa: DTZ901 - naive like all times of turns
"""The time of what was said when no time was known: before everything."""


@dataclass(frozen=True, slots=True)
class TimedStatement:
    """One statement as it came: by which turn, when, and how many came before it."""

    row: int
    turn: str
    name: str
    """The id of the fact that begins with it."""
    told_at: datetime
    at: datetime
    """From when on it counts: when it was told, or the later day that it names."""
    statement: Statement
    text: str = ""
    """How the fact is worded; of a forgotten end, the id of the fact that it ended."""
    expires: datetime | None = None
    """From when on nobody may be told."""
    forgotten: bool = False
    """Only that something was said here is still known: what it took the place of does not come back."""


@dataclass(slots=True)
class Version:
    """One value of the slot for a while; *start* ``None`` is always, *end* ``None`` is for good."""

    stated: list[TimedStatement]
    start: datetime | None
    end: datetime | None = None
    closed_by: list[TimedStatement] = field(default_factory=list)
    """What ended it by name."""

    @property
    def first(self) -> TimedStatement:
        """What came first names it."""
        return min(self.stated, key=lambda timed: timed.row)

    @property
    def functional(self) -> bool:
        """Whether another value takes its place."""
        return self.stated[0].statement.functional

    @property
    def turns(self) -> tuple[str, ...]:
        """The turns that state it, in the order in which they came."""
        return tuple(dict.fromkeys(timed.turn for timed in sorted(self.stated, key=lambda timed: timed.row)))

    @property
    def expires(self) -> datetime | None:
        """When the last of what states it may no longer be told."""
        ends = [timed.expires for timed in self.stated]
        return None if None in ends else max(end for end in ends if end is not None)

    def holds(self, at: datetime) -> bool:
        """Whether nothing has ended it by *at*; what is asked in order of time has begun."""
        return self.end is None or at < self.end

    def is_about(self, value: str) -> bool:
        """Whether it has this value, however it is written."""
        return _folded(self.stated[0].statement.value) == _folded(value)


def versions(stated: Iterable[TimedStatement]) -> list[Version]:
    """Read statements in the order of their time (of the same time, as they came) and say what held when."""
    known: list[Version] = []
    holding: list[Version] = []
    for timed in sorted(stated, key=lambda each: (each.at, each.row)):
        statement = timed.statement
        holding = [version for version in holding if version.holds(timed.at)]
        if timed.forgotten:
            _close([version for version in holding if _displaces(timed, version)], timed.at)
        elif statement.act is Act.END:
            ended = [v for v in holding if not statement.value or v.is_about(statement.value)]
            _close(ended, timed.at)
            for version in ended:
                version.closed_by.append(timed)
        elif statement.act is Act.HOLD and is_over(statement, timed.at):
            _look_back(known, timed)
        elif statement.act is Act.HOLD and not _mention(holding, timed):
            if statement.functional:
                _close([version for version in holding if version.functional], timed.at)
            holding.append(Version([timed], timed.at, after(statement.until)))
            known.append(holding[-1])
    return known


def is_over(statement: Statement, at: datetime) -> bool:
    """Whether a statement speaks of the past: it says so, or names an end before it was said."""
    return statement.over or (statement.until is not None and at != ALWAYS and statement.until < at.date())


def after(day: date | None) -> datetime | None:
    """Return the first moment after *day*."""
    return None if day in {None, date.max} or day is None else datetime.combine(day + timedelta(days=1), time())


def _mention(holding: list[Version], timed: TimedStatement) -> bool:
    """Add a statement to the version that it repeats, if there is one; a new end counts."""
    for version in holding:
        if version.is_about(timed.statement.value):
            version.stated.append(timed)
            version.end = after(timed.statement.until) or version.end
            return True
    return False


def _displaces(timed: TimedStatement, version: Version) -> bool:
    """Whether what is forgotten ended a version: it had its own value, or it ended the one that it still names."""
    if timed.statement.act is Act.END:
        return any(stated.name == timed.text for stated in version.stated)
    return timed.statement.functional and version.functional


def _look_back(known: list[Version], timed: TimedStatement) -> None:
    """Add what ended before it was told; it ends a version of the same value and takes the place of nothing."""
    until = timed.statement.until
    end = timed.at if until is None else datetime.combine(until, time())
    end = end if timed.at == ALWAYS else min(timed.at, end)
    for version in known:
        if version.is_about(timed.statement.value) and (version.start or ALWAYS) < end:
            if version.holds(end):
                version.end = end
            elif version.end != end:
                continue
            version.stated.append(timed)
            return
    known.append(Version([timed], None, end))


def _close(ended: list[Version], at: datetime) -> None:
    for version in ended:
        version.end = at


def _folded(value: str) -> str:
    folded = " ".join(value.casefold().split())
    return folded.removeprefix("the ")
