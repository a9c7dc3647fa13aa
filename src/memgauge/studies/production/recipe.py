"""The figures of the study: what planted faults are found, and how often a healthy service gives an alarm."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.exchange.otlp.dialects import DIALECTS
from memgauge.exchange.otlp.round_trip import round_trip_figures
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.studies.production.coverage import JudgedService, label_coverage
from memgauge.studies.production.daily import BASELINE, WEEK, false_alarm_rate
from memgauge.studies.production.proving import healthy_alarms, planted_found
from memgauge.studies.production.service import SimulatedService

if TYPE_CHECKING:
    from collections.abc import Mapping

SEED: Final = 20_261_125
"""None of its services was looked at while limits were chosen."""
HEALTHY: Final = 40
CHARTS: Final = 9
LABELS: Final = 50
SIMULATIONS: Final = 1000
SERVICE: Final = SimulatedService()
SYSTEMS: Final = ("bm25", "temporal", "random")
DATASET: Final = "synthetic:tiny"


def figures(service: SimulatedService = SERVICE, healthy: int = HEALTHY) -> Mapping[str, float]:
    """Simulate services of 10,000 users over eight weeks, with one fault each and without any."""
    found_by_case = planted_found(service, SEED)
    alarms = healthy_alarms(service, range(SEED + 1, SEED + 1 + healthy))
    rate = false_alarm_rate(CHARTS, service.days - BASELINE * WEEK, 4000, SEED)
    coverage = label_coverage(JudgedService(), LABELS, SIMULATIONS, SEED)
    return {
        "planted": float(len(found_by_case)),
        "planted_found": float(sum(found_by_case.values())),
        "healthy": float(healthy),
        "healthy_alarms": float(len(alarms)),
        "chart_alarm_rate": rate,
        "label_coverage": coverage.powered,
        "label_coverage_alone": coverage.alone,
        "label_width_ratio": coverage.width_powered / coverage.width_alone,
        **_round_trips(),
    }


def _round_trips() -> Mapping[str, float]:
    """Play small runs, export and import them, and count what is the same."""
    with tempfile.TemporaryDirectory(prefix="memgauge-spans-") as scratch:
        folders = execute(plan([DATASET], SYSTEMS), Path(scratch))
        trips = [round_trip_figures(load(folder)) for folder in folders]
    return {
        "round_trip_rows_equal": sum(trip.versions_equal for trip in trips) / sum(trip.rows for trip in trips),
        "spans_lost": float(sum(trip.spans_lost for trip in trips)),
        "emitters": float(len(DIALECTS.names())),
    }
