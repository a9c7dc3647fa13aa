"""From a sample and what people said of it to rates for everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.errors import DataMismatchError
from memgauge.results import ResultKind, result
from memgauge.stats import Interval
from memgauge.studies.production.drawing import LabelDraw, population, question_names
from memgauge.studies.production.estimating import LabelledSample, powered_rate, stratified_rate
from memgauge.studies.production.judgments import LabelJudgment, kappas, labels, latest
from memgauge.studies.production.reported import ReportedRate, reported_rates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from memgauge.studies.production.arrays import TrafficArrays


@result
@dataclass(frozen=True)
class RaterPair:
    """How far two raters agree."""

    first: str
    second: str
    kappa: Interval


@result
@dataclass(frozen=True)
class LabelledRates:
    """What a few labels say of everything."""

    drawn: LabelDraw
    labelled: int
    unclear: int
    """Drawn questions that were rated, and that nobody could tell."""
    alone: Interval
    """The hit rate of all searches that can be asked about, from labels alone."""
    powered: Interval | None
    """The same with what a certified judge said of all of them."""
    weight: float | None
    """What the judge counts for, from 0 to 1."""
    judge: str
    raters: tuple[RaterPair, ...]
    reported: tuple[ReportedRate, ...] = ()
    """What judges in the traces said; it is in no rate."""
    disputed: int = 0
    """Labelled questions that some raters call a hit and others a miss."""


LABELLED: Final = ResultKind("labelled rates", 1, LabelledRates, "memgauge study production rates TRAFFIC LABELS")


def labelled_rates(
    traffic: TrafficArrays,
    label_draw: LabelDraw,
    judgments: Sequence[LabelJudgment],
    judge_verdicts: Mapping[str, float] | None = None,
    judge: str = "",
    folder: Path | None = None,
) -> LabelledRates:
    """Estimate the hit rate of everything.

    *judgments* are what people said, oldest first; *judge_verdicts* are what the *judge* of that name said of
    every search that could have been drawn. The traffic lies in *folder*, beside which judges of the traces may
    stand.

    Raises:
        DataMismatchError: The judge left a search out.
    """
    verdicts = latest(judgments)
    hits, rated = (
        labels(verdicts),
        set().union(*(verdict_by_question.keys() for verdict_by_question in verdicts.values())),
    )
    labelled_questions = [question for question in label_draw.questions if question.name in hits]
    sample = LabelledSample.of(
        [hits[question.name] for question in labelled_questions],
        [question.stratum for question in labelled_questions],
        [stratum.size for stratum in label_draw.strata],
        [traffic.cluster[question.row] for question in labelled_questions],
    )
    scopes = {question.name: int(traffic.cluster[question.row]) for question in label_draw.questions}
    powered, weight = (
        (None, None)
        if judge_verdicts is None
        else _powered(traffic, sample, [q.name for q in labelled_questions], judge_verdicts)
    )
    return LabelledRates(
        drawn=label_draw,
        labelled=len(labelled_questions),
        unclear=sum(question.name in rated and question.name not in hits for question in label_draw.questions),
        alone=stratified_rate(sample),
        powered=powered,
        weight=weight,
        judge=judge,
        raters=tuple(RaterPair(*names, kappa) for names, kappa in kappas(verdicts, scopes).items()),
        reported=() if folder is None else reported_rates(folder, traffic, hits),
        disputed=sum(0 < hits[question.name] < 1 for question in labelled_questions),
    )


def _powered(
    traffic: TrafficArrays,
    sample: LabelledSample,
    labelled_names: Sequence[str],
    judge_verdicts: Mapping[str, float],
) -> tuple[Interval, float]:
    rows, _ = population(traffic)
    names = question_names(traffic, rows)
    unjudged = [name for name in names if name not in judge_verdicts]
    if unjudged:
        raise DataMismatchError(
            f"The judge said nothing of {len(unjudged):,} of {len(names):,} searches, such as {unjudged[0]}.",
            "Let it judge all of them: what it chooses is no sample.",
        )
    return powered_rate(
        sample, [judge_verdicts[name] for name in labelled_names], [judge_verdicts[name] for name in names]
    )
