"""The clock moved: every time, and every year that is named, by the same number of years."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.changed.clock import ShiftedClock
from memgauge.datasets.changed.kind import changed_ref
from memgauge.errors import DataError
from memgauge.text.dates import parse_date, spell_date

if TYPE_CHECKING:
    from datetime import datetime

YEAR, AGES = ShiftedClock(1), ShiftedClock(28)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("on 8 May 2023, then", "on 8 May 2024, then"),
        ("May 8, 2023", "May 8, 2024"),
        ("Monday, 8 May 2023", "Wednesday, 8 May 2024"),
        ("Mon May 8 2023", "Wed May 8 2024"),
        ("monday the 8th of May 2023", "Wednesday the 8th of May 2024"),
        ("2023-05-08T10:00 and 2023/05/08", "2024-05-08T10:00 and 2024/05/08"),
        ("05/08/2023", "05/08/2024"),
        ("5/8/23", "5/8/24"),
        ("the summer of '99", "the summer of '00"),
        ("in 2023 or 2024", "in 2024 or 2025"),
        ("in the 1990s", "in the 1990s"),
        ("born in 1962", "born in 1963"),
        ("29 February 2024", "28 February 2025"),
        ("2024-02-29", "2025-02-28"),
        ("Thursday, February 29th, 2024", "Friday, February 28th, 2025"),
        ("I paid $2023 and 2,023 and 20231", "I paid $2023 and 2,023 and 20231"),
        ("my code AB2023x, 5'11 tall", "my code AB2023x, 5'11 tall"),
        ("31 June 2023", "31 June 2024"),
        ("nothing at all", "nothing at all"),
    ],
)
def test_years_in_texts_move(before: str, after: str) -> None:
    """Dates of any form move with their weekday; what only looks like a year does not."""
    assert YEAR.text(before) == after


@given(
    at=st.datetimes(parse_date("1950-01-01"), parse_date("2040-12-31")),
    years=st.integers(min_value=-30, max_value=30),
)
def test_texts_move_as_times_do(at: datetime, years: int) -> None:
    """A written date is that of the moved time, whatever the year."""
    clock = ShiftedClock(years)
    assert clock.text(f"On {spell_date(at)}.") == f"On {spell_date(clock.moved(at))}."
    assert parse_date(clock.text(f"{at:%Y-%m-%d}")).date() == clock.moved(at).date()


def test_28_years_keep_weekdays_and_leap_days() -> None:
    """Nothing but the year differs between two years of one calendar."""
    assert AGES.text("Thursday, February 29th, 2024") == "Thursday, February 29th, 2052"


def test_everything_moves_together() -> None:
    """Turns, sessions, questions, texts and answers lie a year later."""
    old, new = open_dataset("synthetic:tiny"), open_dataset(changed_ref("shifted-clock", "synthetic:tiny"))
    for before, after in zip(old.cases(), new.cases(), strict=True):
        for one, other in zip(before.conversation.sessions, after.conversation.sessions, strict=True):
            assert [turn.at for turn in other.turns] == [turn.at and YEAR.moved(turn.at) for turn in one.turns]
            assert other.at == (one.at and YEAR.moved(one.at))
        for asked, again in zip(before.questions, after.questions, strict=True):
            assert again.asked_at == (asked.asked_at and YEAR.moved(asked.asked_at))
            assert again.text == YEAR.text(asked.text)
    dated = [(g, h) for g, h in zip(old.gold(), new.gold(), strict=True) if g.answers != h.answers]
    assert dated
    assert all(h.answers == tuple(map(YEAR.text, g.answers)) for g, h in dated)


def test_a_year_that_there_is_not_is_refused() -> None:
    """Time ends with the year 9999."""
    with pytest.raises(DataError, match="no year 10000, to which 9999-12-31 would be moved"):
        YEAR.moved(parse_date("9999-12-31"))
