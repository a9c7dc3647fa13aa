"""Is one run better than another: paired, with intervals, corrected, and refused where it would mean nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError, IdentityError
from memgauge.registry import unknown_name
from memgauge.scoring.align import align
from memgauge.scoring.score import Sampling
from memgauge.stats import holm, mcnemar, minimum_detectable, wilcoxon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from memgauge.measures import Rows
    from memgauge.runs.manifest import Manifest
    from memgauge.runs.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import Settings
    from memgauge.stats import Interval, PairedTest

FACTORS = ("system", "stream", "limits", "seed")
"""What a comparison may declare to vary; the data never may."""
LEVEL = 0.05


@dataclass(frozen=True)
class Difference:
    """How much better *b* is than *a* on one measure, over the questions that both were scored on."""

    measure: str
    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    """95 % paired bootstrap interval over questions."""
    cluster_low: float | None
    cluster_high: float | None
    """The same over conversations."""
    n: int
    wins: int
    losses: int
    test: str
    p: float | None
    p_adjusted: float | None
    """After Holm, over the measures compared."""
    minimum_detectable: float | None
    verdict: str
    """``better``, ``worse`` or ``not distinguishable``, of *b* beside *a*; clear only where the adjusted test and
    the intervals over questions and over conversations all say so."""
    reason: str = ""


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


def compare(a: Run, b: Run, gold: GoldTable, settings: Settings, factor: str = "system") -> Comparison:
    """Compare two runs question by question.

    Raises:
        IdentityError: They differ in more than *factor*.
    """
    require_comparable(a.manifest, b.manifest, factor)
    left, right = (align(run, gold, settings.contract, settings.depth) for run in (a, b))
    named = [(str(measure), left.rows(measure), right.rows(measure)) for measure in settings.parsed]
    differences, unpaired = differences_of(named, Sampling.of(gold))
    if not differences:
        raise ConfigError("The two runs share no scored question.", "Check that both are complete.")
    return Comparison(a.label, b.label, factor, str(settings.contract), tuple(differences), unpaired)


def differences_of(named: Sequence[tuple[str, Rows, Rows]], sampling: Sampling) -> tuple[list[Difference], int]:
    """Compare pairs of columns, of the first beside the second of a pair; Holm corrects over all of them.

    Returns:
        One difference for each pair that shares a question, and the most questions that only one side has.
    """
    paired = [_pair(*one) for one in named]
    tests = [pair.test() for pair in paired]
    adjusted = iter(holm([test.p for test in tests if test.p is not None]).tolist())
    differences = [
        _difference(pair, test, next(adjusted) if test.p is not None else None, sampling)
        for pair, test in zip(paired, tests, strict=True)
        if pair.both.any()
    ]
    return differences, max((pair.unpaired for pair in paired), default=0)


def require_comparable(a: Manifest, b: Manifest, factor: str) -> None:
    """Make sure that two runs differ in nothing but *factor*.

    Raises:
        IdentityError: They differ elsewhere; the message names every difference.
        UnknownNameError: There is no such factor.
    """
    if factor not in FACTORS:
        raise unknown_name("factor", factor, FACTORS)
    if differing := differences(a, b, factor):
        shown = "; ".join(f"{part}: {setting(a, part)} against {setting(b, part)}" for part in differing)
        raise IdentityError(
            f"{a.id} and {b.id} differ in more than the {factor} ({shown}).",
            "Make both runs alike, or declare the factor that you mean with --factor.",
        )


def differences(a: Manifest, b: Manifest, factor: str) -> list[str]:
    """Name the parts of their identity, beside *factor*, in which two runs differ."""
    parts = ("dataset", "conversations", *FACTORS)
    return [part for part in parts if getattr(a, part) != getattr(b, part) and part != factor]


def setting(manifest: Manifest, part: str) -> str:
    """Write one part of a run's identity, briefly."""
    value = getattr(manifest, part)
    return f"{value.ref} ({value.sha256[:8]})" if part == "dataset" else str(value)


@dataclass(frozen=True, eq=False)
class _Pair:
    """The values of two runs on one measure."""

    measure: str
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    both: NDArray[np.bool_]
    unpaired: int

    @property
    def binary(self) -> bool:
        """Whether every value is yes or no."""
        return bool(np.isin(self.a[self.both], (0, 1)).all() and np.isin(self.b[self.both], (0, 1)).all())

    def test(self) -> PairedTest:
        """Choose McNemar for yes-or-no measures and Wilcoxon for graded ones."""
        return (mcnemar if self.binary else wilcoxon)(self.b[self.both], self.a[self.both])


def _pair(measure: str, a: Rows, b: Rows) -> _Pair:
    return _Pair(measure, a.values, b.values, a.defined & b.defined, int((a.defined ^ b.defined).sum()))


def _difference(pair: _Pair, test: PairedTest, p_adjusted: float | None, sampling: Sampling) -> Difference:
    both = pair.both
    interval = sampling.by_question.difference(pair.b, pair.a, defined=both)
    cluster = (
        sampling.by_conversation.difference(pair.b, pair.a, defined=both) if sampling.by_conversation else None
    )
    mean = float((pair.b - pair.a)[both].mean())
    intervals = [interval] if cluster is None else [interval, cluster]
    clear = p_adjusted is not None and p_adjusted < LEVEL and all(map(_excludes_zero, intervals))
    return Difference(
        measure=pair.measure,
        a=float(pair.a[both].mean()),
        b=float(pair.b[both].mean()),
        difference=mean,
        low=interval.low,
        high=interval.high,
        cluster_low=cluster.low if cluster else None,
        cluster_high=cluster.high if cluster else None,
        n=test.n,
        wins=test.better,
        losses=test.worse,
        test="McNemar exact" if pair.binary else "Wilcoxon signed-rank",
        p=test.p,
        p_adjusted=p_adjusted,
        minimum_detectable=detectable(pair.a[both], pair.b[both]),
        verdict="not distinguishable" if not clear else "better" if mean > 0 else "worse",
        reason=test.reason,
    )


def _excludes_zero(interval: Interval) -> bool:
    return interval.low is not None and interval.high is not None and not interval.low <= 0 <= interval.high


def detectable(a: NDArray[np.float64], b: NDArray[np.float64]) -> float | None:
    """Return the smallest difference that these pairs could have shown, or ``None`` for fewer than two."""
    return minimum_detectable(float((b - a).std(ddof=1)), len(a)) if len(a) > 1 else None
