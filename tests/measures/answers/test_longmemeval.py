"""LongMemEval's tolerances."""

from __future__ import annotations

import pytest

from memgauge.datasets.longmemeval.dataset import KIND
from memgauge.measures.answers.longmemeval import TOLERANCES, must_abstain


@pytest.mark.parametrize(
    ("question", "abstain"), [("6a1eabeb", False), ("gpt4_70e84552_abs", True), ("_abs_1", False)]
)
def test_the_id_says_whether_to_decline(question: str, abstain: bool) -> None:
    """The suffix, and nothing else."""
    assert must_abstain(question) is abstain


def test_every_type_has_its_tolerance() -> None:
    """The six types of the benchmark, each with a sentence of its own kind."""
    assert KIND.name == "longmemeval"
    assert len(TOLERANCES) == 6
    assert "off by one" in TOLERANCES["temporal-reasoning"]
