"""Measures of verdicts: what grades are worth, and which end of a measure is better."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.measures import MEASURES
from memgauge.measures.answers.verdicts import VerdictFormula
from memgauge.measures.formula import Reads
from memgauge.records import Gold

if TYPE_CHECKING:
    from collections.abc import Sequence


def value(name: str, rubric: str, grades: Sequence[str], gold: Gold | None = None) -> float | str:
    """Compute one measure of the registry from grades by one rubric, the n-th of them for point n."""
    formula = MEASURES.get(name)
    assert isinstance(formula, VerdictFormula)
    assert rubric in formula.rubrics
    assert (formula.reads, formula.cutoff) == (Reads.VERDICTS, None)
    rows = [{"rubric": rubric, "grade": grade, "key": f"q#{n}"} for n, grade in enumerate(grades)]
    computed: float | str = formula.compute(rows, gold or Gold("q"))
    return computed


@pytest.mark.parametrize(
    ("rubric", "best", "worst"),
    [
        ("fact", "correct", "incorrect"),
        ("declining", "correct", "incorrect"),
        ("outcome", "correct", "hallucination"),
        ("outcome", "correct", "omission"),
        ("point", "full", "missing"),
    ],
)
def test_the_best_grade_is_worth_all_and_the_worst_nothing(rubric: str, best: str, worst: str) -> None:
    """Whatever is judged, an answer is worth the mean of its grades."""
    assert value("Judged", rubric, [best, best]) == 1
    assert value("Judged", rubric, [worst]) == 0
    assert value("Judged", rubric, [best, worst, worst]) == pytest.approx(1 / 3)
    assert not MEASURES.get("Judged").lower


def test_halves_are_lost_as_published() -> None:
    """A point that is partly made counts as half, and as nothing by BEAM's own code."""
    grades = ["full", "partly", "missing"]
    assert value("Judged", "point", grades) == pytest.approx(0.5)
    assert value("Judged_as_published", "point", grades) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("name", "rubric", "grade", "lower"),
    [
        ("Hallucination", "outcome", "hallucination", True),
        ("Omission", "outcome", "omission", True),
        ("Supported", "claim", "supported", False),
        ("Contradicted", "claim", "contradicted", True),
        ("Unsupported", "claim", "unsupported", True),
    ],
)
def test_a_share_is_of_all_that_was_graded(name: str, rubric: str, grade: str, lower: bool) -> None:
    """One of four grades is a quarter; less of what is bad is better."""
    assert value(name, rubric, [grade, "other", "other", "other"]) == 0.25
    assert MEASURES.get(name).lower is lower


def test_events_stand_in_the_order_of_the_reply() -> None:
    """Verdicts are put in the order of their numbers, of which the tenth is after the ninth."""
    gold = Gold("q", points=tuple("abcdefghijkl"))
    right = [str(n) for n in range(1, 13)]
    assert value("EventOrder", "place", right, gold) == pytest.approx(1)
    assert value("EventOrder", "place", right[::-1], gold) == pytest.approx(-1)
    rows = [{"grade": grade, "key": f"q#{n}"} for n, grade in enumerate(right)]
    assert MEASURES.get("EventOrder").compute(rows[::-1], gold) == pytest.approx(1)
    assert value("EventOrder", "place", ["none"], gold) == "the reply names none of the events"
