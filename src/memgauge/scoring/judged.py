"""Scores of verdicts: what a panel found right, with everybody counted that it could not judge."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import IdentityError
from memgauge.llm.judges.rubrics import OPEN
from memgauge.measures import Rows
from memgauge.measures.answers.verdicts import WORTH
from memgauge.records import Denominator
from memgauge.runs.layers.answering import OWN
from memgauge.scoring.cutoffs import why_no_mean, without_mean
from memgauge.scoring.score import DatasetSampling, MeasureColumn, summarise
from memgauge.scoring.undecided import holding_open, open_share
from memgauge.scoring.verdicts import earned, verdict_columns
from memgauge.stats import Interval
from memgauge.stats.agreement import MISSING, agreement_interval, cohen_kappa, fleiss_kappa

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy.typing as npt

    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run
    from memgauge.scoring.board import Score
    from memgauge.scoring.gold import GoldTable
    from memgauge.stats.agreement import Coefficient


@dataclass(frozen=True)
class JudgeFlips:
    """How two judges differ on what both decided."""

    a: str
    b: str
    both: int
    agreed: int
    only_a: int
    """Judged better by the first."""
    only_b: int
    kappa: Interval
    """Cohen's, over what was judged."""


@dataclass(frozen=True)
class JudgedEntry:
    """The answers of one system as one panel sees them."""

    run: str
    system: str
    answers: str
    panel: str
    layer: str
    scores: tuple[Score, ...]
    """The first one ranks."""
    by_category: Mapping[str, Score]
    """The first score by category of question."""
    injections: int
    """Answers that tried to judge themselves."""
    by_judge: Mapping[str, Mapping[str, int]]
    """Grades by judge."""
    worth: Mapping[str, float | None]
    """The mean worth of each judge's own grades; ``None`` where its grades have none."""
    flips: tuple[JudgeFlips, ...]
    fleiss: Interval
    """Fleiss' kappa of all judges, over what all of them decided."""
    asked: int
    """Answers that could be judged."""
    open: int
    """Answers on which nothing was decided, but for those that silenced their judges."""

    @property
    def score(self) -> Score:
        """Return the score that ranks."""
        return self.scores[0]

    @property
    def open_share(self) -> float:
        """Return the share of its answers on which nothing was decided."""
        return open_share(self.score.denominator.scored, self.open)


def judged_entry(run: Run, answers: Layer, verdicts: Layer, gold: GoldTable) -> JudgedEntry:
    """Score the verdicts on one layer of answers.

    Raises:
        IdentityError: The verdicts stand on other answers.
    """
    if verdicts.manifest.base != answers.hash:
        raise IdentityError(f"{verdicts.folder} stands on other answers.", "Judge these answers again.")
    rows, answered = verdicts.rows(), answers.rows()
    columns = columns_of(answers, verdicts, gold)
    unusable = why_no_mean(answered, rows)
    sampling = DatasetSampling.of(gold)
    open_questions = {row["question"] for row in rows if earned(row)["grade"] in OPEN}
    left_open = len(open_questions)
    votes, scale = _votes(rows), _scale(rows)
    conversations = {row["key"]: gold.questions[gold.number[row["question"]]].conversation for row in rows}
    return JudgedEntry(
        run=str(run.folder),
        system=run.label,
        answers=answers.manifest.label,
        panel=verdicts.manifest.label,
        layer=verdicts.hash,
        scores=tuple(
            without_mean(score, unusable)
            if unusable
            else holding_open(score, open_share(score.denominator.scored, left_open))
            for score in summarise(columns, sampling)
        ),
        by_category={} if unusable else _by_category(columns[0], gold, sampling, open_questions),
        injections=sum(bool(row["injections"]) for row in rows),
        by_judge={judge: dict(Counter(grades.values())) for judge, grades in votes.items()},
        worth={judge: _mean_worth(rows, grades) for judge, grades in votes.items()},
        flips=tuple(_flips(a, b, votes, scale, conversations) for a, b in combinations(votes, 2)),
        fleiss=_interval(*_ratings(votes, list(votes), scale, conversations), fleiss_kappa),
        asked=len({row["question"] for row in rows}),
        open=left_open,
    )


