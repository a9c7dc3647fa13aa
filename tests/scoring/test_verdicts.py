"""From verdicts to values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.base import DatasetIdentity
from memgauge.records import Denominator, Gold, Question
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.verdicts import verdict_columns

if TYPE_CHECKING:
    from memgauge.scoring.score import MeasureColumn

EVENTS = ("one", "two", "three")
QUESTIONS = tuple(Question(f"q{n}", "c", "?", "any") for n in range(6))
GOLD = GoldTable(
    DatasetIdentity("handmade", "handmade", ""), QUESTIONS, tuple(Gold(q.id, points=EVENTS) for q in QUESTIONS)
)
ANSWERS = [{"question": q.id, "outcome": "ok"} for q in QUESTIONS]


def verdict(question: str, rubric: str, *grades: str) -> list[dict[str, Any]]:
    """Make the rows of one question."""
    many = len(grades) > 1
    return [
        {"key": f"{question}#{n}" if many else question, "question": question, "rubric": rubric, "grade": grade}
        for n, grade in enumerate(grades)
    ]


def columns(*rows: list[dict[str, Any]]) -> dict[str, MeasureColumn]:
    """Score rows of several questions."""
    made = verdict_columns(ANSWERS, [row for part in rows for row in part], GOLD)
    return {column.name: column for column in made}


def test_points_count_halves_and_lose_them_as_published() -> None:
    """The mean over points; BEAM's own code makes 0 of every half."""
    found = columns(verdict("q0", "point", "full", "partly", "missing"), verdict("q1", "point", "partly"))
    assert found["Judged"].rows.values[:2].tolist() == [0.5, 0.5]
    assert found["Judged_as_published"].rows.values[:2].tolist() == pytest.approx([1 / 3, 0])
    assert found["Judged"].denominator.excluded == {"nothing to judge it by": 4}


def test_the_order_of_an_answer_is_that_of_its_lines_whatever_the_order_of_judging() -> None:
    """Lines 2, 1, 3 of three events: tau-b by hand is one third; a line about nothing does not count."""
    rows = verdict("q0", "place", "2", "none", "1", "3")
    found = columns(rows[::-1], verdict("q1", "place", "none"), verdict("q2", "fact", "correct"))
    order = found["EventOrder"]
    assert order.rows.values[0] == pytest.approx(1 / 3)
    assert order.denominator.excluded == {
        "judged otherwise": 1,
        "nothing to judge it by": 3,
        "the reply names none of the events": 1,
    }
    assert found["Judged"].denominator.excluded["judged otherwise"] == 2


def test_outcomes_are_rates_beside_the_score() -> None:
    """HaluMem's three rates add up to 1 over what was decided; a tie of judges is counted apart."""
    rows = [verdict(f"q{n}", "outcome", grade) for n, grade in enumerate(("correct", "hallucination", "omission"))]
    found = columns(*rows, verdict("q3", "outcome", "undecided"))
    assert sum(found[name].rows.values.sum() for name in ("Judged", "Hallucination", "Omission")) == 3
    assert found["Omission"].denominator.excluded["verdict undecided"] == 1


def test_claims_are_shares_and_no_score_of_rightness() -> None:
    """Two of four supported, one contradicted: a right answer may be unsupported, so nothing is judged right."""
    found = columns(verdict("q0", "claim", "supported", "supported", "contradicted", "unsupported"))
    assert {name: column.rows.values[0] for name, column in found.items()} == {
        "Supported": 0.5,
        "Contradicted": 0.25,
        "Unsupported": 0.25,
    }


def test_what_failed_is_counted_by_how() -> None:
    """A failed answer is no answer, and without any verdict there is still a column that says so."""
    (column,) = verdict_columns([{"question": "q0", "outcome": "timeout"}], [], GOLD)
    assert (column.name, column.denominator.excluded) == ("Judged", {"timeout": 1})


def test_a_memory_that_fails_is_wrong_and_a_model_that_fails_is_left_out() -> None:
    """Who raises where it is unsure gains nothing; what the answering model lacks is counted apart."""
    answers = [
        {"question": "q0", "outcome": "ok"},
        {"question": "q1", "outcome": "error", "reason": "the search ended as timeout"},
        {"question": "q2", "outcome": "error", "reason": "the reply is no answer: it ended as length"},
        {"question": "q3", "outcome": "error", "reason": "no reply"},
    ]
    (column,) = verdict_columns(answers, verdict("q0", "fact", "correct"), GOLD)
    assert column.rows.values[:2].tolist() == [1.0, 0.0]
    assert column.denominator == Denominator(4, 2, {"answer cut off": 1, "error": 1})
    (column,) = verdict_columns(answers, verdict("q0", "fact", "correct"), GOLD, own=True)
    assert column.denominator == Denominator(4, 4)


def test_a_cut_verdict_is_counted_as_such() -> None:
    """One cut reply among the points of an answer leaves the answer open."""
    made = columns(verdict("q0", "point", "full", "cut off"), verdict("q1", "point", "full", "full"))
    assert made["Judged"].denominator.excluded["verdict cut off"] == 1


def test_an_answer_that_leaves_its_judges_without_a_say_earns_nothing() -> None:
    """What tries to judge itself and stays open is worth least; an innocent answer, or a broken judge, is open."""
    silent = {"grade": "invalid", "votes": [{"raw": "Well."}], "injections": ["brings a verdict"]}
    down = {"grade": "invalid", "votes": [{"raw": ""}], "injections": ["brings a verdict"]}
    rows = [
        [row | given]
        for name, given in (("q0", silent), ("q1", silent | {"injections": []}), ("q2", down))
        for row in verdict(name, "fact", "invalid")
    ]
    judged = columns(*rows)["Judged"].rows
    assert list(judged.defined[:3]) == [True, False, False]
    assert judged.values[0] == 0.0
