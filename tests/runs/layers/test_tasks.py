"""What a judge is asked about an answer."""

from __future__ import annotations

import pytest

from memgauge.llm.judges.rubrics import OUTCOME
from memgauge.records import Gold, Question
from memgauge.runs.layers.tasks import grade_of_silence, lines_of, task_of

ASKED = Question("q1", "c1", "When does it end?", "temporal-reasoning")
GOLD = Gold("q1", answers=("18 days",))


def test_each_benchmark_has_its_own_way_and_neutral_has_none_of_them() -> None:
    """LongMemEval's tolerance by type is in the prompt under its own rules alone."""
    (official,) = task_of("longmemeval", "official")(ASKED, GOLD, "19 days")
    (neutral,) = task_of("longmemeval", "neutral")(ASKED, GOLD, "19 days")
    assert "off by one" in str(official.parts["rule"])
    assert "off by one" not in str(neutral.parts["rule"])
    assert official.rubric == neutral.rubric
    (declining,) = task_of("longmemeval", "official")(ASKED, Gold("q1", abstain=True), "I don't know")
    assert declining.rubric.name == "declining"


def test_halumem_asks_for_an_outcome() -> None:
    """One item with the accepted answer; without one there is nothing to judge by."""
    (item,) = task_of("halumem", "official")(ASKED, GOLD, "In May")
    assert (item.rubric, item.parts["gold"]) == (OUTCOME, "18 days")
    assert task_of("halumem", "official")(ASKED, Gold("q1"), "In May") == ()


def test_beam_asks_about_every_point() -> None:
    """Two points, two items; the accepted answer is not shown, for published scores follow the points."""
    gold = Gold("q1", answers=("March 29",), points=("states March 29", "names the sprint"))
    items = task_of("beam", "official")(ASKED, gold, "On March 29.")
    assert [item.parts["point"] for item in items] == ["states March 29", "names the sprint"]
    assert all("gold" not in item.parts for item in items)


def test_an_order_is_asked_line_by_line_without_the_numbers_of_the_lines() -> None:
    """Bullets and numbers go, for they would tell the judge the place; any event or none may be said."""
    asked = Question("q1", "c1", "In which order?", "event-ordering")
    gold = Gold("q1", points=("the schema", "the login", "the tests"))
    items = task_of("beam", "official")(asked, gold, "1. The login\n\n- then (2024) tests\n[3] 5 lunches")
    assert [item.judged for item in items] == ["The login", "then (2024) tests", "5 lunches"]
    assert items[0].rubric.words == ("1", "2", "3", "NONE")
    assert task_of("beam", "official")(asked, Gold("q1"), "x") == ()


@pytest.mark.parametrize(
    ("benchmark", "abstain", "grade"),
    [
        ("locomo", False, "incorrect"),
        ("locomo", True, "correct"),
        ("halumem", False, "omission"),
        ("halumem", True, "correct"),
        ("beam", False, "missing"),
        ("beam", True, "full"),
    ],
)
def test_an_empty_answer_declines(benchmark: str, abstain: bool, grade: str) -> None:
    """It is right where nothing is known, and nowhere else, in the words of each rubric."""
    gold = Gold("q1", answers=("18 days",), points=("says 18 days",), abstain=abstain)
    (item,) = task_of(benchmark, "official")(ASKED, gold, "")
    assert grade_of_silence(item, abstain=abstain) == grade


def test_lines_are_capped() -> None:
    """A model that lists everything is not asked about without end."""
    assert len(list(lines_of("\n".join(["x"] * 100)))) == 40
