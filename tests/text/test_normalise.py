"""Folding texts for comparison."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.normalise import fold


def test_four_steps() -> None:
    """Case, punctuation, width and white space do not matter."""
    assert fold("  The\tCAT's\u00a0“milk”, \uff12 litres! ") == "the cats milk 2 litres"


@given(st.text())
def test_folded_texts_are_plain(text: str) -> None:
    """A folded text holds no punctuation and no white space to spare."""
    once = fold(text)
    assert not any(unicodedata.category(c).startswith("P") for c in once)
    assert " ".join(once.split()) == once
