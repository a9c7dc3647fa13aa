"""Drift: what changed since the accepted baseline, case by case, and whether a family slides unseen.

Hard cases need no statistics: any that is lost is named. For memories that do not always answer alike there
are three detectors beside, whose false alarms were counted (``tests/stats/test_drift.py``): a stable case
that is lost four times in a row, an EWMA chart for every family, and a test for trends. Under another version
of a suite no case is compared; a series goes on where the same build was run under both.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean, stdev
from typing import TYPE_CHECKING

from memgauge.results import result
from memgauge.stats.drift import ControlChart, Trend, ewma, mann_kendall
from memgauge.stats.paired import PairedTest, mcnemar
from memgauge.studies.golden.history import segments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.golden.history import History, HistoryRun

STRETCH, LOST, STABLE, LEAST = 20, 4, 0.9, 5
"""Runs remembered, losses in a row, share of passes of a stable case, and the least runs to call it so."""
TREND = 0.001
ALL = ""
"""The family of all families."""


@result
@dataclass(frozen=True)
class Diff:
    """Two runs, case by case; only cases that say the same in both are compared."""

    before: str
    after: str
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    failing: tuple[str, ...]
    """Not passed in either."""
    compared: int
    uncompared: tuple[str, ...]
    """New, gone, changed, unsupported in one of them, or of a suite with another version."""
    test: PairedTest | None
    """McNemar's, over the cases compared."""


def diff(before: HistoryRun, after: HistoryRun) -> Diff:
    """Compare two runs exactly."""
    first, second = _comparable(before), _comparable(after)
    both = sorted(set(first) & set(second))
    then, now = ({name: verdicts[name] for name in both} for verdicts in (before.cases(), after.cases()))
    judged = [name for name in both if first[name] == second[name] and None not in {then[name], now[name]}]
    pairs = [(bool(then[name]), bool(now[name])) for name in judged]
    ended = {pair: tuple(n for n, each in zip(judged, pairs, strict=True) if each == pair) for pair in set(pairs)}
    return Diff(
        before.id,
        after.id,
        ended.get((True, False), ()),
        ended.get((False, True), ()),
        ended.get((False, False), ()),
        len(judged),
        tuple(sorted((set(first) | set(second)) - set(judged))),
        mcnemar([float(a) for a, _ in pairs], [float(b) for _, b in pairs]) if pairs else None,
    )


def _comparable(run: HistoryRun) -> dict[str, tuple[str, str]]:
    """Return, by case, what must be equal for two verdicts to be of the same thing."""
    return {row.case: (row.suite, row.content) for row in run.rows}


@result
@dataclass(frozen=True)
class DriftPoint:
    """One run in a series."""

    run: str
    at: str
    rate: float
    """Share of judged cases that passed, moved onto the scale of the last suite version."""
    n: int
    spliced: bool
    """Whether it was run under an earlier version of a suite."""


@result
@dataclass(frozen=True)
class Series:
    """One family over time."""

    family: str
    points: tuple[DriftPoint, ...]
    chart: ControlChart | None
    """Over the points after the baseline; ``None`` where nothing was accepted or it is of another version."""
    trend: Trend
    """Over the last runs."""

    @property
    def fell(self) -> DriftPoint | None:
        """Return the first run at which it had fallen below its limit."""
        after = self.points[len(self.points) - len(self.chart.values) :] if self.chart else ()
        return None if self.chart is None or self.chart.fell is None else after[self.chart.fell]

    @property
    def slides(self) -> bool:
        """Whether later runs tend to be worse."""
        return self.trend.s < 0 and self.trend.p is not None and self.trend.p < TREND


@result
@dataclass(frozen=True)
class Drift:
    """What a history says about its last run."""

    last: str
    baseline: str | None
    diff: Diff | None
    """Beside the accepted baseline."""
    lost: tuple[str, ...]
    """Stable cases that were lost several times in a row."""
    series: tuple[Series, ...]
    """Of all cases, then family by family."""
    notes: tuple[str, ...]
    alarms: tuple[str, ...]
    """What somebody should look at."""
    flags: tuple[str, ...]
    """Families that slide; to be looked at now and then, no alarm."""

    @property
    def incomparable(self) -> bool:
        """Whether there is a baseline, and the last run cannot be compared with it."""
        return self.baseline is not None and self.diff is None and self.baseline != self.last


