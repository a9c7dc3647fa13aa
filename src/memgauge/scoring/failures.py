"""Questions that a memory failed, the most telling first, each with where its evidence was lost in the record."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from memgauge.results import result
from memgauge.runs.record.retried import RetriedSearches
from memgauge.scoring.causes import FailureCause, explain
from memgauge.scoring.trails import trails

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from memgauge.measures import Measure, Rows
    from memgauge.scoring.align import JudgedRun
    from memgauge.scoring.causes import ExplainedFailure
    from memgauge.scoring.gold import GoldTable

CauseCounts = dict[str, int]


@result
@dataclass(frozen=True)
class RetrievalFailure:
    """One question that one system failed, and why."""

    system: str
    question: str
    category: str
    text: str
    answers: tuple[str, ...]
    cause: FailureCause
    detail: str
    """What the record shows of it: the rank of the evidence, what a search said when it failed."""
    turn: str
    """The evidence turn that was lost first; empty where the data names none."""
    reached: float
    """What the system reached itself: 0, unless partly answered questions are listed too."""
    best: str
    """The system that did best here; empty where nobody found anything."""
    value: float
    """What that system reached."""
    others: int
    """How many other systems reached more than this one."""


@dataclass(frozen=True)
class FailureFilter:
    """Which failures are listed."""

    causes: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    partly: bool = False
    """Whether what was answered in part, and better by another system, counts as failed too."""

    def lists(self, failure: RetrievalFailure) -> bool:
        """Whether a failure is one of them."""
        fits = failure.cause in self.causes or not self.causes
        return fits and (failure.category in self.categories or not self.categories)


@result
@dataclass(frozen=True)
class FailureList:
    """What systems failed on one dataset."""

    dataset: str
    measure: str
    scored: Mapping[str, int]
    """Questions that count, by system."""
    causes: Mapping[str, Mapping[str, int]]
    """Failed questions by system and cause, the commonest first."""
    categories: Mapping[str, Mapping[str, Mapping[str, int]]]
    """The same by system, category and cause."""
    scored_categories: Mapping[str, Mapping[str, int]]
    """Questions that count, by system and category."""
    fitting: int
    """Failures that fit what was asked for."""
    shown: tuple[RetrievalFailure, ...]
    """The most telling ones of these."""
    retried: Mapping[str, str] = field(default_factory=dict)
    """What is said of searches that succeeded only when they were tried again, by system; of none nothing."""

    def share(self, system: str, cause: str, category: str = "") -> float:
        """Return which share of a system's failures, or of those in one category, has a cause."""
        counts = self.categories[system].get(category, {}) if category else self.causes[system]
        return counts.get(cause, 0) / sum(counts.values()) if counts else 0.0


def failures(
    judged: Sequence[JudgedRun],
    gold: GoldTable,
    measure: Measure,
    *,
    limit: int | None,
    systems: Collection[str] = (),
    chosen: FailureFilter = FailureFilter(),
) -> FailureList:
    """List the questions for which a system returned nothing that counts.

    Those that another system answers best come first, of these the ones that most others answer; equal ones are
    ordered by a hash of their id.

    Args:
        judged: Runs on one dataset under one contract.
        gold: Of the dataset.
        measure: What must not be 0.
        limit: How many failures are listed; ``None`` lists all.
        systems: Labels of the systems that are looked at; every system that is no floor or ceiling by default.
        chosen: Which failures are listed; what is counted does not depend on causes and categories.
    """
    columns = {each.run.label: each.rows(measure) for each in judged if _competes(each)}
    listed: list[RetrievalFailure] = []
    for each in judged:
        if _looked_at(each, systems):
            others = [(label, rows) for label, rows in columns.items() if label != each.run.label]
            listed += _of_system(each, gold, measure, others, partly=chosen.partly)
    listed.sort(key=lambda failure: (-failure.value, -failure.others, _shuffled(failure.question), failure.system))
    looked_at = [each for each in judged if _looked_at(each, systems)]
    fitting = [failure for failure in listed if chosen.lists(failure)]
    return FailureList(
        dataset=judged[0].run.manifest.dataset.ref if judged else "",
        measure=str(measure),
        scored={each.run.label: int(each.rows(measure).defined.sum()) for each in looked_at},
        causes={each.run.label: _counted(listed, each.run.label) for each in looked_at},
        categories={each.run.label: _by_category(listed, each.run.label) for each in looked_at},
        scored_categories={each.run.label: _scored(each, gold, measure) for each in looked_at},
        fitting=len(fitting),
        shown=tuple(fitting[:limit]),
        retried=_retried(looked_at),
    )


