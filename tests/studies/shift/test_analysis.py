"""From hits to the study's numbers, and how they are told."""

from __future__ import annotations

import json
from dataclasses import asdict
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from memgauge.report.shift import shift_tables
from memgauge.studies.shift.analysis import analyse
from memgauge.studies.shift.outcomes import Outcomes
from memgauge.studies.shift.published import TABLE_1
from memgauge.studies.shift.recipe import _published
from memgauge.studies.shift.spec import ShiftSpec


def _outcomes(*, conversations: int = 6, bursts: tuple[int, ...] = (0, 100)) -> Outcomes:
    """Make a world in which flat is best until it is interrupted and hsr does not care."""
    rng = np.random.default_rng(5)
    per, policies = 40, ("flat", "hsr", "gated")
    n = conversations * per
    rates = {"flat": (0.7, 0.2), "hsr": (0.5, 0.5), "gated": (0.6, 0.1)}
    segment = np.tile(np.repeat(np.arange(4), per // 4), conversations).astype(np.int32)
    hits = np.stack([[rng.random(n) < rates[p][bool(m)] for m in bursts] for p in policies])
    return Outcomes(
        spec=ShiftSpec(bursts=bursts),
        policies=policies,
        questions=tuple(f"q{i}" for i in range(n)),
        conversation=np.repeat(np.arange(conversations), per).astype(np.int32),
        segment=segment,
        order=np.tile(np.arange(1, per // 4 + 1), conversations * 4).astype(np.int32),
        hits=hits,
    )


def test_an_interruption_that_reverses_ranks_is_seen() -> None:
    """Ranks agree on the clean stream and not after the burst; the gap holds over conversations."""
    result = analyse(_outcomes(), draws=300)
    clean, shifted = result.ranks
    assert clean.inversion.value == 0.0
    assert clean.rho.value == pytest.approx(1.0)
    assert shifted.inversion.value == pytest.approx(2 / 3)
    assert (shifted.rho.value or 0) < 0
    assert (shifted.rho_same_stream.value or 0) > 0
    gap = next(gap for gap in result.gaps if (gap.a, gap.b) == ("flat", "hsr"))
    assert (gap.over_conversations.high or 0) < 0
    assert gap.burst == 100


def test_recovery_is_told_with_curves_deficits_and_times() -> None:
    """What does not care is back at once; what does has a deficit and never comes back."""
    rows = {row.policy: row for row in analyse(_outcomes(), draws=300).rows}
    assert rows["flat"].back[100].at is None
    assert (rows["flat"].deficits[100] or 0) > 1
    assert len(rows["hsr"].curves[100]) == 10
    band = rows["flat"].curves[100][4]
    assert (band.low or 0) < (band.mean or 0) < (band.high or 0)
    assert rows["flat"].recovery[100].mean == pytest.approx(band.mean)


def test_noise_makes_ties() -> None:
    """Policies that cannot be told apart do not count as inverted."""
    outcomes = _outcomes(conversations=2, bursts=(0, 7))
    row = analyse(outcomes, draws=200).ranks[1]
    assert (row.inversion_beyond_noise.value or 0) <= (row.inversion.value or 0)


def test_everything_can_be_written_as_data() -> None:
    """The result survives JSON."""
    assert json.loads(json.dumps(asdict(analyse(_outcomes(), draws=100))))["questions"] == 240


def test_the_published_table_gives_the_published_ranks() -> None:
    """Our rank agreement on the paper's Table 1 is what the paper reports."""
    figures = _published()
    assert figures["table1_rho_m100"] == pytest.approx(-0.3)
    assert figures["table1_inversion_m100"] == pytest.approx(0.6)
    assert figures["table1_rho_m0"] == pytest.approx(1.0)
    assert figures["table1_inversion_m0"] == 0.0
    assert len(TABLE_1) == 7


@pytest.mark.parametrize("beside", [True, False])
def test_tables_show_ours_and_the_published(beside: bool) -> None:
    """Published values stand in brackets, only where they belong; the words follow the numbers."""
    console = Console(file=StringIO(), width=160)
    outcomes = _outcomes()
    for part in shift_tables(analyse(outcomes, draws=200), outcomes.spec, beside=beside):
        console.print(part)
    said = console.file.getvalue()  # type: ignore[attr-defined] # a StringIO
    assert ("(0.568)" in said) is beside
    assert "flat leads overall on the clean stream, but hsr leads after bursts of 100 turns." in said
    assert "flat - hsr" in said
