"""What people said of questions: appended with who and when, and never changed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.results import result
from memgauge.stats.agreement import MISSING, agreement_interval, cohen_kappa
from memgauge.studies.history import HistoryFormat, RecordKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.stats import Interval

FILE: Final = "judgments.jsonl"


class LabelVerdict(StrEnum):
    """What somebody says of what a search returned."""

    HIT = "hit"
    """What was asked for is there."""
    MISS = "miss"
    UNCLEAR = "unclear"
    """It cannot be told; it counts for no rate."""


@result
@dataclass(frozen=True)
class LabelJudgment:
    """One person of one question."""

    at: str
    question: str
    rater: str
    verdict: LabelVerdict


JUDGMENTS: Final[HistoryFormat[LabelJudgment]] = HistoryFormat(
    (
        RecordKind(
            "label judgment",
            1,
            f"{LabelJudgment.__module__}:{LabelJudgment.__qualname__}",
            "memgauge study production label TRAFFIC LABELS --rater NAME",
            subject="question",
        ),
    )
)


def latest(judgments: Sequence[LabelJudgment]) -> Mapping[str, Mapping[str, LabelVerdict]]:
    """Return the last verdict of every rater, by rater and question."""
    verdicts: dict[str, dict[str, LabelVerdict]] = {}
    for judgment in judgments:
        verdicts.setdefault(judgment.rater, {})[judgment.question] = judgment.verdict
    return verdicts


def labels(verdicts: Mapping[str, Mapping[str, LabelVerdict]]) -> dict[str, float]:
    """Return the share of raters that call a question a hit, by question; what nobody can tell is left out."""
    votes: dict[str, list[float]] = {}
    for rated in verdicts.values():
        for question, verdict in rated.items():
            if verdict is not LabelVerdict.UNCLEAR:
                votes.setdefault(question, []).append(float(verdict is LabelVerdict.HIT))
    return {question: sum(ballots) / len(ballots) for question, ballots in votes.items()}


def kappas(
    verdicts: Mapping[str, Mapping[str, LabelVerdict]], scopes: Mapping[str, int]
) -> dict[tuple[str, str], Interval]:
    """Return Cohen's kappa of every two raters over the questions that both rated, clustered by scope."""
    return {
        (first, second): _kappa(verdicts[first], verdicts[second], scopes)
        for first, second in combinations(sorted(verdicts), 2)
    }


def _kappa(
    first_labels: Mapping[str, LabelVerdict], second_labels: Mapping[str, LabelVerdict], scopes: Mapping[str, int]
) -> Interval:
    places = list(LabelVerdict)
    questions = [question for question in scopes if question in first_labels or question in second_labels]
    ratings = np.array(
        [
            [places.index(rated[q]) if q in rated else MISSING for rated in (first_labels, second_labels)]
            for q in questions
        ],
        dtype=np.int64,
    ).reshape(-1, 2)
    return agreement_interval(ratings, cohen_kappa, [scopes[question] for question in questions])
