"""What changes between targets."""

from __future__ import annotations

import numpy as np
import pytest

from memgauge.records import Target
from memgauge.studies.targets.groups import by_category, coverage_bias
from memgauge.studies.targets.lineup import line_up
from memgauge.studies.targets.shifts import PAIRS, flips, order_of, shifts, transfers
from support.targets import GOLD, SPEC, lineup, plain, runs


def test_scores_shift_on_one_set_of_questions() -> None:
    """Means are over the shared questions, and the differences are theirs."""
    mask = lineup().shared(*Target)
    for number, row in enumerate(shifts(lineup())):
        for target in Target:
            assert row.means[target] == pytest.approx(lineup().runs[number].rows(target).values[mask].mean())
        difference = row.canonical_minus_raw
        assert difference.mean == pytest.approx((row.means["canonical"] or 0) - (row.means["raw"] or 0))
        assert (difference.low or 0) <= (difference.mean or 0) <= (difference.high or 0)
        assert row.n == mask.sum()


def test_a_target_that_a_run_does_not_serve_is_undefined() -> None:
    """Turns alone have no canonical score, with a reason instead of 0."""
    row = shifts(line_up([plain()], GOLD, SPEC))[0]
    assert row.means["canonical"] is None
    assert row.canonical_minus_raw.mean is None
    assert [flip.pair for flip in flips(line_up([plain()], GOLD, SPEC))] == ["raw to source"]


def test_flips_are_counted_and_add_up() -> None:
    """Where all three targets score, those of Raw and Canonical are those over Source, at rank 1 as well."""
    mask = lineup().shared(*Target)
    for number in range(4):
        for depth in (1, 20):
            hit = {t: lineup().runs[number].rows(t, f"Hit@{depth}").values[mask] for t in Target}
            count = [int((hit[a] != hit[b]).sum()) for a, b in PAIRS]
            assert count[1] == count[0] + count[2]
    for row in flips(lineup()):
        assert sum(row.distribution) == row.n
        assert row.distribution[0] == row.n - row.changed
        assert row.hit <= row.changed <= row.n


def test_each_target_is_scored_on_all_that_it_can() -> None:
    """Canonical has fewer questions than Source, and every metric its own order."""
    for row in transfers(lineup()):
        assert row.n["canonical"] < row.n["source"]
        assert set(row.order) == set(row.values)
    assert order_of({"raw": 0.2, "source": 0.5, "canonical": None}) == "S > R"
    assert order_of({"raw": 0.5, "source": 0.5, "canonical": 0.1}) == "S = R > C"
    assert order_of({"raw": None, "source": None, "canonical": None}) == ""


def test_categories_and_coverage_split_all_questions() -> None:
    """Rows of one run add up to the shared questions; covered and others to the base."""
    rows = [row for row in by_category(lineup()) if row.label == "bm25 facts-5"]
    assert sum(row.n for row in rows) == lineup().shared(Target.RAW, Target.CANONICAL).sum()
    base = lineup().shared(Target.RAW, Target.SOURCE)
    for bias in coverage_bias(lineup()):
        assert bias.covered + bias.uncovered == base.sum()
        values = lineup().runs[0].rows(Target.RAW).values
        assert bias.difference.n == len(values[base])
    raw = lineup().runs[0].rows(Target.RAW).values
    covered = lineup().shared(Target.CANONICAL)
    by_hand = raw[base & covered].mean() - raw[base & ~covered].mean()
    assert coverage_bias(lineup())[0].difference.mean == pytest.approx(by_hand)
    assert len(runs()) == 4
    assert np.isfinite(by_hand)
