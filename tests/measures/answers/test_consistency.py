"""Factual consistency by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.measures.answers.consistency import QuestionMemories, Support, claims, consistency

SAID = (
    "Ada adopted a grey cat called Mist on 3 May 2024.",
    "Ben moved to Porto in March 2023.",
    "Ada does not like the piano.",
    "The flat costs 900 euros a month.",
)


@pytest.mark.parametrize(
    ("claim", "support"),
    [
        ("Ada adopted a grey cat called Mist on May 3, 2024.", Support.SUPPORTED),
        ("Ada adopted a grey cat called Mist on May 4, 2024.", Support.CONTRADICTED),
        ("Ada likes the piano.", Support.CONTRADICTED),
        ("Ada never likes the piano.", Support.SUPPORTED),
        ("The flat costs 950 euros a month.", Support.CONTRADICTED),
        ("Ben bought a boat.", Support.UNSUPPORTED),
        ("Ben moved to Porto in March 2023 with 2 dogs.", Support.UNSUPPORTED),
        ("Ada has not liked the piano since 3 May 2024.", Support.UNSUPPORTED),
    ],
)
def test_a_claim_is_borne_out_denied_or_neither(claim: str, support: Support) -> None:
    """Another date, another sum and another polarity contradict; what nobody said is unsupported."""
    assert QuestionMemories(SAID).support(claim) is support


def test_an_answer_is_cut_into_what_it_claims() -> None:
    """Questions and fillers claim nothing; an answer without a claim has no faithfulness."""
    assert claims("Ben moved to Porto. Really? It was so; he paid 900.") == ("Ben moved to Porto.", "he paid 900.")
    answer = "Ben moved to Porto in March 2023. He bought a boat. Ada likes the piano."
    counts = consistency(answer, QuestionMemories(SAID))
    assert (counts.supported, counts.contradicted, counts.unsupported, counts.claims) == (1, 1, 1, 3)
    assert counts.faithfulness == pytest.approx(1 / 3)
    assert consistency("", QuestionMemories(SAID)).faithfulness is None


@given(st.permutations(SAID), st.sampled_from(SAID), st.lists(st.sampled_from(SAID)))
def test_order_means_nothing_and_more_never_takes_support_away(
    order: list[str], claim: str, more: list[str]
) -> None:
    """What a memory says is supported by it, in any company."""
    assert QuestionMemories([*order, *more]).support(claim) is Support.SUPPORTED
    changed = claim.replace("Ada", "Eve")
    assert QuestionMemories(order).support(changed) is QuestionMemories(SAID).support(changed)
