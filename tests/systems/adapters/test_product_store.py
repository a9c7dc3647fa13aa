"""What adapters share: names for scopes, words for turns, and an order for what several channels found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Hit, Memory, Scope, Turn
from memgauge.systems.adapters.product_store import best_first, hashed, spelled, spoken


def test_scopes_are_spelled_apart() -> None:
    """No two scopes share a spelling, whatever their names hold; an absent part is not an empty one."""
    scopes = [Scope("a"), Scope("a", "b"), Scope("a", agent=""), Scope("a", agent="none"), Scope('a", "b')]
    assert len({spelled(one) for one in scopes} | {hashed(one) for one in scopes}) == 2 * len(scopes)


def test_a_speaker_who_is_no_role_stands_before_the_words() -> None:
    """A product that knows roles alone would else lose who spoke."""
    assert spoken(Turn("t", "User", "I sing.", "s", role="user")) == "I sing."
    assert spoken(Turn("t", "Ada", "I sing.", "s", role="user")) == "Ada: I sing."


@given(st.permutations([("a", "x", 1.0), ("b", "x", 1.0), ("c", "w", 1.0), ("d", "x", 2.0), ("e", "x", None)]))
def test_the_best_comes_first_whatever_order_it_came_in(rows: list[tuple[str, str, float | None]]) -> None:
    """Equal scores are ordered by channel and id, and what has no score comes last."""
    hits = [Hit(Memory(name, name, channel=channel), score) for name, channel, score in rows]
    assert [hit.memory.id for hit in best_first(hits)] == ["d", "c", "a", "b", "e"]
