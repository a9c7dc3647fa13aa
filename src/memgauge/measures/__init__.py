"""Measures as values with a text form: pure functions of rankings, gold and a contract."""

from memgauge.measures.budgets import TOKENS_A_RANK, Lengths, budget_for, within
from memgauge.measures.catalogue import MEASURES
from memgauge.measures.credit import Anchors, Descent, EvidenceHits, Judged, Trace, credit_of, find, judge
from memgauge.measures.formula import Formula, Reads, Rows
from memgauge.measures.measure import BUDGETS, Measure, parse
from memgauge.measures.ties import TieBounds, tie_sensitivity

__all__ = [
    "BUDGETS",
    "MEASURES",
    "TOKENS_A_RANK",
    "Anchors",
    "Descent",
    "EvidenceHits",
    "Formula",
    "Judged",
    "Lengths",
    "Measure",
    "Reads",
    "Rows",
    "TieBounds",
    "Trace",
    "budget_for",
    "credit_of",
    "find",
    "judge",
    "parse",
    "tie_sensitivity",
    "within",
]
