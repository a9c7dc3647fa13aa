"""The gate of a pipeline that never rests: has a memory become worse than its baseline, and could one tell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.measures import parse
from memgauge.results import ResultKind, result
from memgauge.scoring.accepted import AcceptedRun
from memgauge.scoring.apart import names_apart
from memgauge.scoring.compare import Difference, differences_of, oriented
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.factors import require_comparable
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.quality import quality_columns
from memgauge.scoring.score import DatasetSampling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.datasets.base import Dataset
    from memgauge.measures import Rows
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


def gate(
    baseline: Run | AcceptedRun, candidate: Run, dataset: Dataset, measures: Sequence[str] = DEFAULT
) -> GateResult:
    """Compare a candidate with its baseline, paired by question; Holm corrects over the measures.

    A measure has regressed when it is worse by the adjusted test over conversations. What is not confirmed passes,
    beside the smallest difference that would have been seen; with one conversation nothing can be checked.

    Raises:
        IdentityError: They differ in more than the system, or were made on other data.
        UnknownNameError: There is no such measure.
        ConfigError: No measure was named, or one that is read from something else than rankings and facts.
    """
    if not measures:
        raise ConfigError("A gate without a measure passes everything.", "Name at least one.")
    require_comparable(baseline.manifest, candidate.manifest, "system")
    gold = GoldTable.read(dataset)
    baseline_rows, candidate_rows = (_rows(side, gold, measures) for side in (baseline, candidate))
    rows_by_measure = [(name, baseline_rows[name], candidate_rows[name]) for name in baseline_rows]
    differences = {
        difference.measure: difference
        for difference in oriented(differences_of(rows_by_measure, DatasetSampling.of(gold))[0])
    }
    return GateResult(
        *names_apart(baseline, candidate),
        gold.identity.ref,
        tuple(_check(name, differences.get(name)) for name in baseline_rows),
        _lost(_outcomes(baseline), _outcomes(candidate)),
    )


def _rows(side: Run | AcceptedRun, gold: GoldTable, measures: Sequence[str]) -> Mapping[str, Rows]:
    """Value every question of one side, by measure."""
    if isinstance(side, AcceptedRun):
        return side.gate_rows(gold, [str(parse(name)) for name in measures])
    gold.require(side)
    return {column.name: column.rows for column in quality_columns(side, gold, measures)}


def _check(measure: str, difference: Difference | None) -> GatedMeasure:
    verdict = difference.verdict if difference else Conclusion.NONE
    return GatedMeasure(measure, difference, verdict is Conclusion.WORSE, verdict is Conclusion.BETTER)


def _outcomes(side: Run | AcceptedRun) -> Mapping[str, str]:
    """Return how each question ended."""
    if isinstance(side, AcceptedRun):
        return side.outcomes
    return dict(zip(*(side.questions[name].tolist() for name in ("question", "outcome")), strict=True))


def _lost(baseline_outcomes: Mapping[str, str], candidate_outcomes: Mapping[str, str]) -> int:
    """Count the questions that the baseline answered and the candidate failed on."""
    valid_outcomes = {"ok", "empty"}
    return sum(
        outcome in valid_outcomes and candidate_outcomes.get(name) not in valid_outcomes
        for name, outcome in baseline_outcomes.items()
    )
