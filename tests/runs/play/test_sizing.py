"""How much fits into a stated time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.runs.play.sizing import EFFICIENCY, sized
from memgauge.runs.play.speed import Extent, Speed

SMALL = Extent(40, 10)
FAST = Speed(0.0, 0.0, 0.0001, 0.001)
SLOW = Speed(0.0, 0.0, 0.01, 1.0)


def test_whole_conversations_in_their_order_as_many_as_fit() -> None:
    """A memory of a second a search gets through three of ten conversations in a minute."""
    fit = sized({"chats": [SMALL] * 10}, {"mine": SLOW, "bm25": FAST}, {}, seconds=60, workers=1)
    (share,) = fit.shares
    assert (share.conversations, share.of, fit.slowest) == (2, 10, "mine")
    more = sized({"chats": [SMALL] * 10}, {"mine": SLOW, "bm25": FAST}, {}, seconds=60, workers=2)
    assert more.shares[0].conversations > share.conversations


def test_a_further_dataset_comes_when_the_first_is_whole() -> None:
    """And with two conversations at least, since one shows no interval."""
    data = {"first": [SMALL] * 3, "second": [SMALL] * 5}
    short = sized(data, {"mine": SLOW}, {}, seconds=50, workers=1)
    assert [share.dataset for share in short.shares] == ["first"]
    assert short.left_out == {"second": "first comes first"}
    middling = sized(data, {"mine": SLOW}, {}, seconds=90, workers=1)
    assert [share.dataset for share in middling.shares] == ["first"]
    ample = sized(data, {"mine": SLOW}, {}, seconds=300, workers=1)
    assert [(share.dataset, share.is_whole) for share in ample.shares] == [("first", True), ("second", True)]


def test_products_come_the_fastest_first_within_their_part_of_the_time() -> None:
    """What does not fit is named with what it would take."""
    further = {"swift": FAST, "sluggish": Speed(0.0, 0.0, 5.0, 5.0)}
    fit = sized({"chats": [SMALL] * 2}, {"mine": FAST}, further, seconds=60, workers=2)
    assert fit.systems == ("mine", "swift")
    assert "sluggish" in fit.left_out


def test_a_conversation_that_takes_too_long_is_not_begun() -> None:
    """Workers share no conversation: two of them make none shorter."""
    fit = sized({"chats": [SMALL]}, {"mine": SLOW}, {}, seconds=12, workers=8)
    assert fit.shares == ()


@given(
    st.lists(st.builds(Extent, st.integers(1, 500), st.integers(1, 200)), min_size=1, max_size=12),
    st.floats(0.0001, 2.0),
    st.floats(1.0, 600.0),
    st.integers(1, 8),
)
def test_what_is_chosen_fits(extents: list[Extent], search_s: float, seconds: float, workers: int) -> None:
    """No choice takes longer by what was measured than it may, and more time never chooses less."""
    paces = {"mine": Speed(0.1, 0.0, search_s / 10, search_s), "bm25": FAST}
    fit = sized({"chats": extents}, paces, {}, seconds=seconds, workers=workers)
    assert fit.seconds <= seconds + 1e-6
    assert sum(p.seconds(e) for p in paces.values() for s in fit.shares for e in extents[: s.conversations]) <= (
        seconds * workers * EFFICIENCY + 1e-6
    )
    more = sized({"chats": extents}, paces, {}, seconds=2 * seconds, workers=workers)
    assert sum(s.conversations for s in more.shares) >= sum(s.conversations for s in fit.shares)
