"""Questions: values that nobody guesses, one that everybody does, and cells that differ in nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.datasets.synthetic.dice import Dice
from memgauge.errors import ConfigError
from memgauge.studies.attribution.cells import ALL, BY_NAME, AnswerSource
from memgauge.studies.attribution.labels import mentioned
from memgauge.studies.attribution.question import (
    document_text,
    make_questions,
    nonces,
    shown,
    state_text,
    statement,
)
from memgauge.systems.reference.wired import GUESSES
from memgauge.text.values import days

if TYPE_CHECKING:
    from memgauge.studies.attribution.question import SlotQuestion


@settings(max_examples=40)
@given(st.integers(2, 14), st.integers(0, 10**6))
def test_every_question_has_values_that_cannot_be_confused(n: int, seed: int) -> None:
    """Truth, own values, shared value and guess differ; none stands in another, and none beside in memory."""
    for question in make_questions(n, seed):
        values = question.values
        assert len(values) == (5 if question.guessable else 6)
        assert all(mentioned(value, values) == {value} for value in values)
        assert question.lure in values
        assert all(item.slot != question.slot and not mentioned(item.text, values) for item in question.beside)


@settings(max_examples=60)
@given(st.sampled_from(list(GUESSES.values())), st.integers(0, 10**6))
def test_a_nonce_is_as_long_as_the_guess_and_of_its_type(like: str, seed: int) -> None:
    """Letter for letter, capital for capital, digit for digit; a date stays a date."""
    for value in nonces(like, 4, Dice("test", seed)):
        assert len(value) == len(like)
        assert value != like
        if days(like):
            assert days(value)[0].readings[0].day is not None
        else:
            assert _shape(value) == _shape(like)


def _shape(text: str) -> str:
    return re.sub("[a-z]", "a", re.sub("[A-Z]", "A", re.sub(r"\d", "0", text)))


def test_half_of_the_truths_are_what_anybody_would_guess() -> None:
    """In every dozen, and the other half once all slots were asked again."""
    made = make_questions(24)
    assert [question.guessable for question in made].count(True) == 12
    assert {(question.slot, question.guessable) for question in made} == {
        (slot, guessable) for slot in GUESSES for guessable in (True, False)
    }
    assert all((question.base == question.lure) is question.guessable for question in made)


def test_the_same_seed_makes_the_same_questions() -> None:
    """Another seed makes others; a longer list begins as the shorter."""
    assert make_questions(12, 3) == make_questions(24, 3)[:12]
    assert make_questions(12, 3) != make_questions(12, 4)


def test_one_question_is_too_few() -> None:
    """There are two kinds of truth."""
    with pytest.raises(ConfigError, match="too few"):
        make_questions(1)


def test_cells_differ_in_what_sources_hold_and_in_nothing_else(questions: tuple[SlotQuestion, ...]) -> None:
    """What memory holds beside is the same everywhere, and the same place is left for what is asked."""
    for cell in ALL:
        ask = shown(questions[0], cell)
        assert tuple(item for item in ask.memory if item.key != "memory") == questions[0].beside
        told = [item.value for item in ask.memory if item.key == "memory"]
        assert told == ([held] if (held := questions[0].held(AnswerSource.MEMORY, cell)) else [])
        assert (ask.document, ask.state) == (
            questions[0].held(AnswerSource.DOCUMENT, cell),
            questions[0].held(AnswerSource.STATE, cell),
        )


def test_sources_say_it_each_in_its_own_words(questions: tuple[SlotQuestion, ...]) -> None:
    """A turn, a file, a field; said again, in other words."""
    question = questions[0]
    ask = shown(question, BY_NAME["conflict"])
    assert document_text(ask) == f"From the customer file: the home city of this user is {question.own[1]}."
    assert state_text(ask) == f'home_city = "{question.own[2]}"'
    first, again = (statement(question, "Xy", again=n).text for n in (0, 1))
    assert (first, again) == ("My home city is Xy.", "The home city that I have is Xy.")
