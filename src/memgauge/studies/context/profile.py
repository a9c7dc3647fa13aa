"""The positional profile: accuracy by depth, and what the middle of a prompt costs, paired by sample."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgauge.results import result
from memgauge.stats import Clusters, Interval, cluster_interval, estimates
from memgauge.studies.context.effective import Count
from memgauge.studies.context.tasks import TASKS, sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from memgauge.studies.context.grid import GridResult

ENOUGH = 100
"""Samples a bucket below which a penalty is printed with a warning: at 20, one true .12 in seven hides."""
START, END, MIDDLE = 0.1, 0.9, (0.3, 0.7)
"""Depths up to the first are the start, from the second on the end, and between the last two the middle."""
_NEAR = 1e-9


@result
@dataclass(frozen=True, slots=True)
class DepthAccuracy:
    """Accuracy at one depth."""

    depth: float
    score: Interval
    f1: float | None
    published: float | None
    """What RULER's matcher makes of the same answers."""
    dumped: int
    failed: int


@result
@dataclass(frozen=True)
class Profile:
    """Accuracy by depth of one task at one length; every interval is over samples, which are independent."""

    task: str
    length: int
    points: tuple[DepthAccuracy, ...]
    penalty: Interval
    """Start and end together, minus the middle, sample by sample."""
    primacy: Interval
    """Start minus middle."""
    recency: Interval
    """End minus middle."""
    worst: float | None
    """The depth of the lowest accuracy; the first of several."""
    warning: str = ""

    @property
    def least(self) -> int:
        """Return the answers at the depth that has fewest."""
        return min((point.score.n for point in self.points), default=0)


@result
@dataclass(frozen=True)
class Measured:
    """All that a grid says of one task."""

    task: str
    type: str
    overlap: float
    """Share of the question's content words that the evidence shares, the mean over samples."""
    profiles: tuple[Profile, ...]
    """One a length, where depths were asked for."""
    counts: tuple[Count, ...]
    """Right answers by length, one a sample, its depth by turns, so that they are independent."""
    f1: tuple[float | None, ...]
    published: tuple[float | None, ...]
    dumped: int
    """Answers that scored nothing because they name too much."""
    failed: int


def measure(results: Iterable[GridResult], *, seed: int = 0) -> tuple[Measured, ...]:
    """Turn the results of one grid into what is known of each task, in the order asked."""
    by_task: defaultdict[str, list[GridResult]] = defaultdict(list)
    for each in results:
        by_task[each.cell.task].append(each)
    return tuple(_task(task, task_results, seed) for task, task_results in by_task.items())


def _task(task: str, results: Sequence[GridResult], seed: int) -> Measured:
    lengths = sorted({result.cell.length for result in results})
    numbers = sorted({result.cell.number for result in results})
    task_samples = [sample(task, number, seed) for number in numbers]
    by_length = {length: [r for r in results if r.cell.length == length] for length in lengths}
    answered_by_length = {length: [r for r in rows if r.right is not None] for length, rows in by_length.items()}
    profiles = tuple(
        profile(task, length, rows)
        for length, rows in by_length.items()
        if any(r.cell.depth is not None for r in rows)
    )
    return Measured(
        task,
        str(task_samples[0].type) if task in TASKS else "",
        float(np.mean([task_sample.overlap for task_sample in task_samples])),
        profiles,
        tuple(_count(length, rows) for length, rows in by_length.items()),
        tuple(_mean([r.f1 for r in rows]) for rows in answered_by_length.values()),
        tuple(_mean([r.published for r in rows]) for rows in answered_by_length.values()),
        sum(r.dumped for r in results),
        sum(r.right is None for r in results),
    )


def _count(length: int, results: Sequence[GridResult]) -> Count:
    """Count one answer a sample: its first depth for the first sample, the second for the second, and so on."""
    depths = sorted({r.cell.depth for r in results}, key=lambda depth: -1.0 if depth is None else depth)
    own_results = [
        r for r in results if depths[r.cell.number % len(depths)] == r.cell.depth and r.right is not None
    ]
    return Count(length, sum(bool(r.right) for r in own_results), len(own_results))


def profile(task: str, length: int, results: Sequence[GridResult]) -> Profile:
    """Make the profile of one task at one length."""
    depths = sorted({r.cell.depth for r in results if r.cell.depth is not None})
    numbers = {number: row for row, number in enumerate(sorted({r.cell.number for r in results}))}
    is_right = np.full((len(numbers), len(depths)), np.nan)
    for r in results:
        if r.right is not None and r.cell.depth is not None:
            is_right[numbers[r.cell.number], depths.index(r.cell.depth)] = r.right
    samples = Clusters.of(np.arange(len(numbers)))
    means = estimates(np.nan_to_num(is_right), samples, ~np.isnan(is_right), shares=True)
    at = {depth: [r for r in results if r.cell.depth == depth] for depth in depths}
    points = tuple(_point(depth, mean.interval, at[depth]) for depth, mean in zip(depths, means, strict=True))
    depth_values = np.array(depths)
    start, end = depth_values <= START + _NEAR, depth_values >= END - _NEAR
    middle = (depth_values >= MIDDLE[0] - _NEAR) & (depth_values <= MIDDLE[1] + _NEAR)
    defined_points = [(point.score.mean, point.depth) for point in points if point.score.mean is not None]
    return Profile(
        task,
        length,
        points,
        penalty=_gap(is_right, start | end, middle),
        primacy=_gap(is_right, start, middle),
        recency=_gap(is_right, end, middle),
        worst=min(defined_points)[1] if defined_points else None,
        warning=_warning(points),
    )


def _gap(is_right: NDArray[np.float64], edge: NDArray[np.bool_], middle: NDArray[np.bool_]) -> Interval:
    """Compare two sets of depths within each sample; a sample without all of its answers is left out."""
    if not edge.any() or not middle.any():
        return Interval(None, None, None, 0, "no depth on one of both sides")
    edge_means, middle_means = is_right[:, edge].mean(axis=1), is_right[:, middle].mean(axis=1)
    both_defined = ~np.isnan(edge_means) & ~np.isnan(middle_means)
    return cluster_interval(np.nan_to_num(edge_means - middle_means), np.arange(len(is_right)), both_defined)


def _warning(points: Sequence[DepthAccuracy]) -> str:
    fewest = min((point.score.n for point in points), default=0)
    if fewest >= ENOUGH:
        return ""
    return f"only {fewest} answers a depth: with fewer than {ENOUGH}, chance alone makes or hides a penalty"


def _point(depth: float, interval: Interval, results: Sequence[GridResult]) -> DepthAccuracy:
    answered_results = [r for r in results if r.right is not None]
    return DepthAccuracy(
        depth,
        interval,
        _mean([r.f1 for r in answered_results]),
        _mean([r.published for r in answered_results]),
        sum(r.dumped for r in answered_results),
        len(results) - len(answered_results),
    )


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
