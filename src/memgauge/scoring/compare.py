"""Is one run better than another: paired, over conversations, corrected, refused where it would mean nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from memgauge.errors import ConfigError
from memgauge.measures import parse
from memgauge.results import result
from memgauge.scoring.accepted import AcceptedRun, AcceptedRuns
from memgauge.scoring.align import align
from memgauge.scoring.apart import names_apart
from memgauge.scoring.conclusions import ComputedDifference, Conclusion, conclude
from memgauge.scoring.factors import differences, require_comparable
from memgauge.scoring.score import DatasetSampling, fitted
from memgauge.stats import equivalent, estimates, holm, minimum_detectable, wild_intervals
from memgauge.stats.clusters import reach_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.measures import Rows
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import Settings
    from memgauge.stats import Estimate

Method = Literal["cr2", "wild"]
"""By t on CR2 errors, or by the wild cluster bootstrap-t, which assumes less and takes longer."""
TESTS: Mapping[Method, str] = {"cr2": "t on CR2 errors", "wild": "wild cluster bootstrap-t"}
SAME = "both have the same value on every question"


@result
@dataclass(frozen=True)
class Difference:
    """How much better *b* is than *a* on one measure, over the questions that both were scored on."""

    measure: str
    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    """95 % interval over the conversations of the runs, paired by question; of this measure alone."""
    question_low: float | None
    question_high: float | None
    """95 % percentile bootstrap over questions: holds only where the questions are independent."""
    n: int
    wins: int
    losses: int
    test: str
    p: float | None
    """By t on CR2 errors over conversations, two-sided."""
    p_adjusted: float | None
    """Of the test that was asked for, after Holm over the measures compared."""
    minimum_detectable: float | None
    """The true difference that this test would find with a chance of 80 %, at Holm's first level."""
    verdict: Conclusion
    """Of *b* beside *a*."""
    reason: str = ""
    se: float | None = None
    df: float | None = None
    clusters: int = 0
    """Conversations with a question that both were scored on."""
    p_wild: float | None = None
    """By the wild cluster bootstrap-t, where it was asked for."""
    p_equal: float | None = None
    """Of lying outside of the margin, after Holm over the measures; ``None`` where no margin was named."""


@dataclass(frozen=True)
class Comparison:
    """Two runs that differ in one declared factor."""

    a: str
    b: str
    factor: str
    contract: str
    differences: tuple[Difference, ...]
    unpaired: int
    """Questions that only one of the two was scored on."""
    margin: float | None = None
    """Within which they were tested to be equal, where one was named."""


def compare(
    a: Run | AcceptedRun,
    b: Run,
    gold: GoldTable,
    settings: Settings,
    factor: str = "system",
    *,
    method: Method = "cr2",
    margin: float | None = None,
) -> Comparison:
    """Compare two runs question by question; with a *margin*, also whether they are equal within it.

    Raises:
        IdentityError: They differ in more than *factor*.
        ConfigError: They share no scored question, or one was accepted under other settings.
    """
    require_comparable(a.manifest, b.manifest, factor)
    settings = fitted(settings, gold)
    left, right = (_rows(side, gold, settings) for side in (a, b))
    named = [(measure, left[measure], right[measure]) for measure in left]
    differences, unpaired = differences_of(named, DatasetSampling.of(gold), method=method, margin=margin)
    if not differences:
        raise ConfigError("The two runs share no scored question.", "Check that both are complete.")
    contract, read = str(settings.contract), tuple(oriented(differences))
    return Comparison(*names_apart(a, b), factor, contract, read, unpaired, margin)


def _rows(side: Run | AcceptedRun, gold: GoldTable, settings: Settings) -> Mapping[str, Rows]:
    """Value every question of one side, by measure."""
    if isinstance(side, AcceptedRun):
        return side.rows(gold, settings)
    judged = align(side, gold, settings.contract, settings.depth)
    return {str(measure): judged.rows(measure) for measure in settings.parsed}


def baseline_for(accepted: AcceptedRuns, run: Run, factor: str = "system") -> AcceptedRun:
    """Return the accepted run that *run* is compared with: one that differs in *factor* alone, of its label first.

    Raises:
        IdentityError: None is comparable.
        ConfigError: Several are.
    """
    alike = [each for each in accepted.runs if not differences(each.manifest, run.manifest, factor)]
    own = [each for each in alike if each.label == run.label] or alike
    if not own:
        require_comparable(accepted.runs[0].manifest, run.manifest, factor)
    if len(own) > 1:
        names = ", ".join(each.label for each in own)
        raise ConfigError(f"Several accepted runs compare with {run.label}: {names}.", "Accept one of them alone.")
    return own[0]


