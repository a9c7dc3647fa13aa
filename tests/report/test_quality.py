"""The gate's reply in other formats."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from memgauge.report.quality import gate_junit, gate_markdown
from memgauge.studies.quality.gate import GatedMeasure, GateResult

UNDEFINED = GatedMeasure("SetF1@10", None, regressed=False, improved=False)


def test_what_is_undefined_on_both_sides_is_skipped_and_lost_calls_are_errors() -> None:
    """Neither is a pass; names from outside cannot become markup."""
    gated = GateResult("a|b", "<b>c</b>", "d", (UNDEFINED,), failed_calls=3)
    suite = ET.fromstring(gate_junit(gated))  # noqa: S314 - our own text
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "2", "failures": "0", "errors": "1", "skipped": "1"}
    text = gate_markdown(gated)
    assert "**failed**" in text
    assert "3 questions" in text
    assert "<b>" not in text


def test_a_gate_that_passes_says_so() -> None:
    """Without lost calls or regressions the comment begins with that."""
    text = gate_markdown(GateResult("a", "b", "d", (UNDEFINED,), failed_calls=0))
    assert text.startswith("### Memory quality gate: passed")
