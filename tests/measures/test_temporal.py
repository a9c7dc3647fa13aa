"""Time: which versions came back, and in which order."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.temporal import (
    HitCurrency,
    Presence,
    UpdateLatency,
    contaminated,
    lenient,
    presence,
    stale_share,
    strict,
    supersession_latency,
)

NEW, OLD, BOTH, NEITHER = (
    HitCurrency(current=True),
    HitCurrency(stale=True),
    HitCurrency(current=True, stale=True),
    HitCurrency(),
)
MARKED = HitCurrency(stale=True, marked=True)
hits = st.lists(st.builds(HitCurrency, st.booleans(), st.booleans(), st.booleans()), max_size=6)


@pytest.mark.parametrize(
    ("returned", "outcome", "alone", "first"),
    [
        ([NEW], Presence.CURRENT, True, True),
        ([NEW, OLD], Presence.BOTH, False, True),
        ([OLD, NEW], Presence.BOTH, False, False),
        ([MARKED, NEW], Presence.BOTH, False, True),
        ([BOTH], Presence.BOTH, False, False),
        ([OLD], Presence.STALE, False, False),
        ([NEITHER, NEITHER], Presence.NONE, False, False),
        ([], Presence.NONE, False, False),
    ],
)
def test_each_result_is_exactly_one_outcome(
    returned: list[HitCurrency], outcome: Presence, alone: bool, first: bool
) -> None:
    """The right version alone is strict; before every other that is not marked it is lenient."""
    assert presence(returned) is outcome
    assert (strict(returned), lenient(returned)) == (alone, first)


def test_what_is_marked_as_history_contaminates_nothing() -> None:
    """A memory that says itself that a value has ended does no harm with it."""
    assert not contaminated([NEW, MARKED])
    assert contaminated([NEW, OLD])
    assert stale_share([NEW, OLD, MARKED, NEITHER]) == 0.25
    assert stale_share([]) is None


@given(hits)
def test_strict_implies_lenient(returned: list[HitCurrency]) -> None:
    """Whoever returns the right version alone has it first."""
    assert lenient(returned) or not strict(returned)
    assert not strict(returned) or not contaminated(returned)


@given(hits, hits)
def test_more_hits_never_bring_the_right_version_forward(
    first: list[HitCurrency], more: list[HitCurrency]
) -> None:
    """What is first stays first, whatever follows."""
    if lenient(first):
        assert lenient(first + more)


def test_latency_counts_readings_and_time_to_the_first_right_one() -> None:
    """Readings before the change do not count; without a right one it is censored."""
    day = datetime(2026, 1, 1)  # noqa: DTZ001 - naive, as conversations are
    at = [day + timedelta(days=n) for n in range(5)]
    read = [(at[0], True), (at[2], False), (at[3], True), (at[4], False)]
    assert supersession_latency(at[1], read) == UpdateLatency(2, timedelta(days=2), censored=False)
    assert supersession_latency(at[4], read) == UpdateLatency(1, timedelta(0), censored=True)
    assert supersession_latency(at[4] + timedelta(1), read) is None
