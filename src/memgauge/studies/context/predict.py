"""From what a prompt keeps and where, and a model's measured profile, to the accuracy that should follow."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError
from memgauge.registry import named
from memgauge.results import result
from memgauge.stats import Interval, cluster_interval
from memgauge.stats.proportion import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.studies.context.assembled import Fate
    from memgauge.studies.context.study import ModelStudy

BINS = 5


@dataclass(frozen=True)
class Surface:
    """Measured accuracy over length and depth of one task of one model."""

    model: str
    task: str
    lengths: tuple[int, ...]
    depths: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]
    """One a length."""

    @classmethod
    def of(cls, study: ModelStudy, task: str | None = None) -> Surface:
        """Take one task of what ``study context profile`` measured; by default its first recall task.

        Raises:
            UnknownNameError: The task was not measured.
            ConfigError: It was not measured by depth.
        """
        tasks = {task_measured.task: task_measured for task_measured in study.tasks}
        recall = [name for name, task_measured in tasks.items() if task_measured.type == "recall"]
        name = task or (recall or list(tasks))[0]
        profiles = named("task of this profile", name, tasks).profiles
        if not profiles:
            raise ConfigError(
                f"{name} was not measured by depth.", "Measure it with `memgauge study context profile`."
            )
        means = tuple(
            tuple(point.score.mean for point in profile.points if point.score.mean is not None)
            for profile in profiles
        )
        if any(len(row) < len(profile.points) for row, profile in zip(means, profiles, strict=True)):
            raise ConfigError(f"{name} has cells without an answer.", "Measure it again.")
        depths = tuple(point.depth for point in profiles[0].points)
        return cls(study.label, name, tuple(profile.length for profile in profiles), depths, means)

    def accuracy(self, length: float, depth: float) -> float:
        """Return the accuracy at a place: linear in depth and in the logarithm of length, flat beyond the grid."""
        at_depth = [np.interp(depth, self.depths, row) for row in self.rows]
        return float(np.interp(log2(length), np.log2(self.lengths), at_depth))


def predicted(fate: Fate, surface: Surface) -> float:
    """Return the chance of a right answer: none unless all evidence survives, else that of its worst place."""
    if not fate.complete:
        return 0.0
    return min(surface.accuracy(fate.tokens, depth) for depth in fate.depths)


def predicted_mean(fates: Sequence[Fate], surface: Surface) -> Interval:
    """Return the mean over questions, with an interval over conversations."""
    chances = [predicted(fate, surface) for fate in fates]
    return cluster_interval(chances, [fate.conversation for fate in fates], shares=True)


@result
@dataclass(frozen=True, slots=True)
class Bin:
    """Questions with about the same prediction."""

    low: float
    high: float
    predicted: float
    observed: Interval


@result
@dataclass(frozen=True)
class Calibration:
    """Predictions beside real answers."""

    run: str
    answers: str
    """What the layer of answers is called."""
    bins: tuple[Bin, ...]
    n: int
    brier: float
    """Mean squared distance of prediction and outcome: 0 is perfect."""
    gap: float
    """Mean distance of prediction and observation, bins weighted by their questions."""


def calibrate(run: str, answers: str, chances: Mapping[str, float], right: Mapping[str, bool]) -> Calibration:
    """Compare *chances* with what was *right*, for the questions that both name.

    Raises:
        ConfigError: There is none.
    """
    shared_names = sorted(chances.keys() & right.keys())
    if not shared_names:
        raise ConfigError(f"{answers} answers no question that was predicted.")
    bins = []
    for place in range(BINS):
        low, high = place / BINS, (place + 1) / BINS
        names_in_bin = [
            name for name in shared_names if low <= chances[name] < high or (high == 1.0 == chances[name])
        ]
        if names_in_bin:
            mean = float(np.mean([chances[name] for name in names_in_bin]))
            bins.append(Bin(low, high, mean, wilson(sum(right[name] for name in names_in_bin), len(names_in_bin))))
    brier = float(np.mean([(chances[name] - right[name]) ** 2 for name in shared_names]))
    off = sum(abs(part.predicted - (part.observed.mean or 0.0)) * part.observed.n for part in bins)
    return Calibration(run, answers, tuple(bins), len(shared_names), brier, off / len(shared_names))
