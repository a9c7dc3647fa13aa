"""Solvers that understand nothing, and what counts as right."""

from __future__ import annotations

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.synthetic.asked import QuestionKind
from memgauge.records import Case, Conversation, Question, Session, Turn
from memgauge.studies.quality.difficulty import together
from memgauge.studies.quality.shortcuts import BEREFT, BOUNDS, FIRST_TOLD, LAST_TOLD, ORACLE
from memgauge.studies.quality.solvers import SOLVERS, is_right, look_around


def test_every_solver_that_has_a_bound_is_played() -> None:
    """And every solver that is played has one; oracles and who hears the telling are no solvers."""
    bounded = frozenset().union(*(bound.solvers for bound in BOUNDS))
    assert set(SOLVERS) == bounded - {ORACLE, BEREFT, LAST_TOLD, FIRST_TOLD}


def test_half_of_the_evidence_is_no_answer_to_a_question_about_all_of_it() -> None:
    """Lists, counts, sums, changes, spans and what several demands leave follow from all turns together."""
    seen = set()
    for case, golds, _ in together(open_dataset("synthetic:small,level=lex")):
        scene = look_around(case)
        for question, gold in zip(case.questions, golds, strict=True):
            evidence = [turn for turn in scene.turns if turn.id in gold.anchors()]
            if question.category in _WHOLE and len(evidence) > 1:
                other = next(turn for turn in scene.turns if turn.id not in gold.anchors())
                assert is_right([*evidence[::-1], other], question, gold)
                assert not is_right([evidence[0], other, *evidence[1:]], question, gold)
                assert not is_right(evidence[:1], question, gold)
                seen.add(question.category)
    assert seen == _WHOLE


_WHOLE = {
    QuestionKind.LIST,
    QuestionKind.COUNT,
    QuestionKind.SUM,
    QuestionKind.CHANGES,
    QuestionKind.DURATION,
    QuestionKind.CONSTRAINTS,
}


def test_days_that_a_question_names_are_not_looked_for() -> None:
    """No figure of a day finds a turn, so that a solver that is blind to time stays so."""
    turns = tuple(Turn(f"t{n}", "Ada", text, "s1") for n, text in enumerate(("I ate 8 plums.", "My dog barked.")))
    scene = look_around(Case(Conversation("c1", (Session("s1", None, turns),)), ()))
    for day in ("8 May 2023", "2023-05-08"):
        asked = Question("q1", "c1", f"Whose dog was it by {day}?", "current")
        assert SOLVERS["last-mention"](scene, asked) == [turns[1]], day
        assert SOLVERS["bm25"](scene, asked) == [turns[1]], day
