"""The shift study on a terminal."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from memgauge.report.shift import shift_tables
from report.shifts import study
from support import known


@pytest.mark.parametrize("beside", [True, False])
def test_tables_and_words_are_printed(beside: bool) -> None:
    """Counts, both tables, the verdict and the gaps; published values only where they belong."""
    result, spec = study()
    written = StringIO()
    for part in shift_tables(result, spec, beside=beside):
        Console(file=written, width=200).print(part)
    said = written.getvalue()
    assert "240 questions, 180 after a shift, 90 in Recovery@5" in said
    for row in result.rows:
        for value in (row.overall, *row.recovery.values()):
            assert f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]" in said
    assert ("(0.568)" in said) is beside
    assert ("(-0.30)" in said) is beside
    assert "fusion leads overall on the clean stream, but hsr leads after bursts of 100 turns." in said
    assert "Gaps at m=100 that hold over conversations (95 %, Holm over all pairs): none." in said


def test_gaps_that_hold_are_named() -> None:
    """A gap that is told from 0 after Holm stands with its interval over conversations."""
    result, spec = study({"flat": (0.9, 0.1), "hsr": (0.5, 0.9)}, (0, 100))
    (gap,) = result.gaps
    around = f"-{-known(gap.over_conversations.mean):.3f}"
    assert f"flat - hsr {around}" in str(list(shift_tables(result, spec, beside=False))[-1])


def test_no_gap_is_said_too() -> None:
    """With one policy nothing holds."""
    result, spec = study({"flat": (0.5, 0.4)}, (0, 100))
    assert list(shift_tables(result, spec, beside=False))[-1] == (
        "Gaps at m=100 that hold over conversations (95 %, Holm over all pairs): none."
    )
