"""Sums of calls: nothing is lost between groups, money follows from a dated list, and what is unknown stays so."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.llm.metering.calls import CallEnd, CallRoute
from memgauge.llm.metering.log import MeteredCall
from memgauge.llm.metering.summary import METERED, summarise_calls
from memgauge.metering import CostSource
from memgauge.results import plain
from support.metered import dollars

SOURCES = st.sampled_from([CostSource.REPORTED, CostSource.COUNTED])
CALLS = st.builds(
    MeteredCall,
    at=st.sampled_from(["2027-01-05T12:00:00", "2027-01-05T13:00:00"]),
    product=st.sampled_from(["a", "b"]),
    phase=st.sampled_from(["ingest", "query"]),
    route=st.sampled_from([CallRoute.CHAT, CallRoute.EMBEDDINGS]),
    model=st.sampled_from(["paid-a", "paid-b", "local:c"]),
    end=st.sampled_from(CallEnd),
    status=st.sampled_from([0, 200, 429]),
    tokens_in=st.integers(0, 5000),
    in_source=SOURCES,
    tokens_out=st.integers(0, 5000),
    out_source=SOURCES,
    seconds=st.floats(0, 9),
)


def call(**more: Any) -> MeteredCall:
    """Make a call that was answered."""
    given_of_it = {"at": "2027-01-05T12:00:00", "route": CallRoute.CHAT, "model": "paid", "end": CallEnd.OK} | more
    return MeteredCall(**given_of_it)


@given(st.lists(CALLS, max_size=30))
def test_groups_add_up(calls: list[MeteredCall]) -> None:
    """Every call is in one group, and so is every token and every cent; a summary is read back unchanged."""
    spending = summarise_calls(calls, dollars)
    assert sum(group.calls for group in spending.groups) == len(calls)
    taken = sum(group.tokens_in + group.embedding_tokens for group in spending.groups)
    assert taken == sum(each.tokens_in or 0 for each in calls)
    paid = [each for each in calls if each.model.startswith("paid")]
    usd = sum((each.tokens_in or 0) + 2 * (each.tokens_out or 0) for each in paid) / 1e6
    assert spending.usd == pytest.approx(usd, abs=1e-4)
    assert METERED.read(plain(METERED.of(spending))) == spending


def test_a_group_says_how_calls_ended() -> None:
    """Failures by status, retries by what came before, times of those that were answered."""
    late = call(end=CallEnd.LATE, seconds=60)
    again = call(end=CallEnd.REFUSED, status=429, again_after="late", seconds=0.1)
    (group,) = summarise_calls([late, again, call(seconds=1), call(seconds=3)], dollars).groups
    assert (group.calls, group.failed, group.ends) == (4, 2, {"late": 1, "ok": 2, "refused": 1})
    assert (group.statuses, group.retries) == ({"429": 1, "late": 1}, {"late": 1})
    assert group.median_s == 2.0
    assert group.slow_s == pytest.approx(2.9)


def test_who_is_believed_less_counts() -> None:
    """Of both sides of a call; of vectors there is one side."""
    reported, counted = {"in_source": "reported"}, {"out_source": "counted"}
    calls = [
        call(**reported, **counted),
        call(**reported),
        call(**reported, out_source="reported"),
        call(**reported, route=CallRoute.EMBEDDINGS),
        call(end=CallEnd.CAPPED, status=402),
    ]
    (group,) = summarise_calls(calls, dollars).groups
    assert group.sources == {"counted": 1, "reported": 2, "unavailable": 1}


def test_what_has_no_price_has_no_sum() -> None:
    """It is named; a model of this machine is free, and one that was never reached costs nothing."""
    free, down = call(model="local:a"), call(model="b", end=CallEnd.UNREACHABLE, tokens_in=0, tokens_out=0)
    assert summarise_calls([free, down], dollars).usd == 0
    unknown = summarise_calls([free, call(model="b", tokens_in=5)], dollars)
    assert (unknown.usd, unknown.unpriced) == (None, ("b",))


def test_lines_that_cannot_be_read_are_counted() -> None:
    """And of none at all the sum is empty."""
    assert summarise_calls([None, call(), None], dollars).unread == 2
    assert summarise_calls([]).groups == ()
