"""What one hit speaks for: the turns whose values its text states, and those that it calls past."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.facts import CONTAMINATED, STRICT, QuestionFacts
from memgauge.records import Evidence, Fact, Gold, Question
from memgauge.scoring.voiced import Truth, holds, values_in

CHANGED = datetime(2024, 5, 1, tzinfo=UTC)
PARIS = Fact("f1", "c", "Ada", "city", "Paris", ("t1",), valid_to=CHANGED)
ROME = Fact("f2", "c", "Ada", "city", "Rome", ("t2",), valid_from=CHANGED)
TRUTH = Truth({("c", "t1"): (PARIS,), ("c", "t2"): (ROME,)}, known=True)


def question(evidence: str, stale: str, asked_at: datetime | None, wanted: Fact, text: str) -> QuestionFacts:
    """Ask where Ada lives, or lived, of a memory that made one text of both turns."""
    hit = TRUTH.voiced({"sources": ["t1", "t2"], "text": text, "valid_to": None}, "c", None)
    gold = Gold("q", (Evidence(evidence, exact=True, turns=(evidence,)),), answers=("x",), stale=(stale,))
    asked = Question("q", "c", "Where?", "city", asked_at=asked_at)
    return QuestionFacts(gold, asked, [hit], frozenset({evidence}), [wanted], {}, known=True)


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        ("Ada lives in Rome, not in Paris any more", 0.0),
        ("Ada moved from Paris to Rome", 0.0),
        ("Ada lives in Rome", 0.0),
        ("Ada lives in Paris. Ada lives in Rome", 1.0),
    ],
)
def test_a_merged_text_that_calls_a_value_past_is_not_stale(text: str, stale: float) -> None:
    """It says where Ada lives and where not."""
    now = question("t2", "t1", None, ROME, text)
    assert CONTAMINATED.compute(now, 5) == stale
    assert STRICT.compute(now, 5) == 1 - stale


def test_what_is_called_past_answers_a_question_about_the_past() -> None:
    """The turn that it calls past is the evidence there."""
    hit = TRUTH.voiced({"sources": ["t1", "t2"], "text": "moved from Paris to Rome", "valid_to": None}, "c", None)
    assert hit.turns == {"t2"}
    assert hit.past == {"t1"}
    assert hit.speaks_for(frozenset({"t1"}), now=False)
    assert not hit.speaks_for(frozenset({"t1"}), now=True)


def test_values_that_are_spelt_alike_stand_together() -> None:
    """The longest value that stands somewhere hides those within it, and none that only differs in case."""
    assert values_in("New York, and not Rome", {"York", "New York", "new york", "Rome"}) == {
        "New York": True,
        "new york": True,
        "Rome": False,
    }


def test_values_stand_as_themselves() -> None:
    """A value is not found inside a longer word, and case does not matter."""
    assert holds("lives in porto.", "Porto")
    assert not holds("Portofino", "Porto")
    assert not holds("on 13 March 2026", "3 March 2026")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I moved, I live in New York now.", {"New York"}),
        ("I left York for New York.", {"York", "New York"}),
        ("new york, york", {"York", "New York"}),
        ("The New York Times", {"New York Times"}),
        ("Yorkshire", set()),
        ("", set()),
    ],
)
def test_a_value_within_a_longer_one_is_not_said(text: str, said: set[str]) -> None:
    """Only by itself, at another place, it is."""
    assert values_in(text, {"York", "New York", "New York Times"}).keys() == said


@given(st.text("ab ", max_size=30), st.sets(st.text("ab ", min_size=1, max_size=4), max_size=5))
def test_values_in_are_those_that_stand_where_no_longer_one_does(text: str, values: set[str]) -> None:
    """The sweep agrees with a look at all pairs of places."""
    places = [
        (value, match.span())
        for value in values
        for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text)
    ]
    expected = {
        value
        for value, (start, end) in places
        if not any(a <= start and end <= b and (a, b) != (start, end) for _, (a, b) in places)
    }
    assert values_in(text, values).keys() == expected
