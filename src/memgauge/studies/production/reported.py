"""What judges in the traces said of searches: shown beside labels, under their own names, and never mixed in."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.exchange.otlp.evaluations import FILE, read_evaluations
from memgauge.results import result
from memgauge.stats import Interval, cluster_interval
from memgauge.studies.production.drawing import question_names

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.studies.production.arrays import TrafficArrays


@result
@dataclass(frozen=True)
class ReportedRate:
    """One thing that one judge evaluated."""

    judge: str
    name: str
    words: int
    """How often it said something, of whatever span."""
    value: Interval
    """Its mean value over the searches that it gave one; of several on a search, their mean."""
    hits: float | None
    """The same over those that people call a hit."""
    misses: float | None


def reported_rates(folder: Path, traffic: TrafficArrays, labels: Mapping[str, float]) -> tuple[ReportedRate, ...]:
    """Gather what was imported with the traffic at *folder*, by judge and name.

    *labels* are the share of raters that call it a hit, by question.

    Raises:
        MalformedDataError: The file of evaluations is broken.
    """
    words: dict[tuple[str, str], int] = defaultdict(int)
    values: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for span, evaluation in read_evaluations(folder / FILE):
        judge_and_name = evaluation.judge, evaluation.name
        words[judge_and_name] += 1
        if evaluation.value is not None:
            values[judge_and_name][span].append(evaluation.value)
    if not words:
        return ()
    rows = np.flatnonzero(traffic.searches)
    scopes = dict(zip(question_names(traffic, rows), traffic.cluster[rows].tolist(), strict=True))
    return tuple(
        _rate(*judge_and_name, words[judge_and_name], values[judge_and_name], scopes, labels)
        for judge_and_name in sorted(words)
    )


def _rate(
    judge: str,
    name: str,
    words: int,
    values: Mapping[str, list[float]],
    scopes: Mapping[str, int],
    labels: Mapping[str, float],
) -> ReportedRate:
    means = {span: float(np.mean(numbers)) for span, numbers in sorted(values.items()) if span in scopes}
    interval = (
        cluster_interval(list(means.values()), [scopes[span] for span in means])
        if means
        else Interval(None, None, None, 0, "no search has a value")
    )
    by_label = [[value for span, value in means.items() if labels.get(span) == label] for label in (1.0, 0.0)]
    hits, misses = (float(np.mean(numbers)) if numbers else None for numbers in by_label)
    return ReportedRate(judge, name, words, interval, hits, misses)
