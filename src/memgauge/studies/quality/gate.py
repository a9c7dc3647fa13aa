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
from memgauge.scoring.compared_side import ComparedSide
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.ended import short_lists
from memgauge.scoring.ended_pairs import ended_pair
from memgauge.scoring.factors import require_comparable
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.lost_writes import incomplete_runs
from memgauge.scoring.quality import quality_judged
from memgauge.scoring.score import DatasetSampling

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    untold: bool = False
    """Whether what was kept of lists shows it to be worse, and k ended them before its budget was full."""


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
    lost_writes: tuple[str, ...] = ()
    """Of a side that was not told everything: who it is, and what was lost."""
    passed: bool = field(init=False)
    """Whether nothing regressed, nothing that looks so is hidden by k, and no search or write was lost."""

    @property
    def is_blind(self) -> bool:
        """Whether no measure could be compared, so that there is nothing that could have failed."""
        verdicts = [check.difference.verdict if check.difference else Conclusion.NONE for check in self.checks]
        return all(verdict in {Conclusion.NONE, Conclusion.CUT} for verdict in verdicts)

    def __post_init__(self) -> None:
        regressed = any(check.regressed or check.untold for check in self.checks)
        object.__setattr__(self, "passed", not (self.failed_calls or self.lost_writes or regressed))


GATE = ResultKind("quality gate", 1, GateResult, "memgauge study quality gate RUN --baseline RUN --out FILE.json")


def gate(
    baseline: Run | AcceptedRun, candidate: Run, dataset: Dataset, measures: Sequence[str] = DEFAULT
) -> GateResult:
    """Compare a candidate with its baseline, paired by question; Holm corrects over the measures.

    A measure has regressed when it is worse by the adjusted test over conversations. What is not confirmed
    passes, beside the smallest difference that would have been seen; with one conversation nothing can be
    checked. Where lists end at k before a budget, what looks worse may be k: it is not called so, nor let through.

    Raises:
        IdentityError: They differ in more than the system, or were made on other data.
        UnknownNameError: There is no such measure.
        ConfigError: No measure was named, or one that is read from something else than rankings and facts.
    """
    if not measures:
        raise ConfigError("A gate without a measure passes everything.", "Name at least one.")
    require_comparable(baseline.manifest, candidate.manifest, "system")
    gold = GoldTable.read(dataset)
    before, after = (_side(side, gold, measures) for side in (baseline, candidate))
    named = [(name, before.rows[name], after.rows[name]) for name in before.rows]
    compared = oriented(differences_of(named, DatasetSampling.of(gold))[0])
    differences = {each.measure: _told(each, before, after) for each in compared}
    return GateResult(
        *names_apart(baseline, candidate),
        gold.identity.ref,
        tuple(_check(name, differences.get(name)) for name in before.rows),
        _lost(_outcomes(baseline), _outcomes(candidate)),
        tuple(incomplete_runs(baseline, candidate)),
    )


def _side(side: Run | AcceptedRun, gold: GoldTable, measures: Sequence[str]) -> ComparedSide:
    """Value every question of one side, by measure."""
    k, parsed = side.manifest.limits.k, [parse(name) for name in measures]
    if isinstance(side, AcceptedRun):
        return ComparedSide(side.gate_rows(gold, [str(measure) for measure in parsed]), side.gated.short, k)
    gold.require(side)
    judged = quality_judged(side, gold, measures)
    return ComparedSide({str(each): judged.rows(each) for each in parsed}, short_lists(judged, parsed), k)


def _told(difference: Difference, before: ComparedSide, after: ComparedSide) -> Difference:
    """Say what may be told of a difference where lists of a side end at k, which is the same for both."""
    name = difference.measure
    return ended_pair(difference, before.short_by(name), after.short_by(name), grows=parse(name).formula.grows)


def _check(measure: str, difference: Difference | None) -> GatedMeasure:
    verdict = difference.verdict if difference else Conclusion.NONE
    ended = difference.ended if difference else None
    hidden = verdict is Conclusion.CUT and ended is not None and ended.shown is Conclusion.WORSE
    return GatedMeasure(
        measure, difference, verdict is Conclusion.WORSE, verdict is Conclusion.BETTER, untold=hidden
    )


def _outcomes(side: Run | AcceptedRun) -> Mapping[str, str]:
    """Return how each question ended."""
    if isinstance(side, AcceptedRun):
        return side.outcomes
    return dict(zip(*(side.questions[name].tolist() for name in ("question", "outcome")), strict=True))


def _lost(before: Mapping[str, str], after: Mapping[str, str]) -> int:
    """Count the questions that the baseline answered and the candidate failed on."""
    valid = {"ok", "empty"}
    return sum(outcome in valid and after.get(name) not in valid for name, outcome in before.items())
