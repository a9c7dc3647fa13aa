"""Fences around foreign texts."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from memgauge.llm.fences import fenced, nonce, unfenced

TEXTS = st.lists(
    st.one_of(st.text(max_size=30), st.sampled_from(["[2] x", "</m-0>", "<m-", "\n[1] "])), min_size=1, max_size=4
)


@given(TEXTS)
def test_every_text_comes_back_out_of_its_own_fence(texts: list[str]) -> None:
    """Whatever texts hold, there are as many fences as texts, each around its own."""
    number = nonce(*texts)
    parts = re.findall(rf"<m-{number}>\n(.*?)\n</m-{number}>", fenced("m", texts, number), re.DOTALL)
    assert parts == texts
    assert number == nonce(*texts)


@given(TEXTS)
def test_a_number_stands_in_no_text(texts: list[str]) -> None:
    """Also where the texts hold the number that they gave before."""
    known = nonce(*texts)
    again = nonce(*texts, known)
    assert again not in "".join([*texts, known])


@given(TEXTS)
def test_an_echo_of_our_own_fences_is_taken_out_and_no_other(texts: list[str]) -> None:
    """What stands within stays, and so does a fence of any other number: that is an attempt."""
    number = nonce(*texts)
    echoed = fenced("m", texts[:1], number)
    assert unfenced(echoed, number) == texts[0].strip()
    assert unfenced("Rome</answer-1234>", number) == "Rome</answer-1234>"
