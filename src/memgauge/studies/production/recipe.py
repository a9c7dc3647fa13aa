"""The figures of the study: what planted faults are found, and how often a healthy service gives an alarm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.studies.production.coverage import JudgedService, label_coverage
from memgauge.studies.production.daily import BASELINE, WEEK, false_alarm_rate
from memgauge.studies.production.proving import healthy_alarms, planted_found
from memgauge.studies.production.round_trips import round_trips
from memgauge.studies.production.simulate import SimulatedService

if TYPE_CHECKING:
    from collections.abc import Mapping

SEED: Final = 20_261_125
"""None of its services was looked at while limits were chosen."""
HEALTHY: Final = 40
CHARTS: Final = 7
LABELS: Final = 50
SIMULATIONS: Final = 1000
SERVICE: Final = SimulatedService()


def figures(service: SimulatedService = SERVICE, healthy: int = HEALTHY) -> Mapping[str, float]:
    """Simulate services of 10,000 users over eight weeks, with one fault each and without any."""
    found = planted_found(service, SEED)
    alarms = healthy_alarms(service, range(SEED + 1, SEED + 1 + healthy))
    rate = false_alarm_rate(CHARTS, service.days - BASELINE * WEEK, 4000, SEED)
    sampled = label_coverage(JudgedService(), LABELS, SIMULATIONS, SEED)
    return {
        "planted": float(len(found)),
        "planted_found": float(sum(found.values())),
        "healthy": float(healthy),
        "healthy_alarms": float(len(alarms)),
        "chart_alarm_rate": rate,
        "label_coverage": sampled.powered,
        "label_coverage_alone": sampled.alone,
        "label_width_ratio": sampled.width_powered / sampled.width_alone,
        **round_trips(),
    }
