"""Tokens."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.tokens import TOKEN_COUNTER, WORDS, count_tokens, tokenize


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Don't stop, Ada!", ["don't", "stop", "ada"]),
        ("it\u2019s 5pm", ["it's", "5pm"]),
        ("snake_case 'quoted'", ["snake", "case", "quoted"]),
        ("Straße ÉTÉ e\u0301te\u0301", ["strasse", "été", "été"]),
    ],
)
def test_words_are_folded_runs_of_letters_and_digits(text: str, expected: list[str]) -> None:
    """Case, typographic apostrophes and composed accents make no difference."""
    assert tokenize(text) == expected


def test_stemming_and_patterns_are_options() -> None:
    """A stem language merges inflections, and a pattern replaces what a word is."""
    assert tokenize("Running dogs run", stem="english") == ["run", "dog", "run"]
    assert tokenize("a1 b'2", pattern=r"[a-z']+") == ["a", "b'"]


@given(st.text())
def test_tokens_do_not_depend_on_case_folding(text: str) -> None:
    """A text and its tokens joined again have the same tokens."""
    tokens = tokenize(text)
    assert tokenize(" ".join(tokens)) == tokens


def test_count_is_named_and_rounds_up() -> None:
    """Four characters begun are one token."""
    assert [count_tokens("x" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert TOKEN_COUNTER.endswith("/4")


@given(st.text("aZ09_' -.\n\t\x1f\x00", max_size=30) | st.text(st.characters(max_codepoint=127)))
def test_plain_text_is_split_as_the_pattern_says(text: str) -> None:
    """The way that ASCII takes gives the words that the pattern finds, apostrophes anywhere."""
    assert tokenize(text) == re.findall(WORDS, text.casefold())
