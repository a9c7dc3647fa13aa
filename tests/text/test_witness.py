"""What a text bears of a turn: words that meet, and the room that they need."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.witness import BORNE, BearingText, Lexicon, holds, likeness, passages, plain, room, words_of

SAID = (
    "Ada I adopted a grey cat called Mist",
    "Ben Lovely, how old is she?",
    "Ada Three years, and she sleeps on the piano",
    "Ben I moved to Porto in March for a job at the harbour",
    "Ada How is the flat?",
)
WORDS = [words_of(said) for said in SAID]
LEXICON = Lexicon.of(WORDS, words_of("Ada Ben"))
PASSAGES = passages(WORDS, LEXICON)


def test_words_meet_in_whatever_form() -> None:
    """Case, inflection, accents typed in two ways and small numbers in words make no difference."""
    assert words_of("She MOVED, moving; twelve cafés") == words_of("she moves moved 12 cafe\u0301s")


@pytest.mark.parametrize(
    ("text", "turn", "whole"),
    [
        ("[7 May] Ada: I moved to PORTO -- yesterday!", "I moved to Porto", True),
        ("I moved to Portobello", "I moved to Porto", False),
        ("yesterday", "yes", False),
        ("!!!", "...", False),
    ],
)
def test_a_text_holds_a_turn_word_for_word_or_not(text: str, turn: str, whole: bool) -> None:
    """Signs and case aside, the words of the turn stand unbroken in the text; no words are held by nothing."""
    assert holds(plain(text), plain(turn)) is whole


@given(st.integers(0, len(SAID) - 1))
def test_a_turn_is_most_like_itself(place: int) -> None:
    """Nothing that was said is as much about a turn as the turn, and that is about it wholly."""
    own = likeness(WORDS[place], PASSAGES[place], LEXICON)
    assert own == pytest.approx(1.0)
    assert all(likeness(words, PASSAGES[place], LEXICON) < own for words in WORDS if words != WORDS[place])


@given(st.text(max_size=60), st.integers(0, len(SAID) - 1))
def test_likeness_is_a_share(text: str, place: int) -> None:
    """Whatever a text says, its likeness to a turn lies between nothing and all."""
    assert 0.0 <= BearingText(text, LEXICON).likeness(PASSAGES[place]) <= 1.0 + 1e-9


@pytest.mark.parametrize("text", ["", "ok", "it is the and of a to", "zyzzyva quokka", "Ada Ben"])
def test_what_says_nothing_of_a_turn_is_not_about_it(text: str) -> None:
    """Function words, words that nobody said and names alone bear no turn that says more."""
    assert not BearingText(text, LEXICON).about(PASSAGES[3])


def test_an_abstract_is_about_its_turn_and_not_about_another() -> None:
    """A statement in other words and another person meets the turn that it was made from."""
    statement = BearingText("Ben's new job is in Porto; he moved there in March.", LEXICON)
    assert statement.likeness(PASSAGES[3]) > BORNE > statement.likeness(PASSAGES[2])


def test_an_answer_is_read_with_its_question() -> None:
    """Words that only the neighbours of a turn have count for it, for less than its own."""
    alone = passages([WORDS[2]], LEXICON)[0]
    text = words_of("The cat Mist is three years old")
    assert likeness(text, PASSAGES[2], LEXICON) > likeness(text, alone, LEXICON)


def test_a_long_text_is_about_a_turn_in_one_of_its_sentences() -> None:
    """What stands beside a sentence does not hide it."""
    long = "Ben moved to Porto in March. " + " ".join(f"Ada asked how the flat number {n} is." for n in range(40))
    assert BearingText(long, LEXICON).likeness(PASSAGES[3]) > BORNE


@given(st.integers(0, 10_000), st.integers(0, 10_000), st.integers(1, 10_000))
def test_room_grows_with_the_text_and_never_beyond_what_was_said(text: int, more: int, turns: int) -> None:
    """A longer text has no less room, one as long as the turns has room for all of them, and sums are exact."""
    assert room(text, turns) <= room(text + more, turns) <= 1.0
    assert room(turns, turns) == 1.0
    assert (room(text, turns) * 1024).is_integer()


@given(st.integers(1, 400), st.integers(1, 60))
def test_scattering_words_of_more_turns_never_pays_by_itself(length: int, turns: int) -> None:
    """Who spreads the length of one turn over sixteen bears a quarter of each."""
    assert room(length, turns * length) <= turns**-0.5 + 1e-12
