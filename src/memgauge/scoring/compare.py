"""Is one run better than another: paired, over conversations, corrected, refused where it would mean nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from memgauge.errors import ConfigError
from memgauge.measures import parse
from memgauge.results import result
from memgauge.scoring.align import JudgedRun
from memgauge.scoring.apart import names_apart
from memgauge.scoring.compared_side import ComparedSide
from memgauge.scoring.conclusions import ComputedDifference, Conclusion, conclude
from memgauge.scoring.ended_pairs import EndedPair, ended_pair
from memgauge.scoring.factors import differences, require_comparable
from memgauge.scoring.lost_writes import incomplete_runs
from memgauge.scoring.score import DatasetSampling, fitted
from memgauge.stats import equivalent, estimates, holm, minimum_detectable, wild_intervals
from memgauge.stats.clusters import reach_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.measures import Rows
    from memgauge.runs.record.store import Run
    from memgauge.scoring.accepted import AcceptedRun, AcceptedRuns
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import Settings
    from memgauge.stats import Estimate
    from memgauge.stats.intervals import Interval

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
    """Of the test that was asked for, after Holm over all measures of all runs compared."""
    minimum_detectable: float | None
    """The true difference that the t-test would find with a chance of 80 %, at Holm's first level."""
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
    ended: EndedPair | None = None
    """Whose lists end at k before the measure's budget is full, and what the verdict would be without that."""


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
    together: int = 1
    """Comparisons that p-values were corrected over."""
    dataset: str = ""
    unknown_ends: tuple[str, ...] = ()
    """Measures within budgets of which an accepted baseline does not say whether its lists end at k before."""
    lost_writes: tuple[str, ...] = ()
    """Of a side that was not told everything: who it is, and what was lost."""


@dataclass(frozen=True)
class ComparedPair:
    """Two runs that are to be compared, of the second beside the first."""

    a: Run | JudgedRun | AcceptedRun
    """A run that was judged already was so under the same settings."""
    b: Run | JudgedRun
    gold: GoldTable
    settings: Settings

    @property
    def runs(self) -> tuple[Run | AcceptedRun, Run]:
        """Return the runs themselves."""
        first = self.a.run if isinstance(self.a, JudgedRun) else self.a
        return first, self.b.run if isinstance(self.b, JudgedRun) else self.b


