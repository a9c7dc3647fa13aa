"""The ledger: what holds, whatever the order in which it was told."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Scope, Turn
from memgauge.studies.golden.ledger import LedgerWrite, Mood, ScenarioLedger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

NOON = datetime(2026, 1, 5, 12)  # noqa: DTZ001 - scenarios live in naive local time
ALICE, BOB = Scope("alice"), Scope("bob")


def day(number: float) -> datetime:
    """Return a day counted from the first."""
    return NOON + timedelta(days=number)


def said(value: str, begins: float | None, ends: float | None = None, slot: str = "city") -> LedgerWrite:
    """Write down a value with one at a time."""
    start = None if begins is None else day(begins)
    end = None if ends is None else day(ends)
    return LedgerWrite(0, 1, ALICE, "s0", slot, value, value, NOON, start, end)


def told(*writes: LedgerWrite) -> ScenarioLedger:
    """Hand writes to a ledger one after the other."""
    ledger = ScenarioLedger()
    for write in writes:
        ledger.write(write)
    return ledger


def holding(ledger: ScenarioLedger, at: float, scope: Scope = ALICE, slot: str = "city") -> set[str]:
    """Return what holds."""
    return {write.token for write in ledger.holding(scope, slot, day(at))}


@st.composite
def histories(draw: st.DrawFn) -> list[LedgerWrite]:
    """Draw values of one slot that begin on different days, some with an end, in any order of arrival."""
    begins = draw(st.lists(st.integers(0, 40), unique=True, min_size=1, max_size=8))
    lasts = [draw(st.none() | st.integers(1, 30)) for _ in begins]
    pairs = enumerate(zip(begins, lasts, strict=True))
    return [said(f"v{n}", begin, last and begin + last) for n, (begin, last) in pairs]


@given(histories(), st.integers(-5, 80))
def test_one_value_holds_at_a_time(writes: Sequence[LedgerWrite], at: int) -> None:
    """Of a slot with one value at a time never two hold, whatever the order of arrival."""
    assert len(holding(told(*writes), at + 0.5)) <= 1


@given(histories(), st.integers(-5, 80))
def test_the_latest_to_begin_holds_until_its_end(writes: Sequence[LedgerWrite], at: int) -> None:
    """What holds is what began last, and where that has ended nothing does; arrival plays no part."""
    begun = [write for write in writes if write.valid_from is not None and write.valid_from <= day(at + 0.5)]
    last = max(begun, key=lambda write: write.valid_from or NOON, default=None)
    open_ = last is not None and (last.valid_to is None or day(at + 0.5) < last.valid_to)
    assert holding(told(*writes), at + 0.5) == ({last.token} if last is not None and open_ else set())


@given(histories())
def test_a_late_arrival_never_ends_a_newer_value(writes: Sequence[LedgerWrite]) -> None:
    """What is told last of the earliest time changes nothing that began after it."""
    before = {write.token: write for write in told(*writes)}
    after = {write.token: write for write in told(*writes, said("late", -1))}
    assert {name: after[name] for name in before} == before
    assert after["late"].valid_to == min(write.valid_from or NOON for write in writes)


@given(histories(), st.randoms(use_true_random=False))
def test_scopes_and_slots_do_not_meet(writes: Sequence[LedgerWrite], dice: Random) -> None:
    """Writes of another user or of another slot end nothing, wherever they come between."""
    alone = {write.token: write.valid_to for write in told(*writes)}
    mixed = list(writes)
    for write in writes:
        mixed.insert(dice.randint(0, len(mixed)), replace(write, scope=BOB, token=f"b{write.token}"))
        mixed.insert(dice.randint(0, len(mixed)), replace(write, slot="job", token=f"j{write.token}"))
    assert {write.token: write.valid_to for write in told(*mixed) if write.token in alone} == alone


def test_many_values_hold_beside_each_other() -> None:
    """Members of a list end nothing; one of them can be removed."""
    ledger = told(*(replace(said(value, n), functional=False) for n, value in enumerate("abc")))
    assert holding(ledger, 5) == {"a", "b", "c"}
    ledger.end(ALICE, "city", day(6), "b")
    assert (holding(ledger, 7), holding(ledger, 5)) == ({"a", "c"}, {"a", "b", "c"})
    ledger.end(ALICE, "city", day(8))
    assert holding(ledger, 9) == set()


def test_the_same_value_again_ends_nothing() -> None:
    """Whoever repeats themselves changes nothing; whoever comes back does."""
    ledger = told(said("a", 0), said("a", 2))
    assert [write.ended_by for write in ledger] == [None, None]
    assert holding(told(said("a", 0), said("b", 1), said("a", 2)), 3) == {"a"}


def test_what_was_ends_nothing() -> None:
    """What is told of the past has no beginning and leaves the present alone."""
    ledger = told(said("now", 0), replace(said("then", None, -3), backfilled=True))
    assert (holding(ledger, 1), holding(ledger, -5), holding(ledger, -2)) == ({"now"}, {"then"}, set())
    ended = told(said("then", None), said("now", 0))
    assert [write.ended_by for write in ended] == [2, None]


def test_what_is_not_meant_or_not_trusted_never_holds() -> None:
    """Only facts hold, and only facts end facts."""
    moods = [replace(said(mood, 1), mood=mood) for mood in (Mood.SUPPOSED, Mood.PLANTED)]
    assert holding(told(said("a", 0), *moods), 2) == {"a"}


def test_what_was_erased_holds_no_more() -> None:
    """An erasure takes a slot, or everything of one user, and names what was; a second one finds nothing."""
    ledger = told(said("a", 0), said("b", 1), said("c", 0, slot="job"), replace(said("d", 0), scope=BOB))
    assert [write.token for write in ledger.erase(4, ALICE, "city")] == ["a", "b"]
    assert ledger.erase(5, ALICE, "city") == []
    assert (holding(ledger, 2), holding(ledger, 2, slot="job")) == (set(), {"c"})
    assert [write.token for write in ledger.erase(6, ALICE)] == ["c"]
    assert holding(ledger, 2, BOB) == {"d"}
    assert holding(told(*ledger, said("e", 3)), 4) == {"e"}


def test_a_token_names_its_writer() -> None:
    """The first write of a token is found by it."""
    ledger = told(said("a", 0), said("b", 1), said("a", 2))
    first, *_ = ledger.writes_of("a")
    assert first is not None
    assert (first.number, ledger.writes_of("x")) == (1, [])


def was(value: str, ends: float, told_on: float = -50) -> LedgerWrite:
    """Write down a past whose last day is known, told long ago where no day is given."""
    return replace(said(value, None, ends), said_at=day(told_on), backfilled=True)


def undecided(ledger: ScenarioLedger, at: float) -> set[str]:
    """Return what may come back and need not."""
    return {write.token for write in ledger.undecided(ALICE, "city", day(at))}


def test_a_past_may_hold_through_its_last_day() -> None:
    """Until Friday means through Friday to some, and to others not; a day later it is over to everybody."""
    ledger = told(was("x", -2))
    assert holding(ledger, -2.1) == {"x"}
    assert undecided(ledger, -2.1) == set()
    assert undecided(ledger, -1.5) == {"x"}
    assert undecided(ledger, -0.9) == set()


def test_of_two_pasts_the_one_is_sure_that_was_told_last_and_ends_first() -> None:
    """Whether the later past follows the earlier or takes its place is nowhere said."""
    assert undecided(told(was("x", -5), was("y", -9)), -10) == {"x"}
    assert undecided(told(was("x", -9), was("y", -5)), -10) == {"x", "y"}
    assert undecided(told(was("x", -9), was("y", -5)), -7) == set()


def test_a_past_told_late_is_sure_beside_what_was_said_before() -> None:
    """A correction of the past stands for its time; what began before it may be told beside it."""
    ledger = told(said("y", -8), was("x", -2))
    assert undecided(ledger, -4) == {"y"}
    assert undecided(ledger, 1) == set()


def test_a_past_may_be_given_as_of_a_time_before_it_was_told_and_need_not() -> None:
    """Some memories take as-of for what was known then."""
    ledger = told(was("x", -5, told_on=-1))
    assert (undecided(ledger, -6), undecided(told(was("x", -5)), -6)) == ({"x"}, set())


@given(histories(), st.lists(st.integers(-5, 60), max_size=4), st.integers(-5, 80))
def test_something_turned_where_it_did_since_the_time_was_told(
    writes: Sequence[LedgerWrite], hours: list[int], now: int
) -> None:
    """Only what began or ended after the latest turn of the same user, or sweep, and until now."""
    ledger = told(*writes)
    assert not ledger.turned(ALICE, day(now))
    for number, hour in enumerate(hours):
        ledger.hear(ALICE, Turn(f"t{number}", "alice", "So.", "s0", day(hour)))
    ledger.hear(BOB, Turn("b", "bob", "So.", "s0", day(99)))
    limits = {at for write in ledger for at in (write.valid_from, write.valid_to) if at is not None}
    turned = bool(hours) and any(day(max(hours)) < at <= day(now) for at in limits)
    assert ledger.turned(ALICE, day(now)) == turned
    ledger.sweep(day(now))
    assert not ledger.turned(ALICE, day(now))


def test_what_was_spared_is_not_erased() -> None:
    """Of a slot that is erased, what nobody could ask for stays as it was."""
    ledger = told(said("x", 0, 1), said("y", 2))
    assert [write.token for write in ledger.erase(3, ALICE, "city", spared={"x"})] == ["y"]
    assert [write.erased for write in ledger] == [None, 3]


def test_what_ran_out_need_not_come_back_even_for_its_own_time() -> None:
    """What was handed over with an end is required until then, and forbidden now; its past is open."""
    ledger = told(replace(said("x", 0, 2), expires=day(2)))
    assert [w.token for w in ledger.undecided(ALICE, "city", day(1), day(3))] == ["x"]
    assert ledger.undecided(ALICE, "city", day(1), day(1.5)) == []
    assert ledger.undecided(ALICE, "city", day(3), day(3)) == []
