"""Scores with intervals and denominators, and their file beside the run."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from memgauge.errors import DataError, RunError
from memgauge.measures import Measure, Reads, Rows, budget_for, parse
from memgauge.records import Denominator
from memgauge.refusals import remedy
from memgauge.results import plain
from memgauge.runs.record.files import write_atomically
from memgauge.scoring.align import align
from memgauge.scoring.ended import short_lists
from memgauge.stats import Clusters, Resamples, estimates
from memgauge.text.tokens import TOKEN_COUNTER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from memgauge.records import Contract
    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.board import Score
    from memgauge.scoring.gold import GoldTable

DEFAULT_MEASURES = ("Recall@2000tok", "nDCG@10", "Recall@10", "Hit@5", "Complete@10", "MRR@60")
DRAWS = 3000
SEED = 20261120
FOLDER = "scores"
FORMAT = 2
"""Of score files: 1 (not written there) had bootstrap intervals over questions as ``low`` and ``high``."""
ENDS = "ends_at_k"
"""The key of a score file under which stands how lists end before budgets are full; absent where none does.

Files of earlier versions lack it.
"""


@dataclass(frozen=True)
class Settings:
    """How a run is scored; the same settings give the same bytes."""

    contract: Contract
    measures: tuple[str, ...] = DEFAULT_MEASURES
    k: int = 60

    @property
    def parsed(self) -> tuple[Measure, ...]:
        """Return the measures as values, in canonical form.

        Raises:
            ConfigError: One is read from what a score does not have, such as answers.
        """
        return tuple(parse(text).required(Reads.RANKINGS, Reads.FACTS) for text in self.measures)

    @property
    def depth(self) -> int:
        """Return how many ranks have to be judged."""
        return max([self.k, *(measure.depth or 0 for measure in self.parsed)])


def fitted(settings: Settings, gold: GoldTable) -> Settings:
    """Return *settings*; where they are the default measures, with the budget that fits the conversations."""
    if settings.measures != DEFAULT_MEASURES:
        return settings
    budget = budget_for(size.tokens for size in gold.conversations.sizes.values())
    return replace(settings, measures=(f"Recall@{budget}tok", *DEFAULT_MEASURES[1:]))


@dataclass(frozen=True, eq=False)
class DatasetSampling:
    """What all intervals on one dataset share: its conversations, and the resamples of its questions."""

    by_question: Resamples
    clusters: Clusters
    """The conversation of each question; a column has as many clusters as conversations with a defined row."""

    @classmethod
    def of(cls, gold: GoldTable) -> DatasetSampling:
        """Number the conversations of a dataset and draw the resamples of its questions.

        Raises:
            DataError: It asks nothing.
        """
        if not gold.questions:
            raise DataError(
                f"{gold.identity.ref} asks no question, so nothing can be scored.", "Add questions to it."
            )
        return _sampling(tuple(question.conversation for question in gold.questions))


@lru_cache(maxsize=4)
def _sampling(conversations: tuple[str, ...]) -> DatasetSampling:
    return DatasetSampling(
        Resamples.draw(len(conversations), seed=SEED, draws=DRAWS), Clusters.of(np.array(conversations))
    )


@dataclass(frozen=True, eq=False)
class MeasureColumn:
    """The rows of one measure and who is in them."""

    name: str
    """The measure, in canonical form."""
    rows: Rows
    denominator: Denominator

    @classmethod
    def of(cls, name: str, gold: GoldTable, cells: Mapping[str, float | str]) -> MeasureColumn:
        """Make a column of what each question of a run is worth, or why it has no value."""
        values, defined = np.zeros(len(gold.questions)), np.zeros(len(gold.questions), dtype=np.bool_)
        for question, cell in cells.items():
            if not isinstance(cell, str):
                values[gold.number[question]], defined[gold.number[question]] = cell, True
        excluded = Counter(cell for cell in cells.values() if isinstance(cell, str))
        denominator = Denominator(len(cells), int(defined.sum()), dict(sorted(excluded.items())))
        return cls(name, Rows(values, defined), denominator)


def column(judged: JudgedRun, measure: Measure, inside: NDArray[np.bool_] | None = None) -> MeasureColumn:
    """Value the scored questions of a run, or those of them that are *inside* a part."""
    rows = judged.rows(measure)
    if inside is not None:
        rows = Rows(np.where(inside, rows.values, 0.0), rows.defined & inside, rows.why, rows.reasons)
    return MeasureColumn(str(measure), rows, judged.denominator(rows, inside))


def summarise(
    columns: Sequence[MeasureColumn],
    sampling: DatasetSampling,
    *,
    by_question: int | None = None,
    shares: bool = True,
) -> list[Score]:
    """Turn columns into scores: intervals over conversations, and over questions under their own name.

    Only the first *by_question* columns get the latter, all by default: resampling takes most of the time. Columns
    that are no *shares* may lie beyond 0 and 1, and so may the ends of their intervals.
    """
    from memgauge.scoring.board import Score  # lists of failures need settings, and no board

    values = np.stack([column.rows.values for column in columns], axis=1)
    defined = np.stack([column.rows.defined for column in columns], axis=1)
    ends: list[tuple[float | None, float | None]] = []
    if by_question != 0:
        drawn = sampling.by_question.ends(values[:, :by_question], defined=defined[:, :by_question])
        ends = [(None if np.isnan(low) else low, None if np.isnan(high) else high) for low, high in drawn.tolist()]
    ends += [(None, None)] * (len(columns) - len(ends))
    return [
        Score(
            column.name,
            estimate.mean,
            estimate.low,
            estimate.high,
            low,
            high,
            column.denominator,
            estimate.reason if estimate.mean is not None else "no question is scored",
            estimate.se,
            estimate.df,
            estimate.units,
        )
        for column, estimate, (low, high) in zip(
            columns, estimates(values, sampling.clusters, defined, shares=shares), ends, strict=True
        )
    ]


def score_file(run: Run, gold: GoldTable, settings: Settings) -> dict[str, Any]:
    """Return everything that a score file holds: settings, scores, and the value of every question."""
    return score_data(align(run, gold, settings.contract, settings.depth), settings)


def score_data(judged: JudgedRun, settings: Settings) -> dict[str, Any]:
    """Return the same of a run that was judged under *settings* already."""
    run, gold = judged.run, judged.gold
    columns = [column(judged, measure) for measure in settings.parsed]
    scores = summarise(columns, DatasetSampling.of(gold))
    cells = [
        [round(value, 9) if defined else None for value, defined in zip(*each, strict=True)]
        for each in ((c.rows.values.tolist(), c.rows.defined.tolist()) for c in columns)
    ]
    short = short_lists(judged, settings.parsed)
    return {
        "format": FORMAT,
        "content": run.seal.content,
        "dataset": {"ref": gold.identity.ref, "sha256": gold.identity.sha256},
        "contract": str(settings.contract),
        "k": settings.k,
        "tokens": TOKEN_COUNTER,
        "interval": {"method": "score interval on CR2 errors", "over": "conversations", "level": 0.95},
        "question_interval": {"method": "percentile bootstrap", "draws": DRAWS, "seed": SEED, "level": 0.95},
        "scores": {score.measure: score_json(score) for score in scores},
        "measures": [score.measure for score in scores],
        **({ENDS: plain(short)} if short else {}),
        "questions": {
            question.id: list(values)
            for question, values in zip(gold.questions, zip(*cells, strict=True), strict=True)
            if any(value is not None for value in values)
        },
    }


def score_json(score: Score) -> dict[str, Any]:
    """Return a score as JSON-ready data, rounded where digits stop meaning anything."""
    return {
        "value": _round(score.value),
        "low": _round(score.low),
        "high": _round(score.high),
        "question_low": _round(score.question_low),
        "question_high": _round(score.question_high),
        "se": _round(score.se),
        "df": _round(score.df),
        "clusters": score.clusters,
        "n": score.denominator.scored,
        "total": score.denominator.total,
        "excluded": dict(score.denominator.excluded),
        "reason": score.reason,
    }


def write_scores(run: Run, gold: GoldTable, settings: Settings) -> Path:
    """Score *run* and write the score file beside it; the run itself does not change."""
    return write_judged(align(run, gold, settings.contract, settings.depth), settings)


def write_judged(judged: JudgedRun, settings: Settings) -> Path:
    """Write the score file of a run that was judged under *settings* already.

    Raises:
        RunError: Nothing can be written there.
    """
    folder = judged.run.folder / FOLDER
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise RunError(f"Cannot make {folder}: {error.strerror}.", remedy(error)) from error
    path = folder / score_name(settings)
    write_atomically(path, score_text(score_data(judged, settings)))
    return path


def score_name(settings: Settings) -> str:
    """Name the score file of *settings*, however its measures were spelled."""
    measures = tuple(str(measure) for measure in settings.parsed)
    return hashlib.sha256(f"{settings.contract}|{measures}|{settings.k}".encode()).hexdigest()[:12] + ".json"


def score_text(scores: dict[str, Any]) -> str:
    """Return a score file as it is written."""
    return json.dumps(scores, indent=1, ensure_ascii=False) + "\n"


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 9)
