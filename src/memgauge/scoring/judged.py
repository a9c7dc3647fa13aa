"""Scores of verdicts: what a panel found right, with everybody counted that it could not judge."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import IdentityError
from memgauge.llm.judges.grades import Grade
from memgauge.measures import Rows
from memgauge.records import Denominator, Outcome
from memgauge.scoring.score import SEED, Column, Sampling, summarise
from memgauge.stats import Interval, Resamples
from memgauge.stats.agreement import MISSING, agreement_interval, cohen_kappa, fleiss_kappa

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from memgauge.runs.layers import Layer
    from memgauge.runs.rows import Row
    from memgauge.runs.store import Run
    from memgauge.scoring.board import Score
    from memgauge.scoring.gold import GoldTable
    from memgauge.stats.agreement import Coefficient


@dataclass(frozen=True)
class Flips:
    """How two judges differ on what both decided."""

    a: str
    b: str
    both: int
    agreed: int
    only_a: int
    """Accepted by the first alone."""
    only_b: int
    kappa: Interval
    """Cohen's, over questions."""


@dataclass(frozen=True)
class JudgedEntry:
    """The answers of one system as one panel sees them."""

    run: str
    system: str
    answers: str
    panel: str
    layer: str
    score: Score
    injections: int
    """Answers that tried to judge themselves."""
    by_judge: Mapping[str, Mapping[str, int]]
    """Grades by judge."""
    flips: tuple[Flips, ...]
    fleiss: Interval
    """Fleiss' kappa of all judges, over questions that all of them decided."""


def judged_entry(run: Run, answers: Layer, verdicts: Layer, gold: GoldTable) -> JudgedEntry:
    """Score the verdicts on one layer of answers.

    Raises:
        IdentityError: The verdicts stand on other answers.
    """
    if verdicts.manifest.base != answers.hash:
        raise IdentityError(f"{verdicts.folder} stands on other answers.", "Judge these answers again.")
    rows = verdicts.rows()
    column = _column(answers.rows(), rows, gold)
    votes = _votes(rows)
    return JudgedEntry(
        run=str(run.folder),
        system=run.label,
        answers=answers.manifest.label,
        panel=verdicts.manifest.label,
        layer=verdicts.hash,
        score=summarise([column], Sampling.of(gold))[0],
        injections=sum(bool(row["injections"]) for row in rows),
        by_judge={judge: dict(Counter(grades.values())) for judge, grades in votes.items()},
        flips=tuple(_flips(a, b, votes) for a, b in combinations(votes, 2)),
        fleiss=_interval(_ratings(votes, list(votes)), fleiss_kappa),
    )


def _column(answers: Sequence[Row], rows: Sequence[Row], gold: GoldTable) -> Column:
    """Value what was decided; say of every other answer why it was not."""
    grades = {row["question"]: Grade(row["grade"]) for row in rows}
    values, defined = np.zeros(len(gold.questions)), np.zeros(len(gold.questions), dtype=np.bool_)
    excluded: Counter[str] = Counter()
    for row in answers:
        grade = grades.get(row["question"])
        if grade in {Grade.CORRECT, Grade.INCORRECT}:
            place = gold.number[row["question"]]
            values[place], defined[place] = grade is Grade.CORRECT, True
        elif grade is not None:
            excluded[f"verdict {grade}"] += 1
        else:
            failed = not Outcome(row["outcome"]).valid
            excluded[str(row["outcome"]) if failed else "no accepted answer"] += 1
    scored = int(defined.sum())
    total = scored + sum(excluded.values())
    return Column("Judged", Rows(values, defined), Denominator(total, scored, dict(sorted(excluded.items()))))


def _votes(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    """Return the grade of every judge for every question that a model was asked about."""
    votes: dict[str, dict[str, str]] = {}
    for row in rows:
        for vote in row["votes"]:
            votes.setdefault(vote["judge"], {})[row["question"]] = vote["grade"]
    return dict(sorted(votes.items()))


def _flips(a: str, b: str, votes: Mapping[str, Mapping[str, str]]) -> Flips:
    ratings = _ratings(votes, [a, b])
    first, second = ratings[(ratings != MISSING).all(axis=1)].T
    return Flips(
        a,
        b,
        both=len(first),
        agreed=int((first == second).sum()),
        only_a=int((first > second).sum()),
        only_b=int((second > first).sum()),
        kappa=_interval(ratings, cohen_kappa),
    )


def _ratings(votes: Mapping[str, Mapping[str, str]], judges: Sequence[str]) -> npt.NDArray[np.int64]:
    """Lay out votes as (questions, judges): 1 right, 0 wrong, missing where nothing was decided."""
    number = {str(Grade.CORRECT): 1, str(Grade.INCORRECT): 0}
    questions = sorted({question for judge in judges for question in votes[judge]})
    rows = [[number.get(votes[judge].get(question, ""), MISSING) for judge in judges] for question in questions]
    return np.array(rows, dtype=np.int64).reshape(len(questions), len(judges))


def _interval(ratings: npt.NDArray[np.int64], coefficient: Coefficient) -> Interval:
    if not len(ratings):
        return Interval(None, None, None, 0, "no model was asked")
    return agreement_interval(ratings, coefficient, Resamples.draw(len(ratings), SEED, 1000))