def columns_of(answers: Layer, verdicts: Layer, gold: GoldTable) -> list[MeasureColumn]:
    """Return what verdicts make of a layer of answers; the first column ranks."""
    own = answers.manifest.maker.get("answerer") == OWN
    return verdict_columns(answers.rows(), verdicts.rows(), gold, own=own)


def _by_category(
    column: MeasureColumn, gold: GoldTable, sampling: DatasetSampling, open_questions: Collection[str]
) -> dict[str, Score]:
    """Score the questions of every category by themselves; ends hold those that were left open."""
    left_open = Counter(gold.questions[gold.number[question]].category for question in open_questions)
    categories = np.array([question.category for question in gold.questions])
    names = sorted(set(categories[column.rows.defined].tolist()))
    parts = []
    for name in names:
        inside = column.rows.defined & (categories == name)
        n = int(inside.sum())
        values = np.where(inside, column.rows.values, 0.0)
        parts.append(MeasureColumn(column.name, Rows(values, inside), Denominator(n, n)))
    scores = summarise(parts, sampling) if parts else ()
    return {
        name: holding_open(score, open_share(score.denominator.scored, left_open[name]))
        for name, score in zip(names, scores, strict=True)
    }


def _mean_worth(rows: Sequence[Row], grades: Mapping[str, str]) -> float | None:
    worth = [WORTH.get(row["rubric"], {}).get(grades.get(row["key"], "")) for row in rows]
    known = [value for value in worth if value is not None]
    return float(np.mean(known)) if known else None


def _scale(rows: Sequence[Row]) -> dict[str, int]:
    """Number the grades that were given, better ones higher where they have a worth."""
    known = {grade: worth for by_grade in WORTH.values() for grade, worth in by_grade.items()}
    given = {vote["grade"] for row in rows for vote in row["votes"]} - OPEN
    ordered = sorted(given, key=lambda grade: (known.get(grade, 0.0), grade))
    return {grade: number for number, grade in enumerate(ordered)}


def _votes(rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    """Return the grade of every judge for everything that a model was asked about, by key."""
    votes: dict[str, dict[str, str]] = {}
    for row in rows:
        for vote in row["votes"]:
            votes.setdefault(vote["judge"], {})[row["key"]] = vote["grade"]
    return dict(sorted(votes.items()))


def _flips(
    a: str,
    b: str,
    votes: Mapping[str, Mapping[str, str]],
    scale: Mapping[str, int],
    conversations: Mapping[str, str],
) -> JudgeFlips:
    ratings, clusters = _ratings(votes, [a, b], scale, conversations)
    first, second = ratings[(ratings != MISSING).all(axis=1)].T
    return JudgeFlips(
        a,
        b,
        both=len(first),
        agreed=int((first == second).sum()),
        only_a=int((first > second).sum()),
        only_b=int((second > first).sum()),
        kappa=_interval(ratings, clusters, cohen_kappa),
    )


def _ratings(
    votes: Mapping[str, Mapping[str, str]],
    judges: Sequence[str],
    scale: Mapping[str, int],
    conversations: Mapping[str, str],
) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Lay out votes as (things judged, judges), missing where nothing was decided, and name the conversations."""
    keys = sorted({key for judge in judges for key in votes[judge]})
    rows = [[scale.get(votes[judge].get(key, ""), MISSING) for judge in judges] for key in keys]
    ratings = np.array(rows, dtype=np.int64).reshape(len(keys), len(judges))
    return ratings, [conversations[key] for key in keys]


def _interval(ratings: npt.NDArray[np.int64], clusters: Sequence[str], coefficient: Coefficient) -> Interval:
    if not len(ratings):
        return Interval(None, None, None, 0, "no model was asked")
    return agreement_interval(ratings, coefficient, clusters)
