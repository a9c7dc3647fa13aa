"""Facts out of turns."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Turn
from memgauge.systems.parsing.facts import facts, resolve

AT = datetime(2024, 3, 20, 9, 30)  # noqa: DTZ001 - the time of a conversation is naive; a Wednesday


def turn(text: str, at: datetime | None = AT) -> Turn:
    """Let Ada say something."""
    return Turn("t1", "Ada", text, "s1", at)


def test_a_fact_stands_alone() -> None:
    """Names for pronouns, a date for a time that depends on the day."""
    (fact,) = facts(turn("I moved with my two dogs and you to Porto yesterday, near the river."), "Ben", 1)
    assert fact == "Ada moved with Ada's two dogs and Ben to Porto yesterday (19 March 2024), near the river."


@pytest.mark.parametrize(
    "text", ["Wow, thanks! That's great, take care!", "How did you find the flat in Porto?", "Yes.", ""]
)
def test_small_talk_and_questions_state_nothing(text: str) -> None:
    """Nothing in them passes the gate."""
    assert facts(turn(text), "Ben", 8) == []


def test_more_facts_begin_with_fewer() -> None:
    """The first ones are the same whatever the limit, and finer ones follow: items, names, photographs."""
    said = turn(
        "Last week I bought tea, coffee, and two old maps at the Ribeira market in Porto, and I met Carla there. "
        "It rained on 3 May. [shares image: a stall full of maps]"
    )
    many = facts(said, "Ben", 8)
    assert len(many) == 8
    for limit in range(1, 8):
        assert facts(said, "Ben", limit) == many[:limit]
    finest = facts(said, "Ben", 20)
    assert any("shared a photo of a stall full of maps (2024-03-20)" in fact for fact in finest)
    assert any("coffee" in fact and "maps" not in fact for fact in finest)


@given(st.text(max_size=200), st.integers(1, 9), st.sampled_from(["", "Ben"]))
def test_a_parser_sees_a_turn_and_nothing_else(text: str, limit: int, other: str) -> None:
    """The same turn gives the same facts, at most as many as asked for, none twice."""
    once = facts(turn(text), other, limit)
    assert once == facts(turn(text, AT), other, limit)
    assert len(once) == len(set(once)) <= limit


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("today", "today (20 March 2024)"),
        ("tomorrow", "tomorrow (21 March 2024)"),
        ("last Wednesday", "last Wednesday (13 March 2024)"),
        ("last Friday", "last Friday (15 March 2024)"),
        ("next week", "next week (the week of 25 March 2024)"),
        ("this weekend", "this weekend (23 March 2024)"),
        ("next month", "next month (April 2024)"),
        ("last year", "last year (2023)"),
        ("lately", "lately"),
    ],
)
def test_times_are_resolved_from_the_day_of_speaking(text: str, found: str) -> None:
    """Days, weekdays, weeks, months and years; what depends on nothing is left alone."""
    assert resolve(text, date(2024, 3, 20)) == found
