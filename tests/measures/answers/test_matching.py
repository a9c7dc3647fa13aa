"""Exact match and token F1, against counting by hand and an oracle that shares no code."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.answers import exact_match, fold_without_articles, token_f1
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = st.one_of(
    st.lists(st.sampled_from(["red", "Red!", "blue", "the", "a", "2", "…", ""])).map(" ".join), st.text()
)
GOLDS = st.lists(TEXTS, min_size=1, max_size=4)


def oracle(answer: str, gold: str) -> float:
    """Compute F1 from precision and recall, pairing equal words one by one."""
    left, right = fold(answer).split(), fold(gold).split()
    if not left or not right:
        return float(left == right)
    counts = Counter(right)
    common = 0
    for word in left:
        if counts[word]:
            counts[word] -= 1
            common += 1
    if not common:
        return 0.0
    precision, recall = common / len(left), common / len(right)
    return 2 * precision * recall / (precision + recall)


@pytest.mark.parametrize(
    ("answer", "golds", "f1"),
    [
        ("a red boat", ["the red boat"], 2 / 3),
        ("RED  boat!", ["red boat"], 1.0),
        ("boat red", ["red boat"], 1.0),
        ("red", ["red red"], 2 / 3),
        ("red red red", ["red red boat"], 2 / 3),
        ("Lisbon", ["Porto", "in Lisbon", "Lisbon, Portugal by the sea"], 2 / 3),
        ("green", ["red"], 0.0),
        ("", ["red"], 0.0),
        ("red", [""], 0.0),
        ("", [""], 1.0),
        ("...", ["", "red"], 1.0),
    ],
)
def test_f1_by_hand(answer: str, golds: list[str], f1: float) -> None:
    """Order, case and punctuation do not matter, repetition does, and the best accepted answer counts."""
    assert token_f1(answer, golds) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("answer", "golds", "match"),
    [
        (" Red\tBoat. ", ["red boat"], 1.0),
        ("boat red", ["red boat"], 0.0),
        ("two", ["2", "Two"], 1.0),
        ("the boat", ["boat"], 0.0),
        ("", ["red"], 0.0),
        ("", ["?!"], 1.0),
    ],
)
def test_exact_match_by_hand(answer: str, golds: list[str], match: float) -> None:
    """The folded text must equal any accepted one, words in order."""
    assert exact_match(answer, golds) == match


def test_articles_are_kept_unless_the_caller_drops_them() -> None:
    """ShiftBench compares articles, SQuAD does not; only whole words are articles."""
    assert fold_without_articles("The cat sat on  a Mat, then an ant") == "cat sat on mat then ant"
    assert exact_match("the boat", ["A boat"]) == 0.0
    assert exact_match("the boat", ["A boat"], fold_without_articles) == 1.0
    assert token_f1("the boat", ["a red boat"]) == pytest.approx(2 / 5)
    assert token_f1("the boat", ["a red boat"], fold_without_articles) == pytest.approx(2 / 3)
    assert token_f1("the", ["an"], fold_without_articles) == 1.0


@pytest.mark.parametrize("measure", [exact_match, token_f1])
def test_without_an_accepted_answer_nothing_is_defined(measure: Callable[..., float]) -> None:
    """No gold is an error, and so is one text where a sequence of texts belongs."""
    with pytest.raises(ValueError, match="no accepted answer"):
        measure("red", [])
    with pytest.raises(TypeError, match="not as one text"):
        measure("red", "red")


@given(TEXTS, GOLDS)
def test_f1_equals_the_oracle(answer: str, golds: list[str]) -> None:
    """It is the best harmonic mean of precision and recall."""
    assert token_f1(answer, golds) == pytest.approx(max(oracle(answer, gold) for gold in golds))


@given(TEXTS, TEXTS)
def test_laws_of_one_gold(answer: str, gold: str) -> None:
    """F1 is symmetric, within [0, 1], and 1 exactly for the same words equally often."""
    f1 = token_f1(answer, [gold])
    assert f1 == token_f1(gold, [answer])
    assert 0.0 <= f1 <= 1.0
    assert (f1 == 1.0) == (sorted(fold(answer).split()) == sorted(fold(gold).split()))


@given(TEXTS, GOLDS, TEXTS)
def test_laws_of_many_golds(answer: str, golds: list[str], more: str) -> None:
    """An exact match has F1 1; another accepted answer never hurts; their order does not matter."""
    for measure in (exact_match, token_f1):
        value = measure(answer, golds)
        assert value <= measure(answer, [*golds, more])
        assert value == measure(answer, golds[::-1])
    assert exact_match(answer, golds) <= token_f1(answer, golds)
    assert exact_match(answer, golds) in {0.0, 1.0}
    assert exact_match(golds[0], golds) == 1.0
