"""Values in running text."""

from __future__ import annotations

import itertools
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.dates import MONTHS, spell_date
from memgauge.text.values import Day, Quantity, amounts, days, identifiers

DAYS = st.integers(0, 20_000).map(lambda n: date(1980, 1, 1) + timedelta(days=n))


def renderings(day: date) -> list[str]:
    """Write a day in many ways."""
    month = MONTHS[day.month - 1]
    return [
        day.isoformat(),
        spell_date(day),
        f"{month} {day.day}, {day.year}",
        f"{month[:3]}. {day.day} {day.year}",
        f"the {day.day}th of {month.lower()}, {day.year}",
        f"{day.year}/{day.month}/{day.day}",
        f"{day.day:02}.{day.month:02}.{day.year}",
        f"{day.month}/{day.day}/{day.year}",
    ]


@given(DAYS, st.sampled_from(["{}", "It was on {}.", "From {} on, she said."]))
def test_every_rendering_of_a_day_is_that_day(day: date, frame: str) -> None:
    """ISO, words and digits in either order give one date in one place."""
    for text in renderings(day):
        (found,) = days(frame.format(text))
        assert Day(day.year, day.month, day.day) in found.readings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("March 2100 units", []),
        ("March 210", []),
        ("they march on", []),
        ("version 3.12", []),
        ("March 2024", [Day(2024, 3)]),
        ("in 1999", [Day(1999)]),
        ("3/21", [Day(None, 3, 21)]),
        ("21st of Sept", [Day(None, 9, 21)]),
        ("31/31/2020", []),
    ],
)
def test_what_is_no_date_stays_none(text: str, found: list[Day]) -> None:
    """Numbers behind a month, decimals and verbs are left alone; parts of a date are dates."""
    assert [day for one in days(text) for day in one.readings] == found


def test_digits_alone_have_two_readings() -> None:
    """The third of April and the fourth of March are written alike."""
    (found,) = days("3/4")
    assert set(found.readings) == {Day(None, 3, 4), Day(None, 4, 3)}


def test_what_ends_an_id_is_no_day() -> None:
    """A slash between numbers of an id says no date."""
    assert not days("t13-2/11")
    assert days("on 2/11")


def test_a_date_states_what_it_says() -> None:
    """A year may go unsaid beside a day; a year alone does not state a day."""
    whole = Day(2026, 3, 21)
    assert Day(None, 3, 21).states(whole)
    assert whole.states(Day(2026))
    assert not Day(2026).states(whole)
    assert not Day(2025, 3, 21).states(whole)
    assert not Day(None, 3).states(Day(2026, 3))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$3,000 and 2.5%", [Quantity(3000), Quantity(2.5)]),
        ("twenty-one cats", [Quantity(21)]),
        ("a hundred and five", [Quantity(105)]),
        ("two thousand three hundred", [Quantity(2300)]),
        ("a dozen eggs", [Quantity(12)]),
        ("three dozen", [Quantity(36)]),
        ("3 weeks", [Quantity(3 * 604_800, "seconds")]),
        ("a year and 1 decade", [Quantity(120, "months")]),
        (
            "half a dozen, two and a half million, 3 million",
            [Quantity(6), Quantity(2_500_000), Quantity(3_000_000)],
        ),
        ("an hour and a half", [Quantity(5_400, "seconds")]),
        ("half an hour or 2.5 hours", [Quantity(1_800, "seconds"), Quantity(9_000, "seconds")]),
        ("two and a half days, 1 and a half", [Quantity(216_000, "seconds"), Quantity(1.5)]),
        ("thirty\u2011two", [Quantity(32)]),
        ("two-and-a-half hours", [Quantity(9_000, "seconds")]),
        ("a dozen and a half", [Quantity(18)]),
        ("half hour or a half day", [Quantity(1_800, "seconds"), Quantity(43_200, "seconds")]),
        ("half of them, an hour", []),
        ("Ay\u015fe N\u0130NE, f\u0131ve, 70 m\u0131nutes", [Quantity(70)]),
        ("on March 21, 2026", []),
        ("ORD-1234", []),
    ],
)
def test_numbers_and_durations(text: str, found: list[Quantity]) -> None:
    """Digits, words and units are read; parts of dates and of identifiers are not numbers."""
    assert amounts(text) == found


def test_identifiers_have_letters_and_digits() -> None:
    """Ordinals and dates are none."""
    assert identifiers("ORD-1234 on the 21st, see x9; 2026-03-21") == ["ord-1234", "x9"]


@given(st.text(max_size=60))
def test_reading_never_fails(text: str) -> None:
    """Whatever a text holds, spans lie inside it and do not overlap."""
    spans = [one.span for one in days(text)]
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    assert amounts(text) is not None
    assert identifiers(text) is not None