def drift(history: History) -> Drift | None:
    """Say what a history shows; ``None`` of an empty one."""
    if not history.runs:
        return None
    last, baseline = history.runs[-1], history.baseline
    stretch = list(segments(history.runs))[-1]
    notes = []
    if baseline is None:
        notes.append("No run was accepted as the baseline yet: `memgauge study golden accept`.")
    elif baseline not in stretch:
        notes.append(
            f"The baseline is of {', '.join(baseline.suites)}, the last run of {', '.join(last.suites)}: "
            "nothing is compared. Accept a run of the new version."
        )
    compared = baseline if baseline in stretch else None
    changed = diff(compared, last) if compared and compared is not last else None
    lost = lost_in_a_row(stretch)
    followed = tuple(series(history, family, compared) for family in (ALL, *history.families()))
    return Drift(
        last.id,
        baseline.id if baseline else None,
        changed,
        lost,
        followed,
        tuple(notes),
        tuple(_alarms(changed, lost, followed)),
        tuple(_flags(followed)),
    )


def _alarms(changed: Diff | None, lost: Sequence[str], followed: Sequence[Series]) -> Iterator[str]:
    """Say what somebody should look at."""
    yield from (f"{case}: passed in the baseline and does not now" for case in (changed.lost if changed else ()))
    yield from (f"{case}: was stable and was lost {LOST} times in a row" for case in lost)
    for line in followed:
        if line.fell is not None:
            yield f"{line.family or 'all cases'}: fell below its limit with run {line.fell.run}"


def _flags(followed: Sequence[Series]) -> Iterator[str]:
    """Name families that slide."""
    for line in followed:
        if line.slides:
            family, slope = line.family or "all cases", line.trend.slope
            steep = f"{slope:+.2g} a run" if slope else "most runs are alike, and later ones tend to be lower"
            yield f"{family}: {steep}, p = {line.trend.p:.2g}"


def lost_in_a_row(runs: Sequence[HistoryRun]) -> tuple[str, ...]:
    """Name cases that passed nearly always before, and never in the last runs."""
    before, latest = runs[-STRETCH - LOST : -LOST], runs[-LOST:]
    if len(before) < LEAST:
        return ()
    past, now = [run.cases() for run in before], [run.cases() for run in latest]
    return tuple(
        case
        for case in now[-1]
        if all(cases.get(case) is False for cases in now)
        and (verdicts := [cases[case] for cases in past if cases.get(case) is not None])
        and len(verdicts) >= LEAST
        and mean(map(bool, verdicts)) >= STABLE
    )


def series(history: History, family: str, baseline: HistoryRun | None) -> Series:
    """Follow one family over all runs, earlier suite versions spliced on where one build was run under both."""
    points: list[DriftPoint] = []
    stretches = list(segments(history.runs))
    shift: float | None = 0.0
    for later, stretch in zip((None, *reversed(stretches)), reversed(stretches), strict=False):
        if later is not None and shift is not None:
            step = _bridge(stretch[-1], later[0], family)
            shift = None if step is None else shift + step
        if shift is None:
            break  # no build was run under both versions: what lies before is on another scale
        rates = [(run, *run.rate(family)) for run in stretch]
        here = [
            DriftPoint(run.id, run.rows[0].at, r + shift, n, later is not None)
            for run, r, n in rates
            if r is not None
        ]
        points = here + points
    trend = mann_kendall([point.rate for point in points[-STRETCH:]])
    return Series(family, tuple(points), _chart(points, baseline), trend)


def _bridge(old: HistoryRun, new: HistoryRun, family: str) -> float | None:
    """Return how far the scale moved between two versions of a suite, if one build was run under both."""
    before, after = old.rate(family)[0], new.rate(family)[0]
    return after - before if old.fingerprint == new.fingerprint and None not in {before, after} else None  # type: ignore[operator] # neither is None


def _chart(points: Sequence[DriftPoint], baseline: HistoryRun | None) -> ControlChart | None:
    """Watch what came after the baseline; centre and deviation are of the runs up to it.

    A deviation below that of half a case is none that could be known.
    """
    place = next((i for i, point in enumerate(points) if baseline is not None and point.run == baseline.id), None)
    if place is None:
        return None
    known = [point.rate for point in points[max(0, place + 1 - STRETCH) : place + 1]]
    least = 0.5 / points[place].n
    sigma = max(stdev(known) if len(known) > 1 else 0.0, least)
    return ewma([point.rate for point in points[place + 1 :]], mean(known), sigma)
