"""Measures of answers: what they are asked about, which reply is the best, and which end of them is better."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures import MEASURES
from memgauge.measures.answers.consistency import ClaimCounts
from memgauge.measures.answers.scorers import ANSWERABLE, NO_ANSWER, UNANSWERABLE
from memgauge.measures.formula import Reads
from memgauge.records import Gold, Question

MATCHING = ("EM", "F1", "F1(articles)", "ROUGE-L", "Typed")
LOCOMO = ("LoCoMo", "LoCoMo_as_published")
KNOWN, UNKNOWN, OPEN = Gold("q", answers=("Tamm", "Lund")), Gold("q", abstain=True), Gold("q")


def value(name: str, answer: str, gold: Gold, category: str = "single-hop") -> float | str:
    """Compute one measure of the registry from an answer."""
    formula = MEASURES.get(name)
    assert (formula.reads, formula.cutoff) == (Reads.ANSWERS, None)
    computed: float | str = formula.compute(answer, gold, Question("q", "c", "Where?", category))
    return computed


@pytest.mark.parametrize("name", MATCHING)
def test_any_accepted_answer_is_the_best_reply(name: str) -> None:
    """Each of several is worth 1; where the right reply is to abstain, or unknown, there is nothing to match."""
    assert [value(name, answer, KNOWN) for answer in (*KNOWN.answers, "Varn")] == [1, 1, 0]
    assert not MEASURES.get(name).lower
    assert value(name, "Tamm", UNKNOWN) == UNANSWERABLE
    assert value(name, "Tamm", OPEN) == NO_ANSWER


@pytest.mark.parametrize("name", LOCOMO)
def test_locomos_rules_know_one_answer_and_the_category(name: str) -> None:
    """The first accepted answer is LoCoMo's own; where nothing may be accepted its rule for traps applies."""
    assert [value(name, answer, KNOWN) for answer in KNOWN.answers] == [1, 0]
    declined = [value(name, answer, UNKNOWN, "adversarial") for answer in ("Not mentioned", "Tamm")]
    assert declined == [1, 0]
    assert not MEASURES.get(name).lower
    assert value(name, "Tamm", OPEN) == NO_ANSWER


def test_to_say_nothing_is_right_or_wrong_and_never_both() -> None:
    """An empty answer is good where nothing is known, and the worst elsewhere; each measure asks about its own."""
    assert [value("Abstention", answer, UNKNOWN) for answer in ("", "Tamm")] == [1, 0]
    assert [value("FalseAbstention", answer, KNOWN) for answer in ("", "Tamm")] == [1, 0]
    assert value("Abstention", "", KNOWN) == ANSWERABLE
    assert value("FalseAbstention", "", UNKNOWN) == UNANSWERABLE
    assert [MEASURES.get(name).lower for name in ("Abstention", "FalseAbstention")] == [False, True]


@given(st.tuples(*[st.integers(0, 9)] * 3))
def test_every_claim_ends_in_one_way(counts: tuple[int, int, int]) -> None:
    """The three shares are one whole; an answer that claims nothing has none of them."""
    formulas = [MEASURES.get(f"{ending}(words)") for ending in ("Supported", "Contradicted", "Unsupported")]
    shares = [formula.compute(ClaimCounts(*counts)) for formula in formulas]
    total = sum(counts)
    assert shares == ([pytest.approx(count / total) for count in counts] if total else [None] * 3)
    assert [formula.lower for formula in formulas] == [False, True, True]
    assert {formula.reads for formula in formulas} == {Reads.CLAIMS}
