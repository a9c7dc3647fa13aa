"""Tokens."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.tokens import TOKEN_COUNTER, WORDS, count_tokens, paired, tokenize


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


@given(st.text(st.one_of(st.sampled_from("aZ9 _-'\u2019\x1c\n\0éß\ufb01İ"), st.characters())))
def test_words_are_those_of_the_expression(text: str) -> None:
    """However text is cut, its words are what the published expression finds in the folded text."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text).replace("\u2019", "'")
    assert tokenize(text) == re.findall(WORDS, plain.casefold())


def test_count_is_named_and_rounds_up() -> None:
    """Four characters begun are one token."""
    assert [count_tokens("x" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert TOKEN_COUNTER.endswith("/4")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我的小船", ["我的", "的小", "小船"]),
        ("船 is a boat", ["船", "is", "a", "boat"]),
        ("买了usb线", ["买了", "usb", "线"]),
        ("カヤック", ["カヤ", "ヤッ", "ック"]),
        ("배가 새요", ["배가", "새요"]),
    ],
)
def test_runs_of_scripts_without_spaces_are_cut_into_pairs(text: str, expected: list[str]) -> None:
    """A letter alone stays, and so does every word of another script."""
    assert paired(tokenize(text)) == expected


@given(st.text(st.characters(max_codepoint=0x10FF)))
def test_words_with_spaces_are_not_cut(text: str) -> None:
    """Of Latin, Greek, Cyrillic, Hebrew, Arabic and others nothing changes."""
    assert paired(tokenize(text)) == tokenize(text)
