"""A target between Raw and Source: credit by what a memory was judged to support (targets.md, 7E).

A pair of question and memory that nobody judged is bounded: it earns nothing, or all. Raw turns earn all, for
they are the evidence itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from memgauge.records import Form, Target
from memgauge.results import ResultKind, result
from memgauge.studies.targets.semantic.audit import SupportAudit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.studies.targets.lineup import Audited, Lineup
    from memgauge.studies.targets.semantic.cases import SupportCase

WORTH: Mapping[str, float] = {"supports": 1.0, "partial": 0.5, "not": 0.0}


@result
@dataclass(frozen=True)
class Graded:
    """One run under the support-graded target."""

    label: str
    raw: float
    source: float
    low: float
    """With unjudged pairs worth nothing."""
    high: float
    """With unjudged pairs worth as much as Source gives them."""
    judged: int
    """Credited pairs with a label."""
    unjudged: int


@result
@dataclass(frozen=True)
class SupportReport:
    """What raters said of the cases, and what that makes of the runs."""

    support: SupportAudit
    graded: tuple[Graded, ...]


SUPPORT = ResultKind("targets support", 2, SupportReport, "memgauge study targets support FOLDER --out FOLDER")


def graded(lineup: Lineup, cases: Sequence[SupportCase], labels: Mapping[str, str]) -> list[Graded]:
    """Score every run that serves derived memories; *labels* are decided labels by case."""
    worth_by_memory = {
        (case.place, case.memory): WORTH[labels[case.id]] for case in cases if labels.get(case.id, "") in WORTH
    }
    return [_graded(lineup, audited, worth_by_memory) for audited in lineup.serving(Target.CANONICAL)]


def _graded(lineup: Lineup, audited: Audited, worth_by_memory: Mapping[tuple[int, str], float]) -> Graded:
    source = audited.hits[Target.SOURCE]
    mask = lineup.shared(Target.RAW, Target.SOURCE, Target.CANONICAL)
    worth, n_judged = _worth(audited, worth_by_memory)
    discount = 1.0 / np.log2(np.arange(2.0, lineup.spec.k + 2.0))
    ideal = (source.cover @ discount)[mask]

    def mean(weights: NDArray[np.float64]) -> float:
        # What earns nothing does not use its anchor up: a better memory further down may still find it.
        earns = weights > 0
        earning = replace(source, hits=source.hits[earns], anchor=source.anchor[earns], rank=source.rank[earns])
        gains = earning.first(earning.anchor, weights[earns])
        return float(((gains @ discount)[mask] / np.where(ideal > 0, ideal, 1.0)).mean())

    unjudged = np.isnan(worth)
    return Graded(
        audited.label,
        raw=float(audited.rows(Target.RAW).values[mask].mean()),
        source=float(audited.rows(Target.SOURCE).values[mask].mean()),
        low=mean(np.where(unjudged, 0.0, worth)),
        high=mean(np.where(unjudged, 1.0, worth)),
        judged=n_judged,
        unjudged=int(unjudged.sum()),
    )


def _worth(audited: Audited, worth_by_memory: Mapping[tuple[int, str], float]) -> tuple[NDArray[np.float64], int]:
    """Return what each credited pair is worth, NaN where nobody said, and how many were judged."""
    source = audited.hits[Target.SOURCE]
    texts = [text or "" for _, _, text, _ in audited.run.texts()]
    forms = audited.run.forms
    worth = np.full(len(source.hits), np.nan)
    n_judged = 0
    for n, hit in enumerate(source.hits.tolist()):
        memory = int(source.trace.memory[hit])
        if forms[memory] == str(Form.RAW):
            worth[n] = 1.0
        elif (verdict := worth_by_memory.get((int(source.trace.query[hit]), texts[memory]))) is not None:
            worth[n], n_judged = verdict, n_judged + 1
    return worth, n_judged
