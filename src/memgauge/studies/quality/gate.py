"""The gate of a pipeline that never rests: has a memory become worse than its baseline, and could one tell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.measures import parse
from memgauge.results import ResultKind, result
from memgauge.scoring.compare import Difference, differences_of, require_comparable
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.quality import quality_columns
from memgauge.scoring.score import DatasetSampling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.runs.record.store import Run

DEFAULT = ("Recall@10", "Complete@10", "Temporal(lenient)@5", "Contradiction@5", "SetF1@10")


@result
@dataclass(frozen=True)
class GatedMeasure:
    """One measure of the candidate beside the baseline."""

    measure: str
    difference: Difference | None
    """Of the candidate beside the baseline; ``None`` where they share no question that has it."""
    regressed: bool
    improved: bool


@result
@dataclass(frozen=True)
class GateResult:
    """What the gate says."""

    baseline: str
    candidate: str
    dataset: str
    checks: tuple[GatedMeasure, ...]
    failed_calls: int
    """Questions that the baseline answered and the candidate failed on."""
    passed: bool = field(init=False)
    """Whether nothing regressed and no call was lost."""

    def __post_init__(self) -> None:
        regressed = any(check.regressed for check in self.checks)
        object.__setattr__(self, "passed", not self.failed_calls and not regressed)


GATE = ResultKind("quality gate", 1, GateResult, "memgauge study quality gate RUN --baseline RUN --out FILE.json")


def gate(baseline: Run, candidate: Run, dataset: Dataset, measures: Sequence[str] = DEFAULT) -> GateResult:
    """Compare a candidate with its baseline, paired by question; Holm corrects over the measures.

    A measure has regressed when it is worse by the adjusted test over conversations. What is not told apart
    passes, beside the smallest difference that would have been seen; with one conversation nothing can be checked.

    Raises:
        IdentityError: They differ in more than the system, or were made on other data.
        UnknownNameError: There is no such measure.
        ConfigError: No measure was named, or one that is read from something else than rankings and facts.
    """
    if not measures:
        raise ConfigError("A gate without a measure passes everything.", "Name at least one.")
    require_comparable(baseline.manifest, candidate.manifest, "system")
    gold = GoldTable.read(dataset)
    for run in (baseline, candidate):
        gold.require(run)
    before, after = (quality_columns(run, gold, measures) for run in (baseline, candidate))
    named = [(old.name, old.rows, new.rows) for old, new in zip(before, after, strict=True)]
    differences = {each.measure: each for each in differences_of(named, DatasetSampling.of(gold))[0]}
    return GateResult(
        baseline.label,
        candidate.label,
        gold.identity.ref,
        tuple(_check(column.name, differences.get(column.name)) for column in before),
        _lost(baseline, candidate),
    )


def _check(measure: str, difference: Difference | None) -> GatedMeasure:
    verdict = difference.verdict if difference else ""
    worse, better = ("better", "worse") if parse(measure).formula.lower else ("worse", "better")
    return GatedMeasure(measure, difference, verdict == worse, verdict == better)


def _lost(baseline: Run, candidate: Run) -> int:
    valid = {"ok", "empty"}
    before, after = (
        dict(zip(run.questions["question"].tolist(), run.questions["outcome"].tolist(), strict=True))
        for run in (baseline, candidate)
    )
    return sum(outcome in valid and after.get(name) not in valid for name, outcome in before.items())
