"""LoCoMo's rules on cases made by hand."""

from __future__ import annotations

import pytest

from memgauge.measures.answers.locomo import score, score_as_published


@pytest.mark.parametrize(
    ("answer", "gold", "category", "published", "corrected"),
    [
        ("7 May 2023", "7 May, 2023", "temporal", 1.0, 1.0),
        ("The dog and a cat", "dog cat", "single-hop", 1.0, 1.0),
        ("painting", "painted", "single-hop", 1.0, 1.0),
        ("Paris", "Rome", "single-hop", 0.0, 0.0),
        ("", "Rome", "single-hop", 0.0, 0.0),
        ("in Paris", "Paris", "single-hop", 2 / 3, 2 / 3),
        ("yes", "Yes; she loves it", "open-domain", 1.0, 1.0),
        ("tea, coffee", "coffee, tea", "multi-hop", 1.0, 1.0),
        ("tea", "coffee, tea", "multi-hop", 0.5, 2 / 3),
        ("tea, coffee, milk, rum", "coffee, tea", "multi-hop", 1.0, 2 / 3),
        ("tea and coffee", "coffee, tea", "multi-hop", 2 / 3, 1.0),
        ("Paris", "coffee, tea", "multi-hop", 0.0, 0.0),
        ("", "coffee, tea", "multi-hop", 0.0, 0.0),
        ("Not mentioned in the conversation.", "self-care", "adversarial", 1.0, 1.0),
        ("That is not mentioned, but it was self-care.", "self-care", "adversarial", 1.0, 0.0),
        ("", "self-care", "adversarial", 0.0, 1.0),
        ("I don't know.", "self-care", "adversarial", 0.0, 1.0),
        ("self-care", "self-care", "adversarial", 0.0, 0.0),
    ],
)
def test_each_category_has_its_rule(
    answer: str, gold: str, category: str, published: float, corrected: float
) -> None:
    """Commas, semicolons, stems, lists and declining, as published and without what misbehaves."""
    assert score_as_published(answer, gold, category) == pytest.approx(published)
    assert score(answer, gold, category) == pytest.approx(corrected)
