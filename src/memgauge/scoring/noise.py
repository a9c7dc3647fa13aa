"""How much of a difference is the judge's mood: repeats of one judge beside the spread between systems."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import mean, stdev, variance
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.scoring.judged import JudgedEntry


@dataclass(frozen=True)
class Noise:
    """What one model does when it judges everything again."""

    judge: str
    repeats: int
    within: float | None
    """Standard deviation of one system's share of right answers over repeats, pooled over systems."""
    between: float | None
    """Standard deviation of the systems' means."""
    reason: str = ""
    """Why one of them is undefined."""


@dataclass(frozen=True)
class Runs:
    """Several runs of one system: never the best of them, always their mean."""

    system: str
    runs: int
    mean: float
    sd: float | None
    """``None`` with one run."""


def judge_noise(entries: Sequence[JudgedEntry]) -> list[Noise]:
    """Compare repeats of every judge with the spread between systems.

    Only what a model decided counts; invalid votes are left out.
    """
    rates: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        for judge, worth in entry.worth.items():
            if worth is not None:
                rates[judge.split("#")[0]][f"{entry.run} {entry.answers}"].append(worth)
    return [_noise(judge, list(by_system.values())) for judge, by_system in rates.items()]


def _noise(judge: str, systems: Sequence[Sequence[float]]) -> Noise:
    repeated = [variance(rates) for rates in systems if len(rates) > 1]
    means = [mean(rates) for rates in systems]
    missing = [
        *(["judged once: repeat it with --repeats"] if not repeated else []),
        *(["one system has no spread"] if len(means) < 2 else []),
    ]
    return Noise(
        judge=judge,
        repeats=max(map(len, systems)),
        within=mean(repeated) ** 0.5 if repeated else None,
        between=stdev(means) if len(means) > 1 else None,
        reason="; ".join(missing),
    )


def over_runs(entries: Sequence[JudgedEntry]) -> Iterator[Runs]:
    """Yield mean and standard deviation of every system over its runs with one kind of answers."""
    by_system: defaultdict[str, list[float]] = defaultdict(list)
    for entry in entries:
        if entry.score.value is not None:
            by_system[f"{entry.system}, {entry.answers}"].append(entry.score.value)
    for system, values in by_system.items():
        yield Runs(system, len(values), mean(values), stdev(values) if len(values) > 1 else None)
