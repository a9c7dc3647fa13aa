"""What a report of conformance says of its checks."""

from __future__ import annotations

import pytest

from memgauge.records import Verdict
from memgauge.systems.conformance.check import Check, ConformanceReport


@pytest.mark.parametrize("verdict", Verdict)
def test_a_promise_is_broken_where_a_check_failed_or_raised(verdict: Verdict) -> None:
    """What passed, or could not be checked, breaks none."""
    report = ConformanceReport((Check("kept", Verdict.PASS), Check("looked at", verdict)))
    is_broken = verdict in {Verdict.FAIL, Verdict.ERROR}
    assert [check.name for check in report.broken] == ["looked at"] * is_broken
    assert report.conforms is not is_broken
