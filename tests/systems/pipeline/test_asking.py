"""What a question asks for beside its words."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.systems.pipeline.asking import ParsedQuestion, read_question
from support.pipeline import midnight


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Who was my employer on 4 March 2024?", date(2024, 3, 4)),
        ("Who was my employer on the 4th of March 2024?", date(2024, 3, 4)),
        ("What was my project deadline as it stood on 2024-03-04?", date(2024, 3, 4)),
        ("Who was my employer in February 2024?", date(2024, 2, 29)),
        ("Who was my employer in 2023?", date(2023, 12, 31)),
        ("Who was my employer on 31 February 2024?", None),
        ("Who was my employer on 4 March?", None),
        ("Is 4 March 2024 a holiday?", None),
        ("Who is my employer?", None),
    ],
)
def test_a_day(text: str, day: date | None) -> None:
    """A day, or the last one of a month or a year, where it is asked about and exists."""
    assert read_question(text).day == day


@pytest.mark.parametrize(
    ("text", "history"),
    [
        ("How many times has my home city changed?", True),
        ("What is the history of my employers?", True),
        ("Who was my previous manager?", True),
        ("Where did I live before?", True),
        ("Where did I use to live? Where I used to live.", True),
        ("What should I do before my flight?", False),
        ("Have I ever been to Ghent?", False),
        ("What should I change?", False),
        ("Who is my manager?", False),
    ],
)
def test_a_history(text: str, history: bool) -> None:
    """Only a question about what was is given what was."""
    assert read_question(text).history is history


def test_the_moment_that_is_asked_about() -> None:
    """The end of the day that is named, else the present, else the end of time."""
    now = midnight(2024, 5, 1)
    assert ParsedQuestion((), date(2024, 3, 4)).at(now) == midnight(2024, 3, 5) - timedelta(seconds=1)
    assert (ParsedQuestion(()).at(now), ParsedQuestion(()).at(None)) == (now, None)


@given(st.text(max_size=100))
def test_any_text_is_a_question(text: str) -> None:
    """No text makes the reading fail."""
    assert isinstance(read_question(f"on {text}"), ParsedQuestion)
    assert isinstance(read_question(text), ParsedQuestion)
