"""Answers compared by what they state."""

from __future__ import annotations

import pytest

from memgauge.measures.answers.typed import FREE, AnswerType, kind_of, typed_match


@pytest.mark.parametrize("answer", ["21 March", "3/21", "2026-03-21", "Mar. 21", "the 21st of March", "March 21"])
def test_every_rendering_of_the_date_is_right(answer: str) -> None:
    """The six renderings that a comparison of words rejects."""
    assert typed_match(answer, ["March 21"]) == 1


@pytest.mark.parametrize("answer", ["March 2100 units", "March 210", "Not March 21 — I have March 12", "", "soon"])
def test_what_a_comparison_of_words_accepts_is_wrong(answer: str) -> None:
    """Another number, two dates, or none."""
    assert typed_match(answer, ["March 21"]) == 0


@pytest.mark.parametrize(
    ("gold", "kind"),
    [
        ("7 May 2023", AnswerType.DATE),
        ("In 2022", AnswerType.DATE),
        ("18 days", AnswerType.DURATION),
        ("three", AnswerType.NUMBER),
        ("$3,000", AnswerType.NUMBER),
        ("3 on 7 May", None),
        ("Yes.", AnswerType.TRUTH),
        ("ORD-1234", AnswerType.IDENTIFIER),
        ("tea, coffee and rum", AnswerType.SET),
        ("New York", AnswerType.NAME),
        ("The Lord of the Rings and tea", AnswerType.SET),
        ("The Sunday before 25 May 2023", None),
        ("She likes to swim in lakes", None),
        ("", None),
    ],
)
def test_a_gold_has_the_kind_that_it_looks_like(gold: str, kind: AnswerType | None) -> None:
    """Free text has none, so nothing typed can be said of it."""
    assert kind_of(gold) is kind
    if kind is None:
        assert typed_match("x", [gold]) == FREE


@pytest.mark.parametrize(
    ("answer", "gold", "value"),
    [
        ("about three weeks", "21 days", 1),
        ("3 years", "3 months", 0),
        ("two", "2", 1),
        ("She has two cats and one dog", "two", 0),
        ("No, never.", "no", 1),
        ("Yes", "no", 0),
        ("maybe", "no", 0),
        ("Yes, it is not", "yes", 1),
        ("soon", "two", 0),
        ("It was ord-1234", "ORD-1234", 1),
        ("ORD-1234 or ORD-1235", "ORD-1234", 0),
        ("coffee and tea", "tea, coffee", 1),
        ("tea", "tea, coffee", 0),
        ("It is Paris.", "Paris", 1),
        ("paris", "Paris", 1),
        ("Paris or Rome", "Paris", 0),
        ("Nowhere", "Paris", 0),
    ],
)
def test_values_are_compared_by_kind(answer: str, gold: str, value: float) -> None:
    """Units are converted, lists have no order, and several values state none."""
    assert typed_match(answer, [gold]) == value


@pytest.mark.parametrize(
    ("answer", "gold", "value"),
    [
        ("not 212", "212", 0),
        ("It isn\u2019t Paris.", "Paris", 0),
        ("It was never ORD-1234", "ORD-1234", 0),
        ("Anything but three", "three", 0),
        ("Not on March 21", "March 21", 0),
        ("definitely not two of them", "two", 0),
        ("Nobody knows. It was not in 2022!", "2022", 0),
        ("It cannot be Rome", "Rome", 0),
        ("neither tea, nor coffee", "tea, coffee", 0),
        ("I cannot name the hour, but it was March 21", "March 21", 1),
        ("Not until March 21", "March 21", 1),
        ("No doubt: Paris.", "Paris", 1),
        ("Not long ago, in 2022", "2022", 1),
        ("212, not more", "212", 1),
        ("not only 212", "212", 1),
        ("For the package that never came they filed AC-293625", "AC-293625", 1),
        ("I do not eat meat and live in Rome", "Rome", 1),
    ],
)
def test_what_is_denied_is_not_stated(answer: str, gold: str, value: float) -> None:
    """A value right behind a denial is not said; one further on, or bounded by it, is."""
    assert typed_match(answer, [gold]) == value


def test_any_accepted_answer_will_do() -> None:
    """Two golds of different kinds; the one without a type is left aside."""
    assert typed_match("3", ["a few of them were there", "3", "Paris"]) == 1
