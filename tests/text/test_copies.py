"""Copies: a turn with a word before it, or in capitals, is the turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.copies import copies

TURN = "I went to a support group for painters yesterday and it was so powerful."
OTHER = "I moved to Porto in March."


@pytest.mark.parametrize(
    "text",
    [
        TURN,
        f"memory: {TURN}",
        f"{TURN.upper()} (noted)",
        f"[7 May 2023] Caroline: {TURN}",
        f"{TURN} {TURN}",
        f"Ada: {TURN}\nBen: {OTHER}",
        TURN.replace("so powerful", "very powerful"),
        TURN.replace("painters", "painters zz"),
    ],
)
def test_a_turn_in_other_clothes_is_a_copy(text: str) -> None:
    """Words before and after, case, repetition, one word changed: the turn is still what there is."""
    assert copies(text, [TURN, OTHER])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Caroline attended a support group for painters.",
        "Ada moved to Porto in March.",
        f"{OTHER} She found a flat near the harbour, works at the port and wants to stay for two more years.",
        " ".join(reversed(TURN.split())),
    ],
)
def test_what_says_it_otherwise_is_none(text: str) -> None:
    """An abstract, another person, a turn among much else, and other order are transformations."""
    assert not copies(text, [TURN, OTHER])


@given(st.text(max_size=80))
def test_nothing_is_a_copy_of_nothing(text: str) -> None:
    """Without an original, or with one that has no words, there is no copy."""
    assert not copies(text, [])
    assert not copies(text, ["", "..."])
