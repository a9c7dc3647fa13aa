"""Measures as values with a text form: pure functions of rankings, gold and a contract."""

from memgauge.measures.credit import Anchors, Descent, Judged, Trace, judge
from memgauge.measures.measure import MEASURES, Formula, Measure, Rows, parse
from memgauge.measures.ties import TieBounds, tie_sensitivity

__all__ = [
    "MEASURES",
    "Anchors",
    "Descent",
    "Formula",
    "Judged",
    "Measure",
    "Rows",
    "TieBounds",
    "Trace",
    "judge",
    "parse",
    "tie_sensitivity",
]
