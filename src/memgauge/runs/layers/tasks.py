"""What a judge is asked about an answer: each benchmark's own way, and one way for all others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.llm.judges.items import declining, fact, outcome, place, point
from memgauge.llm.judges.rubrics import CLAIM, FACT, OUTCOME, POINT, Grade, Rubric
from memgauge.measures.answers.longmemeval import TOLERANCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from memgauge.llm.judges.items import JudgeItem
    from memgauge.records import Gold, Question

    Task = Callable[[Question, Gold, str], Sequence[JudgeItem]]

DESCRIBED = "The accepted answer describes a good reply instead of stating a fact: CORRECT is what fits it."
ORDER = "event-ordering"
"""BEAM's ability whose points are events in their order."""
LINES = 40
"""Lines of an answer that are aligned with events, at most."""
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\(?\d{1,3}[.):]|\[\d{1,3}\])\s*")
"""What stands before a line of a list; its number would tell the judge the place."""


def neutral(question: Question, gold: Gold, answer: str) -> Sequence[JudgeItem]:
    """Ask whether the accepted fact is stated, or rightly declined; nothing without an accepted answer."""
    return _fact(question, gold, answer, DESCRIBED if gold.rubric else "")


def longmemeval(question: Question, gold: Gold, answer: str) -> Sequence[JudgeItem]:
    """Ask as :func:`neutral`, with what is tolerated for questions of this type."""
    return _fact(question, gold, answer, TOLERANCES.get(question.category, ""))


def halumem(question: Question, gold: Gold, answer: str) -> Sequence[JudgeItem]:
    """Ask for one of HaluMem's outcomes; where nothing is known, saying so is correct."""
    return (outcome(question.text, " / ".join(gold.answers), answer),) if gold.answers else ()


def beam(question: Question, gold: Gold, answer: str) -> Sequence[JudgeItem]:
    """Ask about every point of BEAM's rubric; of an order, which event each line of the answer speaks of."""
    if question.category == ORDER:
        return tuple(place(gold.points, line) for line in lines_of(answer)) if gold.points else ()
    return tuple(point(question.text, wanted, answer) for wanted in gold.points)


OFFICIAL: Mapping[str, Task] = {"beam": beam, "halumem": halumem, "longmemeval": longmemeval}
"""The way of each benchmark that has its own, by its name."""


def task_of(dataset: str, rules: str) -> Task:
    """Return how answers about *dataset* are judged: ``official``, its own way, or ``neutral``, like any other."""
    return OFFICIAL.get(dataset, neutral) if rules == "official" else neutral


def grade_of_silence(item: JudgeItem, *, abstain: bool) -> str:
    """Grade an empty answer by rule: it declines, which is right where nothing is known and nowhere else."""
    rubric: Rubric = item.rubric
    if abstain:
        return rubric.grades[0]
    worst = {
        FACT.name: Grade.INCORRECT,
        OUTCOME.name: "omission",
        POINT.name: "missing",
        CLAIM.name: "unsupported",
    }
    return worst.get(rubric.name, rubric.grades[-1])


def lines_of(answer: str) -> Iterator[str]:
    """Yield what an answer lists, a line each, without bullets and numbers."""
    lines = (_BULLET.sub("", line).strip() for line in answer.splitlines())
    yield from list(filter(None, lines))[:LINES]


def _fact(question: Question, gold: Gold, answer: str, rule: str) -> Sequence[JudgeItem]:
    if gold.abstain:
        return (declining(question.text, answer),)
    return (fact(question.text, " / ".join(gold.answers), answer, rule),) if gold.answers else ()
