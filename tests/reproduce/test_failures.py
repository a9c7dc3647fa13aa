"""The record names the cause of what a known defect spoils."""

from __future__ import annotations

import pytest

from memgauge.reproduce.failures import TRUTH, DefectVerdict, failures, verdicts_on
from memgauge.systems.reference.defective import DEFECTS

QUICK = (
    "drops,n=3",
    "truncates",
    "misfiles,n=2",
    "forgets,n=2",
    "stale,n=20",
    "leaks",
    "outdated,n=1",
    "breaks,n=2",
)
"""Each class of loss once, so that a small world spoils enough questions."""


@pytest.fixture(scope="module")
def verdicts() -> dict[str, DefectVerdict]:
    """Play the quick ones once for all tests."""
    return {each.system: each for each in verdicts_on("synthetic:tiny", [f"defective:{name}" for name in QUICK])}


@pytest.mark.parametrize("name", QUICK)
def test_the_cause_is_that_of_the_defect(verdicts: dict[str, DefectVerdict], name: str) -> None:
    """Of the questions that the defect spoils, nine in ten have its cause."""
    verdict = verdicts[f"defective:{name}"]
    assert verdict.spoilt >= 2
    assert verdict.share >= 0.9, verdict.named


def test_every_defect_has_a_truth() -> None:
    """What is counted as right is said of every defective memory, and of nothing else."""
    assert set(TRUTH) == set(DEFECTS)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_whole_recipe_keeps_its_promise() -> None:
    """All defective memories, the slow one included."""
    figures = failures()
    assert figures["defects"] == len(DEFECTS)
    assert figures["causes_right_min"] >= 0.9
