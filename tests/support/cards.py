"""Cards for tests."""

from __future__ import annotations

from typing import Any

from memgauge.records import Verdict
from memgauge.systems.conformance.card import Golden, SystemCard
from memgauge.systems.conformance.check import Check
from memgauge.systems.conformance.consistency import Lag, MeasuredConsistency


def lag(**changes: Any) -> Lag:
    """Make a lag."""
    told: dict[str, Any] = {
        "write_ms": 1.0,
        "found_ms": 2.0,
        "polls": 3,
        "lost_again": False,
        "flush_ms": 0.0,
        "found_after_flush": True,
    }
    return Lag(**told | changes)


def consistency(**changes: Any) -> MeasuredConsistency:
    """Make a good measurement."""
    told: dict[str, Any] = {
        "stored": 73,
        "lag": lag(),
        "searches": 7,
        "changed": 0,
        "most": 73,
        "prefixed": 7,
        "same_order": 7,
    }
    return MeasuredConsistency(**told | changes)


def golden(**found: tuple[str, ...]) -> Golden:
    """Make what the golden suite found."""
    return Golden(20, 25, {"pass": 15, "fail": 5}, found)


def card(name: str = "thing", *bad: str, **changes: Any) -> SystemCard:
    """Make a card whose checks called *bad* failed, and one passed."""
    checks = (Check("finds a stored turn", Verdict.PASS), *(Check(one, Verdict.FAIL, f"{one}!") for one in bad))
    told: dict[str, Any] = {
        "ref": name,
        "name": name,
        "version": "1",
        "capabilities": {"interventions": ["telemetry off"], "consistency": "immediate", "event_time": "stored"},
        "checks": checks,
    }
    return SystemCard(**told | changes)
