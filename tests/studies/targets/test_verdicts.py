"""Who wins under which contract."""

from __future__ import annotations

import numpy as np
import pytest

from memgauge.records import Coverage, Credit
from memgauge.stats import Clusters, estimates
from memgauge.stats.clusters import ClusterSums
from memgauge.studies.targets.ensembles import agreement, ensembles
from memgauge.studies.targets.lineup import line_up
from memgauge.studies.targets.verdicts import ContractDifference, Terms, _axis, _reaches, grid, verdicts
from support import known
from support.targets import GOLD, SPEC, lineup, plain, runs


def cell(low: float, high: float, target: str = "raw", metric: str = "nDCG@20") -> ContractDifference:
    """Make one cell."""
    return ContractDifference(Terms(target, Credit.ANCHOR, Coverage.ANY, metric), 10, (low + high) / 2, low, high)


def test_the_grid_holds_every_combination_that_two_runs_serve() -> None:
    """Three targets, four credits, two coverages and five metrics; one run over facts leaves two targets."""
    assert len(grid(lineup())) == 3 * 4 * 2 * 5
    assert len(set(map(str, grid(lineup())))) == 120
    assert {terms.target for terms in grid(line_up([runs()[0], plain()], GOLD, SPEC))} == {"raw", "source"}


def test_a_run_that_serves_less_takes_nothing_from_the_pairs_of_others() -> None:
    """The verdict of two runs is the same beside a third one over turns alone."""
    (alone,) = verdicts(two := line_up(runs()[:2], GOLD, SPEC), grid(two))
    beside = verdicts(three := line_up([*runs()[:2], plain()], GOLD, SPEC), grid(three))
    assert len(beside) == 3
    for pair in beside:
        targets = {cell.terms.target for cell in pair.cells}
        assert targets == ({"raw", "source"} if "bm25" in {pair.a, pair.b} else {"raw", "source", "canonical"})
    assert len(beside[0].cells) == len(alone.cells) == 120


@pytest.mark.parametrize(("conversations", "told"), [(2, False), (6, False), (7, True), (12, True)])
def test_what_every_conversation_says_alike_is_told_from_enough_of_them(conversations: int, told: bool) -> None:
    """Rows without any spread have no error; 2 of 2^conversations ways to flip signs are as far from 0."""
    labels = np.repeat(np.arange(conversations), 3)
    rows = np.ones((len(labels), 2))
    rows[:, 1] = np.where(labels % 2, -0.5, -1.0)
    means, reaches = _reaches(ClusterSums.of(rows, Clusters.of(labels), np.ones(rows.shape, dtype=np.bool_)))
    assert means[0] == 1.0
    assert (reaches[0] == 0.0) is told
    assert np.isfinite(reaches[0]) == told
    assert conversations == 2 or reaches[1] > 0


def test_every_pair_is_compared_under_every_contract() -> None:
    """Differences are means over shared questions, and their intervals are wider than pointwise ones."""
    terms = grid(lineup(), whole=False)
    found = verdicts(lineup(), terms)
    assert len(found) == 6
    for one in found:
        assert one.verdict in {"invariant", "reversed", "unresolved"}
        for part in one.cells:
            assert known(part.low) <= part.difference <= known(part.high)
    first = found[0].cells[0]
    a, b = (lineup().runs[number].rows("raw").values for number in (0, 1))
    mask = lineup().shared("raw")
    assert first.difference == pytest.approx((a - b)[mask].mean())
    pointwise = estimates((a - b)[:, None], lineup().clusters, mask[:, None])[0]
    wide, narrow = (known(around.high) - known(around.low) for around in (first, pointwise))
    assert wide >= 0.99 * narrow


def test_a_difference_that_never_varies_has_no_winner() -> None:
    """Leave a contract unresolved where conversations cannot say how far its difference may be off."""
    assert (
        ContractDifference(Terms("raw", Credit.ANCHOR, Coverage.ANY, "nDCG@20"), 10, 0.5, None, None).winner == ""
    )


def test_a_run_beside_itself_in_other_order_mirrors() -> None:
    """Swapping two runs swaps winners and signs."""
    terms = grid(lineup(), whole=False)
    (ahead,) = verdicts(line_up(runs()[:2], GOLD, SPEC), terms)
    (behind,) = verdicts(line_up(runs()[1::-1], GOLD, SPEC), terms)
    assert (ahead.share_a, ahead.share_b, ahead.winner) == (behind.share_b, behind.share_a, behind.winner)
    assert [c.difference for c in ahead.cells] == pytest.approx([-c.difference for c in behind.cells])


def test_only_who_wins_under_every_contract_is_the_winner() -> None:
    """A pair is invariant and has a winner, or has none; what each wins clearly is a share."""
    whole = verdicts(lineup(), grid(lineup()))
    parts = [pair for terms in grid(lineup()) for pair in verdicts(lineup(), [terms])]
    assert any(not pair.winner and pair.share_a + pair.share_b for pair in whole)
    assert any(pair.winner for pair in parts)
    for pair in (*whole, *parts):
        sides = {each.winner for each in pair.cells}
        assert bool(pair.winner) == (pair.verdict == "invariant") == (len(sides) == 1 and sides != {""})
        assert pair.winner in {"", pair.a, pair.b}


def test_the_axis_is_what_turns_the_winner() -> None:
    """All else equal, another target turns it; unclear cells turn nothing."""
    cells = [cell(0.1, 0.2), cell(-0.2, -0.1, target="source"), cell(-0.1, 0.1, metric="MRR@20")]
    assert _axis(cells) == "target"
    assert [one.winner for one in cells] == ["a", "b", ""]
    apart = [cell(0.1, 0.2), cell(-0.2, -0.1, target="source", metric="MRR@20")]
    assert _axis(apart) == "several at once"


def test_one_run_has_nobody_to_be_compared_with() -> None:
    """No pair, no verdict, no ensemble."""
    alone = line_up(runs()[:1], GOLD, SPEC)
    assert verdicts(alone, grid(alone)) == []
    assert ensembles(alone) == []


def test_ensembles_order_all_runs_and_count_discordant_pairs() -> None:
    """Raw agrees with itself; means of means are means; agreement keeps what all targets call alike."""
    rows = {row.way: row for row in ensembles(lineup())}
    assert rows["raw"].discordant == 0
    assert not rows["raw"].novel
    for label in rows["raw"].means:
        three = [rows[way].means[label] for way in ("raw", "source", "canonical")]
        assert rows["arithmetic"].means[label] == pytest.approx(np.mean(three))
        assert rows["minimum"].means[label] <= min(three) + 1e-12
        assert rows["minimum"].means[label] <= rows["geometric"].means[label] <= rows["arithmetic"].means[label]
    for row in rows.values():
        assert sorted(row.order) == sorted(row.means)
    for kept in agreement(lineup()):
        assert 0 < kept.kept <= 1
