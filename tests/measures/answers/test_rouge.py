"""ROUGE-L."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.answers import rouge_l, token_f1

WORDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=7).map(" ".join)


def test_order_counts() -> None:
    """Four of five words in order, worked out by hand: 2 · 4 / (5 + 5); turned around, only one remains."""
    assert rouge_l("the cat sat on mats", ["the cat is on mats"]) == pytest.approx(0.8)
    assert rouge_l("b a", ["a b"]) == pytest.approx(0.5)
    assert rouge_l("x", ["y", "x z"]) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="no accepted answer"):
        rouge_l("x", [])


@given(WORDS, WORDS)
def test_it_is_symmetric_and_never_above_f1(a: str, b: str) -> None:
    """A common subsequence is a common bag of words."""
    assert rouge_l(a, [b]) == pytest.approx(rouge_l(b, [a]))
    assert rouge_l(a, [b]) <= token_f1(a, [b]) + 1e-12
    assert rouge_l(a, [a]) == 1.0


@given(WORDS, WORDS)
def test_the_subsequence_is_the_longest(a: str, b: str) -> None:
    """Trying every subsequence finds none that is longer."""
    first, second = a.split(), b.split()
    chosen = ([word for n, word in enumerate(first) if bits >> n & 1] for bits in range(2 ** len(first)))
    longest = max(len(some) for some in chosen if _inside(some, second))
    total = len(first) + len(second)
    assert rouge_l(a, [b]) == pytest.approx(2 * longest / total if total else 1.0)


def _inside(some: list[str], whole: list[str]) -> bool:
    left = iter(whole)
    return all(word in left for word in some)
