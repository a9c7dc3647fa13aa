"""Why scores shift."""

from __future__ import annotations

import pytest

from memgauge.records import Credit, Target
from memgauge.studies.targets.lineup import line_up
from memgauge.studies.targets.parts import parts, repeated_slots
from memgauge.studies.targets.placebo import placebos
from memgauge.studies.targets.sets import evidence_sets
from support.targets import GOLD, SPEC, WORLD, lineup, plain


def test_a_shift_splits_exactly() -> None:
    """Gains and norm add up to Canonical - Source; gains never help, and one norm leaves gains alone."""
    for row in parts(lineup()):
        assert row.gains + row.norm == pytest.approx(row.canonical_minus_source)
        assert row.gains <= 1e-12
        assert row.common_norm == pytest.approx(row.gains)
        assert 0 <= row.repeated < 1
        assert 0 < row.canonical_stored < 1
        assert row.n == lineup().shared(*Target).sum()


def test_a_cut_list_moves_up() -> None:
    """The shift is that of the means, and so is the size-matched one; turns alone have no parts."""
    assert parts(line_up([plain()], GOLD, SPEC)) == []
    mask = lineup().shared(*Target)
    for number, row in enumerate(parts(lineup())):
        raw, canonical = (
            lineup().runs[number].rows(t).values[mask].mean() for t in (Target.RAW, Target.CANONICAL)
        )
        assert row.shift == pytest.approx(canonical - raw)
        shared = [lineup().runs[number].rows(t, credit=Credit.SIZE_MATCHED).values[mask].mean() for t in Target]
        assert row.size_matched == pytest.approx(shared[2] - shared[0])


def test_turns_alone_repeat_nothing() -> None:
    """Every slot shows its own turn; derived memories repeat some."""
    assert repeated_slots(line_up([plain()], GOLD, SPEC).runs[0]) == 0
    assert repeated_slots(lineup().runs[1]) > 0


def test_moved_anchors_earn_less_than_evidence() -> None:
    """What is left above the placebo is positive under every target, and the same seed gives the same draws."""
    rows = placebos(lineup(), WORLD, draws=3)
    assert rows == placebos(lineup(), WORLD, draws=3)
    for row in rows:
        assert 0 < row.n <= lineup().shared(*Target).sum()
        for target in Target:
            assert row.placebo[target] < row.real[target]
            assert row.above[target] > 0


def test_all_evidence_is_harder_than_any() -> None:
    """Complete is at most hit, more tokens find no less, and turns descend from one turn each."""
    rows = evidence_sets(lineup())
    assert {(row.label, row.target) for row in rows} == {(run.label, t) for run in lineup().runs for t in Target}
    for row in rows:
        for size, complete in row.complete.items():
            hit = row.hit[size]
            assert complete is None or (hit is not None and complete <= hit)
        within = list(row.within.values())
        assert within == sorted(within)
    raw = next(row for row in rows if row.target == "raw")
    number = [run.label for run in lineup().runs].index(raw.label)
    inside = lineup().inside & lineup().runs[number].rows(Target.RAW).defined
    assert raw.specific == pytest.approx(lineup().runs[number].rows(Target.RAW).values[inside].mean())
