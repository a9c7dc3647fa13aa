"""Orders of options, and letters in replies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.llm.choosing import LETTERS, chosen, lettered, showing

SHOWN = ("a red kayak", "B 52", "the lake", "")


@given(st.text(), st.integers(2, 10), st.integers(), st.integers(0, 40))
def test_a_showing_holds_every_option_once_and_depends_on_nothing_else(
    question: str, options: int, seed: int, number: int
) -> None:
    """The same seed, question and number give the same permutation."""
    order = showing(question, options, seed, number)
    assert sorted(order) == list(range(options))
    assert order == showing(question, options, seed, number)


@given(st.text(), st.integers(2, 10), st.integers())
def test_each_option_stands_at_each_letter_once(question: str, options: int, seed: int) -> None:
    """So a reader that always takes one letter is right by chance, whichever it is."""
    orders = [showing(question, options, seed, number) for number in range(options)]
    for letter in range(options):
        assert sorted(order[letter] for order in orders) == list(range(options))


def test_orders_differ_between_questions_and_seeds() -> None:
    """An order is drawn, not fixed."""
    assert len({showing(f"q{n}", 4, 0, 0) for n in range(50)}) > 10
    assert len({showing("q", 4, seed, 0) for seed in range(50)}) > 10


@pytest.mark.parametrize(
    "reply",
    [
        "c",
        "C",
        "(c)",
        "c)",
        "[c]",
        "c.",
        " C: the lake",
        "**(c)**",
        "(c) The lake.",
        "Answer: c",
        "The answer is (c).",
    ],
)
def test_a_letter_is_read(reply: str) -> None:
    """A letter alone, in brackets, introduced, or with the words of its own option."""
    assert chosen(reply, SHOWN) == 2


@pytest.mark.parametrize(
    "reply",
    [
        "", "e", "z", "cc", "c or d", "(a) the lake", "not c", "a kayak", "I think c", "the lake", "a, b", "c\nd",
        "3", "The answer is not c", "(a)(c)", "answer", "Æ",
    ],
)  # fmt: skip
def test_what_names_no_letter_or_two_is_no_choice(reply: str) -> None:
    """Neither prose, nor a letter that contradicts its words, nor one beyond the options."""
    assert chosen(reply, SHOWN) is None


@given(st.text(), st.integers(2, 6))
def test_any_reply_is_read_as_one_of_the_options_or_none(reply: str, options: int) -> None:
    """Nothing raises, and nothing outside the options is named."""
    place = chosen(reply, SHOWN[:options])
    assert place is None or 0 <= place < min(options, len(SHOWN))


@given(st.lists(st.text(st.characters(exclude_characters="\n\r"), max_size=20), min_size=2, max_size=8))
def test_what_is_shown_is_read_back(options: list[str]) -> None:
    """Every line that was shown names its own option, and a lone letter does."""
    lines = lettered("Which?", options).split("\n")[2:]
    for place, line in enumerate(lines):
        assert chosen(LETTERS[place], options) == place
        assert chosen(line, options) in {place, None}
