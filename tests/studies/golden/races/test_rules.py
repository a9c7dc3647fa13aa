"""Histories by hand: what each of them shows, and what an order explains."""

from __future__ import annotations

import pytest

from memgauge.studies.golden.races.operations import (
    RaceDelete,
    RaceErase,
    RaceLook,
    RaceOperation,
    RacePlan,
    RaceReopen,
    RaceTurn,
    RaceUpdate,
    RaceWrite,
)
from memgauge.studies.golden.races.record import RaceCall, RaceHistory
from memgauge.studies.golden.races.rules import breaches, judged


def said(token: str, slot: str = "door", user: str = "ann") -> RaceWrite:
    """Write one token."""
    return RaceWrite(user, (RaceTurn(token, slot, token),))


def call(begun: int, ended: int, operation: RaceOperation, shown: str = "", **rest: object) -> RaceCall:
    """Record a call; what a look showed is written with spaces."""
    return RaceCall(1, operation, begun, ended, shown=tuple(shown.split()), **rest)  # type: ignore[arg-type] # of a test


def kinds(*calls: RaceCall, settles: bool = False, register: bool = False) -> set[str]:
    """Name what a history shows of a log, or of a memory that keeps one value a slot."""
    plan = RacePlan((), (tuple((each.operation,) for each in calls),))
    skipped = (
        ("lost/", "empty memory") if register else ("older of slot", "mixed slot", "cycle of slot", "empty slot")
    )
    seen = breaches(RaceHistory(plan, calls, settles))
    return {str(breach.anomaly) for breach in seen if not breach.rule.startswith(skipped)}


LIST, UPDATE = RaceLook("ann"), RaceUpdate("ann", "door", "a", "b")


@pytest.mark.parametrize(
    ("calls", "seen"),
    [
        ((call(1, 4, said("a")), call(2, 3, LIST)), set()),
        ((call(1, 2, said("a")), call(3, 4, LIST, last=True)), {"LOST_UPDATE"}),
        ((call(1, 2, said("a")), call(3, 4, LIST), call(5, 6, LIST, "a", last=True)), {"STALE_READ"}),
        ((call(1, 6, said("a")), call(2, 3, LIST, "a"), call(4, 5, LIST)), {"DIRTY_READ"}),
        ((call(1, 2, said("a"), raised="busy"), call(3, 4, LIST, "a")), {"DIRTY_READ"}),
        ((call(1, 2, said("a", user="bob")), call(3, 4, LIST, "a")), {"CROSS_USER_LEAK"}),
        ((call(1, 2, said("a")), call(3, 4, LIST, "a a", last=True)), {"DUPLICATE"}),
        ((call(1, 2, said("a")), call(3, 4, RaceErase("ann")), call(5, 6, LIST, "a")), {"ERASED_READ"}),
        ((call(1, 2, said("a")), call(3, 5, RaceErase("ann")), call(4, 6, LIST, "a")), set()),
        (
            (call(1, 2, said("a")), call(3, 4, RaceErase("ann")), call(5, 6, LIST), call(7, 8, LIST, "a")),
            {"RESURRECTION"},
        ),
        ((call(1, 4, said("a")), call(2, 3, RaceErase("ann")), call(5, 6, LIST, last=True)), set()),
        ((call(2, 3, RaceErase("ann")), call(4, 5, said("a")), call(6, 7, LIST, last=True)), {"LOST_UPDATE"}),
        ((call(1, 2, said("a")), call(3, 4, UPDATE), call(5, 6, LIST, "a"), call(7, 8, LIST, "b")),
            {"STALE_READ"}),
        ((call(1, 2, said("a")), call(3, 4, UPDATE), call(5, 6, LIST, "a", last=True)), {"LOST_UPDATE"}),
        ((call(1, 2, said("a")), call(3, 4, UPDATE), call(5, 6, LIST, "a b")), {"MIXED_VERSIONS", "STALE_READ"}),
        (
            (
                *(call(1, 2, said("a")), call(3, 4, RaceDelete("ann", "a"), count=1)),
                *(call(3, 5, RaceDelete("ann", "a"), count=1), call(6, 7, LIST, last=True)),
            ),
            {"MISCOUNT"},
        ),
        (
            (
                *(call(1, 2, said("a")), call(3, 6, RaceDelete("ann", "a"), count=1)),
                *(call(4, 5, UPDATE), call(7, 8, LIST, "b", last=True)),
            ),
            {"RESURRECTION"},
        ),
        (
            (
                *(call(1, 2, said("a")), call(3, 4, LIST, "a", last=True), call(5, 6, RaceReopen())),
                call(7, 8, LIST, last=True),
            ),
            {"NOT_DURABLE"},
        ),
        ((call(1, 2, said("a")), call(3, 4, RaceReopen(), raised="JSONDecodeError")), {"NOT_DURABLE"}),
        (
            (
                *(call(1, 5, said("a", "one")), call(2, 6, said("b", "two"))),
                *(call(7, 8, LIST, "a b"), call(9, 10, LIST, "b a")),
            ),
            set(),  # a list promises no order
        ),
        ((call(1, 2, said("a", "one")), call(3, 4, said("b", "two")), call(7, 8, LIST, "b a")), set()),
        ((call(1, 3, said("a", "one")), call(2, 4, said("b", "two")), call(7, 8, LIST, "b a")), set()),
    ],
)  # fmt: skip
def test_each_history_shows_what_it_shows(calls: tuple[RaceCall, ...], seen: set[str]) -> None:
    """An anomaly where no order explains it, and none where calls overlap."""
    assert kinds(*calls) - ({"WRITE_CYCLE"} - seen) == seen


def test_one_value_a_slot_is_held_to_one() -> None:
    """Of two at once either may win; both, neither, or an older one are wrong."""
    both = (call(1, 2, said("a")), call(3, 6, said("b")), call(4, 5, said("c")))
    assert kinds(*both, call(7, 8, LIST, "b", last=True), register=True) == set()
    assert kinds(*both, call(7, 8, LIST, "c", last=True), register=True) == set()
    assert "MIXED_VERSIONS" in kinds(*both, call(7, 8, LIST, "b c", last=True), register=True)
    assert "LOST_UPDATE" in kinds(*both, call(7, 8, LIST, "", last=True), register=True)
    assert "LOST_UPDATE" in kinds(*both, call(7, 8, LIST, "a", last=True), register=True)
    looks = (call(7, 8, LIST, "b"), call(9, 10, LIST, "c"), call(11, 12, LIST, "b", last=True))
    assert "WRITE_CYCLE" in kinds(*both, *looks, register=True)


def test_before_a_flush_a_look_may_show_anything() -> None:
    """A memory that settles is judged by what was flushed, which a call counts as its end."""
    calls = (call(1, 6, said("a")), call(2, 3, LIST, "a"), call(4, 5, LIST))
    assert kinds(*calls, settles=True) == set()


def test_what_was_judged_is_counted() -> None:
    """A value that had to be there and was, and what belongs to somebody else or was erased."""
    calls = (call(1, 2, said("a")), call(1, 2, said("b", user="bob")), call(5, 6, LIST, "a", last=True))
    plan = RacePlan((), (tuple((each.operation,) for each in calls),))
    assert judged(RaceHistory(plan, calls)) == (1, 1)