def differences_of(
    named: Sequence[tuple[str, Rows, Rows]],
    sampling: DatasetSampling,
    *,
    method: Method = "cr2",
    margin: float | None = None,
) -> tuple[list[Difference], int]:
    """Compare pairs of columns, of the first beside the second of a pair; Holm corrects over all of them.

    What is greater counts as better here, whatever the measure.

    Returns:
        One difference for each pair that shares a question, and the most questions that only one side has.
    """
    pairs = [_Pair(measure, a, b, a.defined & b.defined) for measure, a, b in named]
    unpaired = max((int((pair.a.defined ^ pair.b.defined).sum()) for pair in pairs), default=0)
    pairs = [pair for pair in pairs if pair.both.any()]
    if not pairs:
        return [], unpaired
    values = np.stack([pair.values for pair in pairs], axis=1)
    defined = np.stack([pair.both for pair in pairs], axis=1)
    by_t = estimates(values, sampling.clusters, defined)
    by_wild = wild_intervals(values, sampling.clusters, defined) if method == "wild" else by_t
    reaches = [reach_of(side.values[pair.both] for side in (pair.a, pair.b)) for pair in pairs]
    possible = [each.interval.within(-reach, reach) for each, reach in zip(by_wild, reaches, strict=True)]
    question = sampling.by_question.intervals(values, defined=defined)
    adjusted = _adjusted([estimate.p for estimate in by_wild])
    inside = [None if margin is None else equivalent(estimate, margin).p for estimate in by_t]
    equal = _adjusted(inside)
    compared = sum(estimate.p is not None for estimate in by_t)
    return [
        Difference(
            measure=pair.measure,
            a=float(pair.a.values[pair.both].mean()),
            b=float(pair.b.values[pair.both].mean()),
            difference=float(pair.values[pair.both].mean()),
            low=ends.low,
            high=ends.high,
            question_low=drawn.low,
            question_high=drawn.high,
            n=estimate.n,
            wins=int((pair.values > 0).sum()),
            losses=int((pair.values < 0).sum()),
            test=TESTS[method],
            p=estimate.p,
            p_adjusted=p,
            minimum_detectable=minimum_detectable(estimate, max(compared, 1)),
            verdict=_verdict(pair, printed, p, p_equal, margin),
            reason=printed.reason if pair.values.any() or estimate.units < 2 else SAME,
            se=estimate.se,
            df=estimate.df,
            clusters=estimate.units,
            p_wild=printed.p if method == "wild" else None,
            p_equal=p_equal,
        )
        for pair, estimate, printed, ends, drawn, p, p_equal in zip(
            pairs, by_t, by_wild, possible, question, adjusted, equal, strict=True
        )
    ], unpaired


def _adjusted(p: Sequence[float | None]) -> list[float | None]:
    """Correct the p-values that are defined for their number."""
    corrected = iter(holm([value for value in p if value is not None]).tolist())
    return [None if value is None else next(corrected) for value in p]


def _verdict(
    pair: _Pair, printed: Estimate, p: float | None, p_equal: float | None, margin: float | None
) -> Conclusion:
    """Say what was shown: a difference, that there is none beyond the margin, or neither."""
    if printed.mean is None or printed.units < 2:
        return Conclusion.NONE
    computed = ComputedDifference(printed.mean, printed.low, printed.high, printed.p, p, margin, p_equal)
    return conclude(computed, same=not pair.values.any())


def oriented(differences: Iterable[Difference]) -> list[Difference]:
    """Read differences of measures as better and worse: of some, less is better."""
    return [_turned(each) if parse(each.measure).formula.lower else each for each in differences]


def _turned(difference: Difference) -> Difference:
    """Read a difference of a measure of which less is better."""
    turned = difference.verdict.turned
    return replace(difference, wins=difference.losses, losses=difference.wins, verdict=turned)


@dataclass(frozen=True, eq=False)
class _Pair:
    """The values of two runs on one measure."""

    measure: str
    a: Rows
    b: Rows
    both: NDArray[np.bool_]

    @property
    def values(self) -> NDArray[np.float64]:
        """Return how much greater *b* is, 0 where only one of the two is defined."""
        return np.where(self.both, self.b.values - self.a.values, 0.0)


def detectable(a: Rows, b: Rows, sampling: DatasetSampling, comparisons: int = 1) -> float | None:
    """Return the smallest difference that this pair shows among so many *comparisons*, if that is known."""
    pair = _Pair("", a, b, a.defined & b.defined)
    estimate = estimates(pair.values[:, None], sampling.clusters, pair.both[:, None])[0]
    return minimum_detectable(estimate, comparisons)
