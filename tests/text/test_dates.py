from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.dates import MONTHS, parse_date, spell_date

if TYPE_CHECKING:
    from datetime import datetime


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", "2023-05-08 13:56:00"),
        ("12:09 am on 13 September, 2023", "2023-09-13 00:09:00"),
        ("12:09 PM on 13 Sep 2023", "2023-09-13 12:09:00"),
        ("2023/06/01 (Thu) 00:58", "2023-06-01 00:58:00"),
        (" 2023/06/01 ", "2023-06-01 00:00:00"),
        ("Sep 04, 2025, 09:05:32", "2025-09-04 09:05:32"),
        ("March-15-2024", "2024-03-15 00:00:00"),
        ("2023-06-01T00:58", "2023-06-01 00:58:00"),
        ("2023-06-01T00:58+02:00", "2023-06-01 00:58:00"),
    ],
)
def test_reads_the_forms_of_the_benchmarks(text: str, expected: str) -> None:
    """Every form that a benchmark writes becomes one naive time."""
    assert str(parse_date(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "1:56 pm on 31 June, 2023",
        "13:56 pm on 8 May, 2023",
        "1:56 pm on 8 Mayhem, 2023",
        "1:56 pm on 8 Xyz, 2023",
        "0:56 am on 8 May, 2023",
        "2023/13/01",
        "Sep 31, 2025, 09:05:32",
        "Sep 04, 2025, 25:05:32",
        "Marsh-15-2024",
    ],
)
def test_refuses_what_is_no_date(text: str) -> None:
    """A text without a date, or with an impossible one, is an error and never a guess."""
    with pytest.raises(ValueError, match=r"."):
        parse_date(text)


@given(st.datetimes())
def test_reads_back_what_is_written(moment: datetime) -> None:
    """Writing a minute in either benchmark's form and reading it gives the same minute."""
    minute = moment.replace(second=0, microsecond=0)
    half = "am" if minute.hour < 12 else "pm"
    spoken = f"{minute.hour % 12 or 12}:{minute.minute:02d} {half} on {minute.day} {MONTHS[minute.month - 1]}"
    assert parse_date(f"{spoken}, {minute.year:04d}") == minute
    assert parse_date(f"{minute.year:04d}/{minute.month}/{minute.day} (Mon) {minute:%H:%M}") == minute


def test_spells_days_in_english() -> None:
    """A day is written without a leading zero and in English."""
    assert spell_date(date(2023, 5, 8)) == "8 May 2023"