def explained(
    judged: JudgedRun, gold: GoldTable, measure: Measure, places: Sequence[int]
) -> dict[int, ExplainedFailure]:
    """Say of the questions at *places* where their evidence was lost."""
    return {place: explain(lost) for place, lost in trails(judged, gold, measure, places).items()}


def _retried(looked_at: Sequence[JudgedRun]) -> dict[str, str]:
    searches = {each.run.label: RetriedSearches.of(each.run.questions) for each in looked_at}
    return {label: retried.sentence for label, retried in searches.items() if retried.again}


def _competes(judged: JudgedRun) -> bool:
    return judged.run.manifest.system.capabilities.get("role") == "system"


def _looked_at(judged: JudgedRun, systems: Collection[str]) -> bool:
    return judged.run.label in systems if systems else _competes(judged)


def _shuffled(question: str) -> bytes:
    return hashlib.sha256(question.encode()).digest()


def _of_system(
    judged: JudgedRun, gold: GoldTable, measure: Measure, others: Sequence[tuple[str, Rows]], *, partly: bool
) -> list[RetrievalFailure]:
    """List what one system failed, in the order of the gold."""
    rows = judged.rows(measure)
    better = np.zeros(len(gold.questions))
    for _, other in others:
        better = np.maximum(better, np.where(other.defined, other.values, 0.0))
    failed = rows.defined & judged.run_mask & ((rows.values == 0) | (partly & (rows.values < better)))
    reasons = explained(judged, gold, measure, np.flatnonzero(failed).tolist())
    return [
        _failure(judged.run.label, gold, place, reason, float(rows.values[place]), others)
        for place, reason in reasons.items()
    ]


def _failure(
    system: str,
    gold: GoldTable,
    place: int,
    reason: ExplainedFailure,
    reached: float,
    others: Sequence[tuple[str, Rows]],
) -> RetrievalFailure:
    question = gold.questions[place]
    values = {label: float(rows.values[place]) for label, rows in others if rows.defined[place]}
    best = max(values, key=values.__getitem__, default="")
    return RetrievalFailure(
        system=system,
        question=question.id,
        category=question.category,
        text=question.text,
        answers=gold.golds[place].answers,
        cause=reason.cause,
        detail=reason.detail,
        turn=reason.turn,
        reached=reached,
        best=best if values.get(best) else "",
        value=values.get(best, 0.0),
        others=sum(value > reached for value in values.values()),
    )


def _counted(listed: Sequence[RetrievalFailure], system: str) -> CauseCounts:
    return dict(Counter(str(each.cause) for each in listed if each.system == system).most_common())


def _by_category(listed: Sequence[RetrievalFailure], system: str) -> dict[str, CauseCounts]:
    counts = defaultdict[str, Counter[str]](Counter)
    for each in listed:
        if each.system == system:
            counts[each.category][str(each.cause)] += 1
    return {category: dict(counts[category].most_common()) for category in sorted(counts)}


def _scored(judged: JudgedRun, gold: GoldTable, measure: Measure) -> dict[str, int]:
    places = np.flatnonzero(judged.rows(measure).defined).tolist()
    return dict(sorted(Counter(gold.questions[place].category for place in places).items()))
