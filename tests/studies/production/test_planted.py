"""What is planted in a simulated service is found, with week and first witness; its healthy twin is silent."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from memgauge.records import Outcome
from memgauge.studies.production.arrays import DAY_NS
from memgauge.studies.production.drift import alarms
from memgauge.studies.production.sealed import OUTCOMES
from memgauge.studies.production.service import BEGAN_NS, PlantedFaults, SimulatedService
from memgauge.studies.production.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.drift import TrafficAlarm

SERVICE = SimulatedService(users=4_000)
SEED = 7
PLANTED = {
    "leak 1 h": (PlantedFaults(leak=4e-4), "leak", 1),
    "stale": (PlantedFaults(stale_from=30.4), "stale 1 h", 5),
    "undeleted": (PlantedFaults(undeleted_from=37.0), "deleted 1 h", 6),
    "dead": (PlantedFaults(dead_from=42.2), "fresh", 7),
    "silent": (PlantedFaults(silent_from=23.7), "empty", 4),
    "score": (PlantedFaults(drift={"score": -0.07}), "top", 5),
    "latency": (PlantedFaults(drift={"latency": 0.07}), "latency", 5),
    "length": (PlantedFaults(drift={"length": -0.07}), "length", 5),
}
SLOW = ("score", "latency", "length")
FOUND_TOGETHER = {"undeleted", "score"}
"""Kinds that quick tests find among all that come together, and slow ones alone, with their weeks."""


def _marked(names: Iterable[str]) -> list[Any]:
    return [pytest.param(name, marks=[pytest.mark.slow] * (name in FOUND_TOGETHER)) for name in names]


@cache
def _alarms(faults: str) -> tuple[TrafficAlarm, ...]:
    return alarms(_lived(faults))


@cache
def _lived(faults: str = "", seed: int = SEED) -> TrafficArrays:
    planted = PLANTED[faults][0] if faults else PlantedFaults()
    return simulate(replace(SERVICE, faults=planted), seed)


def _row_of_first_difference(faults: str) -> int:
    """Say which operation first came back otherwise than in the healthy twin."""
    ours, twin, n = _lived(faults).hits, _lived().hits, len(_lived().began)
    parts = []
    for name in ("memory", "version"):
        rows = np.concatenate([ours.operation, twin.operation])
        values = np.concatenate([getattr(ours, name), getattr(twin, name)])
        signs = np.repeat([1.0, -1.0], [len(ours.operation), len(twin.operation)])
        sums = np.bincount(rows, np.sqrt(values + 1.0) * signs, minlength=n)
        parts.append(np.abs(sums) > 1e-9)
    return int(np.flatnonzero(parts[0] | parts[1])[0])


@pytest.mark.parametrize("name", _marked(name for name in PLANTED if name not in SLOW))
def test_a_sudden_fault_is_found_in_its_week_with_a_witness_behind_its_beginning(name: str) -> None:
    """The alarm is of the planted kind, at most one week late, and no healthy operation is its witness."""
    _, key, week = PLANTED[name]
    traffic = _lived(name)
    (alarm,) = [alarm for alarm in _alarms(name) if alarm.key == key]
    first = _row_of_first_difference(name)
    assert alarm.first.row >= first
    assert (alarm.since, alarm.first.week) == (alarm.week, alarm.week)
    assert alarm.week in ({int(traffic.day[first]) // 7 + 1} if key == "leak" else {week, week + 1})


def test_the_first_leaked_search_is_the_witness() -> None:
    """Not one of them, the first one; and nothing else is said of a service that only leaks."""
    (alarm,) = _alarms("leak 1 h")
    first = _row_of_first_difference("leak 1 h")
    assert (alarm.first.row, alarm.first.span) == (first, f"{first:016x}")


@pytest.mark.parametrize("name", _marked(SLOW))
def test_a_slow_drift_of_seven_percent_is_found_before_its_end(name: str) -> None:
    """It begins with week 5 and ends with week 8; the week it began in is told within two."""
    _, key, week = PLANTED[name]
    (alarm,) = [alarm for alarm in _alarms(name) if alarm.key == key]
    assert week <= alarm.week <= 8
    assert abs(alarm.since - week) <= 2
    assert ("rose" in alarm.says) is (name == "latency")


def test_a_slow_drift_leaves_the_first_half_as_it_was() -> None:
    """Until then searches take as long as in the healthy twin; in the last quarter they do not."""
    drifting, healthy = _lived("latency"), _lived()
    day = (drifting.began - BEGAN_NS) / DAY_NS
    early, late = day < SERVICE.days / 2, day > SERVICE.days * 3 / 4
    took, healthy_took = (traffic.ended - traffic.began for traffic in (drifting, healthy))
    assert (took == healthy_took)[early].all()
    assert took[late].sum() > 1.02 * healthy_took[late].sum()


def test_five_of_six_failing_searches_raise_and_the_others_time_out() -> None:
    """So few fail that no alarm comes of them."""
    failing = Counter(OUTCOMES[code] for code in _lived().outcome.tolist() if not OUTCOMES[code].valid)
    assert failing[Outcome.ERROR] / failing.total() == pytest.approx(5 / 6, abs=0.1)
    assert set(failing) == {Outcome.ERROR, Outcome.TIMEOUT}


def test_faults_that_come_together_are_all_found() -> None:
    """One fault does not hide another."""
    together = PlantedFaults(
        leak=4e-4, stale_from=30.4, undeleted_from=37.0, dead_from=42.2, drift={"score": -0.07, "latency": 0.07}
    )
    traffic = simulate(replace(SERVICE, faults=together), SEED)
    assert {"leak", "stale 1 h", "deleted 1 h", "fresh", "top", "latency"} <= {
        each.key for each in alarms(traffic)
    }


@pytest.mark.parametrize("seed", range(2))
def test_a_healthy_twin_gives_no_alarm(seed: int) -> None:
    """Index lag, weekends, days that are slower than others and growth are no faults."""
    assert alarms(_lived(seed=seed)) == ()


def test_a_healthy_index_lags_and_catches_up() -> None:
    """The healthy twin is not made easy: right after a change it returns old versions, and never an hour later."""
    from memgauge.studies.production.faults import ReturnFaults
    from memgauge.studies.production.seen import SeenChanges

    faults = ReturnFaults(SeenChanges(_lived()), _lived().hits)
    late = [int(faults.stale(grace * 10**9).sum()) for grace in (0, 60, 3600)]
    assert late[0] > late[1] > late[2] == 0
