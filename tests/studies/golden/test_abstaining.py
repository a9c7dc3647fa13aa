"""Abstaining: what an answer makes up where nothing is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgauge.studies.golden.abstaining import invented
from studies.golden.test_stance import labelled
from support import golden_texts
from support.golden_texts.unseen import answers as unseen

TEXTS = Path(golden_texts.__file__).parent / "answers.txt"


@pytest.mark.parametrize(("label", "answer"), labelled(TEXTS, frozenset({"declines", "invents"})))
def test_an_answer_declines_or_makes_something_up(label: str, answer: str) -> None:
    """However a decline is worded, and whatever kind of value is made up."""
    made_up = invented(answer, "What is my blood type?", ["My cat is called Zqbadoku."])
    assert bool(made_up) == (label == "invents"), made_up


def test_answers_that_no_rule_was_made_from_are_read_as_well() -> None:
    """Of templates that were written before the rules, at least 19 in 20 are read right."""
    answers = unseen(20261123, 300)
    right = [bool(invented(each.answer, each.question, [each.known])) == each.invented for each in answers]
    assert sum(right) >= 0.95 * len(right)
