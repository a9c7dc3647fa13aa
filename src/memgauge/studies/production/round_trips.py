"""Runs that leave as spans and come back: counted beside what they were."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.exchange.otlp.dialects import DIALECTS
from memgauge.exchange.otlp.round_trip import round_trip_figures
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load

if TYPE_CHECKING:
    from collections.abc import Mapping

SYSTEMS: Final = ("bm25", "temporal", "random")
DATASET: Final = "synthetic:tiny"


def round_trips() -> Mapping[str, float]:
    """Play small runs, export and import them, and count what is the same."""
    with tempfile.TemporaryDirectory(prefix="memgauge-spans-") as scratch:
        folders = execute(plan([DATASET], SYSTEMS), Path(scratch), check=False)
        trips = [round_trip_figures(load(folder)) for folder in folders]
    return {
        "round_trip_rows_equal": sum(trip.versions_equal for trip in trips) / sum(trip.rows for trip in trips),
        "spans_lost": float(sum(trip.spans_lost for trip in trips)),
        "emitters": float(len(DIALECTS.names())),
    }
