"""Tokens: typed, never repeated, and found again however they are spelled."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.golden.tokens import KINDS, cut_values, found_in, in_full, nearly, token

NAMES = st.text("abcdefgh", min_size=1, max_size=4)
SHAPES = {
    "word": r"Zq(?:[bdfghjklmnprstvz][aeiou]){4}",
    "date": r"\d{1,2} [A-Z][a-z]+ 20\d\d",
    "number": r"\d{6}",
    "code": r"[A-Z]{2}-\d{6}",
    "pin": r"00\d{4}",
    "name": r"[A-Z][a-z]{7} [A-Z][a-z]{7}",
    "firm": r"[A-Z][a-z]{7}, [A-Z][a-z]{7} and [A-Z][a-z]{7}",
    "mail": r"[A-Z][a-z]{7}\.[A-Z][a-z]{7}@example\.org",
    "marked": r"[A-Z][a-z]{7} & <[A-Z][a-z]{7}>",
    "emoji": r"[A-Z][a-z]{7} \U0001f483 [A-Z][a-z]{7}",
    "signed": r"[A-Z][a-z]{7}\+\+",
    "lines": r"[A-Z][a-z]{7}\u2028[A-Z][a-z]{7}\x85[A-Z][a-z]{7}",
    "quoted": r"O'[A-Z][a-z]{7} \"[A-Z][a-z]{7}\"",
    "braced": r"[A-Z][a-z]{7} \{user\} %s [A-Z][a-z]{7}",
    "letters": r"[\u0410-\u042f][\u0430-\u044f]{7}",
    "long": r"[A-Z][a-z]{7}(?: [A-Z][a-z]{7}){13}",
    "memo": r"[A-Z][a-z]{7}(?: [A-Z][a-z]{7}){119}",
}


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.text(max_size=5), name=NAMES)
def test_a_token_has_the_shape_of_its_type(kind: str, seed: str, name: str) -> None:
    """A variable has one value in a run, of its type, and it is found in a sentence."""
    value = token(seed, name, kind)
    assert re.fullmatch(SHAPES[kind], value)
    assert value == token(seed, name, kind)
    assert found_in(f"It is {value}.", {value}) == {value}


@given(st.lists(NAMES, unique=True, max_size=8), st.lists(NAMES, unique=True, max_size=8))
def test_what_is_found_is_what_stands_there(written: list[str], others: list[str]) -> None:
    """Of all tokens exactly those are found that were written."""
    there = {token("s", name) for name in written}
    every = there | {token("s", name) for name in others}
    assert found_in(" and ".join(sorted(there)), every) == there


def test_other_runs_and_names_have_other_tokens() -> None:
    """Neither the seed nor the name can be exchanged."""
    assert len({token("0", "a"), token("1", "a"), token("0", "b"), token("0", "a", "code")}) == 4


@pytest.mark.parametrize(
    "text", ["ZQBADOKU!", "my zqbadoku's", "(Zqbadoku)", "私の上司はZqbadokuです", "«Zqbadoku»", "x-Zqbadoku"]
)
def test_a_word_is_found_in_any_case_and_script(text: str) -> None:
    """Punctuation and scripts without spaces may stand beside a word."""
    assert found_in(text, ["Zqbadoku"]) == {"Zqbadoku"}


@pytest.mark.parametrize("text", ["Zqbadokux", "aZqbadoku", "Zqbadoku1", "Zqbado ku", "_Zqbadoku"])
def test_a_part_of_a_longer_word_is_no_token(text: str) -> None:
    """Only whole words count."""
    assert found_in(text, ["Zqbadoku"]) == set()


@pytest.mark.parametrize("text", ["due 2051-02-15", "February 15, 2051", "the 15th of Feb 2051", "15.02.2051"])
def test_a_date_is_found_in_any_spelling(text: str) -> None:
    """What counts is the day."""
    assert found_in(text, ["15 February 2051", "16 February 2051"]) == {"15 February 2051"}


@pytest.mark.parametrize("text", ["AB-0123456", "CAB-012345", "AB-012346"])
def test_a_code_is_found_as_it_is(text: str) -> None:
    """Neighbours in the alphabet are other codes."""
    assert found_in(text, ["AB-012345"]) == set()
    assert found_in(f"{text}, ab-012345", ["AB-012345"]) == {"AB-012345"}


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("My bank is Zqabe", {"Zqabe"}),
        ("My bank is Zqabe.", {"Zqabe"}),
        ("cidofu.\nMy bank is fine.", {"cidofu"}),
        ("My bcidofu.", {"cidofu", "idofu", "dofu"}),
        ("My bank is Zqabecidofu.", set()),
        ("My bank is Zqabe…", set()),
        ("My phone is", set()),
    ],
)
def test_half_a_value_is_seen_where_a_text_was_cut(text: str, cut: set[str]) -> None:
    """At the begin and end of a line; not in a line that says that something was left out."""
    seen = cut_values(text, ["Zqabecidofu"])
    assert bool(seen) == bool(cut)
    assert cut <= seen or seen <= cut


def test_a_domain_is_no_half_of_an_address() -> None:
    """Other addresses have it too; a name that was cut is a half still."""
    address = "Kapakuvo.Lemodira@example.org"
    assert not cut_values("Write to Sutevano.Nolimo@example.org", [address])
    assert cut_values("Write to modira@example.org", [address])
    assert cut_values("Write to Kapakuvo.Lem", [address])


@pytest.mark.parametrize("manner", ["longer", "shorter", "digit", "accent"])
def test_what_is_nearly_a_value_is_another(manner: str) -> None:
    """Neither is found where the other stands, and an accent is found however it is written."""
    for kind in ("word", "number", "code"):
        value = token("7", "x", kind)
        other = nearly(value, manner)
        if other != value:
            assert found_in(f"It is {other}.", {value, other}) == {other}
            assert found_in(f"It is {value}.", {value, other}) == {value}
    assert found_in("It is Zqbi\u0301hitijes.", {"Zqb\u00edhitije"})


def test_a_day_without_its_year_is_not_told_in_full() -> None:
    """It is found, and something is left out."""
    assert in_full("On 8 November 2066.", "8 November 2066")
    assert not in_full("On 8 November.", "8 November 2066")
    assert in_full("It is 123,456.", "123456")


@pytest.mark.parametrize("text", ["8 apr\u0131l 2031", "MA\u0130 8, 2031", "the f\u0131fth of May 2031"])
def test_a_month_with_a_turkish_letter_is_no_month(text: str) -> None:
    """It is read and passed over, as a pattern that asks for no case takes the letter for an i."""
    assert found_in(f"on {text}, Zqkapakuvo", ["Zqkapakuvo", "9 May 2031"]) == {"Zqkapakuvo"}
