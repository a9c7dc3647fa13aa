"""Whether alarms hold what they promise: services with one planted fault each, and services that are healthy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from memgauge.studies.production.daily import WEEK
from memgauge.studies.production.drift import alarms
from memgauge.studies.production.service import PlantedFaults, SimulatedService
from memgauge.studies.production.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.drift import TrafficAlarm

LATE: Final = 1
"""Weeks that an alarm for a sudden fault may come after it."""


@dataclass(frozen=True)
class PlantedCase:
    """A fault, the alarm that should be given for it, and the day it begins on."""

    faults: PlantedFaults
    key: str
    day: float
    gradual: bool = False


CASES: Final = {
    "leak": PlantedCase(PlantedFaults(leak=1e-4), "leak", 0),
    "stale": PlantedCase(PlantedFaults(stale_from=30.4), "stale 1 h", 30.4),
    "undeleted": PlantedCase(PlantedFaults(undeleted_from=37.0), "deleted 1 h", 37.0),
    "dead index": PlantedCase(PlantedFaults(dead_from=42.2), "fresh", 42.2),
    "silent index": PlantedCase(PlantedFaults(silent_from=23.7), "empty", 23.7),
    "drift of scores": PlantedCase(PlantedFaults(drift={"score": -0.07}), "top", 28, gradual=True),
    "drift of latency": PlantedCase(PlantedFaults(drift={"latency": 0.07}), "latency", 28, gradual=True),
    "drift of length": PlantedCase(PlantedFaults(drift={"length": -0.07}), "length", 28, gradual=True),
}
"""Each alone; a leak is one search of 10,000."""


def is_found(case: PlantedCase, traffic: TrafficArrays, twin: TrafficArrays) -> bool:
    """Say whether the alarm is given, in time, with a witness behind the beginning.

    *twin* is the same service without the fault: what differs first is where a sudden one begins.
    """
    alarm = next((alarm for alarm in alarms(traffic) if alarm.key == case.key), None)
    if alarm is None:
        return False
    if case.gradual:
        return alarm.week > case.day // WEEK and alarm.first.week > case.day // WEEK - 1
    first_row = first_difference(traffic, twin)
    begins = int(traffic.day[first_row]) // WEEK + 1
    return alarm.first.row >= first_row and begins <= alarm.week <= begins + LATE


def first_difference(traffic: TrafficArrays, twin: TrafficArrays) -> int:
    """Return the first search whose records are not those of its twin."""
    spelled = [
        np.stack([hits.operation, hits.rank, hits.memory, hits.version], axis=1)
        for hits in (traffic.hits, twin.hits)
    ]
    n = min(map(len, spelled))
    differs = (spelled[0][:n] != spelled[1][:n]).any(axis=1)
    place = int(np.argmax(differs)) if differs.any() else n
    return min(int(differences[place, 0]) for differences in spelled if place < len(differences))


def planted_found(service: SimulatedService, seed: int) -> dict[str, bool]:
    """Say of every planted fault whether it is found."""
    twin = simulate(service, seed)
    return {
        name: is_found(case, simulate(replace(service, faults=case.faults), seed), twin)
        for name, case in CASES.items()
    }


def healthy_alarms(service: SimulatedService, seeds: Iterable[int]) -> list[tuple[int, TrafficAlarm]]:
    """Return every alarm that healthy services give, with the seed."""
    return [(seed, alarm) for seed in seeds for alarm in alarms(simulate(service, seed))]