def compare(
    a: Run | JudgedRun | AcceptedRun,
    b: Run | JudgedRun,
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
        ConfigError: They share no scored question, one was accepted under other settings, or nothing differs by
            more than the *margin*.
    """
    (made,) = compare_all([ComparedPair(a, b, gold, settings)], factor, method=method, margin=margin)
    return made


def compare_all(
    pairs: Sequence[ComparedPair], factor: str = "system", *, method: Method = "cr2", margin: float | None = None
) -> list[Comparison]:
    """Compare several pairs as :func:`compare` does one; Holm corrects over all measures of all of them.

    Who reads twenty comparisons looks for a difference in each: corrected one by one, a third of such readings
    would find one among twenty systems that are equal.
    """
    tested = [_tests_of_pair(pair, factor, method, margin) for pair in pairs]
    corrected = iter(_corrected([each for made in tested for each in made.tests]))
    return [
        Comparison(
            *names_apart(*pair.runs),
            factor,
            str(fitted(pair.settings, pair.gold).contract),
            tuple(made.told(each) for each in oriented(next(corrected) for _ in made.tests)),
            made.unpaired,
            margin,
            len(pairs),
            pair.runs[1].manifest.dataset.ref,
            made.a.unknown_ends,
            tuple(incomplete_runs(*pair.runs)),
        )
        for pair, made in zip(pairs, tested, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class _TestedPair:
    """Two sides whose measures were tested; nothing is corrected yet."""

    a: ComparedSide
    b: ComparedSide
    tests: Sequence[_MeasureTest]
    unpaired: int

    def told(self, difference: Difference) -> Difference:
        """Say what may be told of a difference where lists of a side end at k."""
        short = (side.short_by(difference.measure) for side in (self.a, self.b))
        grows = parse(difference.measure).formula.grows
        return ended_pair(difference, *short, grows=grows, of_k=self.a.k != self.b.k)


def _tests_of_pair(pair: ComparedPair, factor: str, method: Method, margin: float | None) -> _TestedPair:
    a, b = pair.runs
    require_comparable(a.manifest, b.manifest, factor)
    settings = fitted(pair.settings, pair.gold)
    left, right = (ComparedSide.of(side, pair.gold, settings) for side in (pair.a, pair.b))
    named = [(measure, left.rows[measure], right.rows[measure]) for measure in left.rows]
    tested, unpaired = _tests_of(named, DatasetSampling.of(pair.gold), method, margin)
    if not tested:
        raise ConfigError("The two runs share no scored question.", "Check that both are complete.")
    if margin is not None and all(each.reach <= margin for each in tested):
        raise ConfigError(f"Any two runs are equal within {margin:g}: these are shares.", "Name less: 0.02.")
    return _TestedPair(left, right, tested, unpaired)


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
    tested, unpaired = _tests_of(named, sampling, method, margin)
    return _corrected(tested), unpaired


def _tests_of(
    named: Sequence[tuple[str, Rows, Rows]], sampling: DatasetSampling, method: Method, margin: float | None
) -> tuple[list[_MeasureTest], int]:
    """Test every pair that shares a question; nothing is corrected yet."""
    pairs = [_Pair(measure, a, b, a.defined & b.defined) for measure, a, b in named]
    unpaired = max((int((pair.a.defined ^ pair.b.defined).sum()) for pair in pairs), default=0)
    pairs = [pair for pair in pairs if pair.both.any()]
    if not pairs:
        return [], unpaired
    values = np.stack([pair.values for pair in pairs], axis=1)
    defined = np.stack([pair.both for pair in pairs], axis=1)
    by_t = estimates(values, sampling.clusters, defined)
    by_wild = wild_intervals(values, sampling.clusters, defined) if method == "wild" else by_t
    drawn = sampling.by_question.intervals(values, defined=defined)
    return [
        _MeasureTest(*each, method, margin) for each in zip(pairs, by_t, by_wild, drawn, strict=True)
    ], unpaired


def _corrected(tested: Sequence[_MeasureTest]) -> list[Difference]:
    """Say what was tested, corrected over all of it."""
    adjusted = _adjusted([each.printed.p for each in tested])
    equal = _adjusted([each.p_inside for each in tested])
    compared = max(sum(each.by_t.p is not None for each in tested), 1)
    return [
        each.difference(p, p_equal, compared) for each, p, p_equal in zip(tested, adjusted, equal, strict=True)
    ]


def _adjusted(p: Sequence[float | None]) -> list[float | None]:
    """Correct the p-values that are defined for their number."""
    corrected = iter(holm([value for value in p if value is not None]).tolist())
    return [None if value is None else next(corrected) for value in p]


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


@dataclass(frozen=True, eq=False)
class _MeasureTest:
    """One measure of two runs, tested alone."""

    pair: _Pair
    by_t: Estimate
    printed: Estimate
    """By the test that was asked for."""
    over_questions: Interval
    method: Method
    margin: float | None

    @property
    def reach(self) -> float:
        """Return how far apart the two can be."""
        return reach_of(side.values[self.pair.both] for side in (self.pair.a, self.pair.b))

    @property
    def p_inside(self) -> float | None:
        """Return the p-value of lying outside of the margin, where one was named."""
        return None if self.margin is None else equivalent(self.by_t, self.margin, self.reach).p

    def difference(self, p: float | None, p_equal: float | None, comparisons: int) -> Difference:
        """Say what was shown, after correction over so many *comparisons*."""
        pair, ends = self.pair, self.printed.interval.within(-self.reach, self.reach)
        wild = self.method == "wild"
        return Difference(
            measure=pair.measure,
            a=float(pair.a.values[pair.both].mean()),
            b=float(pair.b.values[pair.both].mean()),
            difference=float(pair.values[pair.both].mean()),
            low=ends.low,
            high=ends.high,
            question_low=self.over_questions.low,
            question_high=self.over_questions.high,
            n=self.by_t.n,
            wins=int((pair.values > 0).sum()),
            losses=int((pair.values < 0).sum()),
            test=TESTS[self.method],
            p=self.by_t.p,
            p_adjusted=p,
            minimum_detectable=None if wild else minimum_detectable(self.by_t, comparisons),
            verdict=self._verdict(p, p_equal),
            reason=self.printed.reason if pair.values.any() or self.by_t.se is None else SAME,
            se=self.by_t.se,
            df=self.by_t.df,
            clusters=self.by_t.units,
            p_wild=self.printed.p if wild else None,
            p_equal=p_equal,
        )

    def _verdict(self, p: float | None, p_equal: float | None) -> Conclusion:
        """Say what was shown: a difference, that there is none beyond the margin, or neither."""
        printed = self.printed
        if printed.mean is None or printed.se is None:
            return Conclusion.NONE
        computed = ComputedDifference(printed.mean, printed.low, printed.high, printed.p, p, self.margin, p_equal)
        return conclude(computed, same=not self.pair.values.any())


def detectable(a: Rows, b: Rows, sampling: DatasetSampling, comparisons: int = 1) -> float | None:
    """Return the smallest difference that this pair shows among so many *comparisons*, if that is known."""
    pair = _Pair("", a, b, a.defined & b.defined)
    estimate = estimates(pair.values[:, None], sampling.clusters, pair.both[:, None])[0]
    return minimum_detectable(estimate, comparisons)
