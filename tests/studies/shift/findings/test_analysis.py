"""From hits to the study's numbers, and how they are told."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from memgauge.show.terminal import lines
from memgauge.stats import Resamples, inversion, spearman
from memgauge.studies.shift.findings.analysis import analyse
from memgauge.studies.shift.findings.regret import routes
from memgauge.studies.shift.findings.result import ReturnPoint
from memgauge.studies.shift.play.outcomes import Outcomes, Routed
from memgauge.studies.shift.protocol.spec import ShiftSpec
from memgauge.studies.shift.published import TABLE_1
from memgauge.studies.shift.recipe import _published
from memgauge.studies.shift.show import document
from support.shift_result import reported


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
    lost = rows["flat"].deficits[100]
    assert 1 < (lost.low or 0) < (lost.mean or 0) < (lost.high or 0)
    assert (rows["flat"].back[100].low, rows["flat"].back[100].high) == (None, None)
    assert rows["hsr"].back[0] == ReturnPoint(1, 1, 1)
    assert rows["hsr"].per_segment[100].n == 18
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


def test_agreement_has_an_interval_over_conversations() -> None:
    """The percentiles of agreement are those of resampling conversations one by one."""
    outcomes, draws = _outcomes(conversations=5), 40
    row = analyse(outcomes, draws=draws).ranks[1]
    drawn = Resamples.draw(len(outcomes.questions), 0, draws, clusters=outcomes.conversation)
    pool = outcomes.post_shift & (outcomes.order <= 5)
    rhos: list[float] = []
    turned: list[float | None] = []
    for counts in drawn.counts:
        weight = counts[outcomes.conversation]
        overall = [np.average(outcomes.hits[p, 0], weights=weight) for p in range(3)]
        after = [np.average(outcomes.hits[p, 1][pool], weights=weight[pool]) for p in range(3)]
        rho, turn = spearman(overall, after).value, inversion(overall, after).value
        rhos.append(np.nan if rho is None else rho)
        turned.append(turn)
    found = (row.rho_spread.low, row.rho_spread.high, row.inversion_spread.low, row.inversion_spread.high)
    assert found == pytest.approx(
        (*np.nanquantile(rhos, (0.025, 0.975)), *np.quantile(np.array(turned, dtype=float), (0.025, 0.975)))
    )
    assert row.rho_spread.mean == row.rho.value


def test_ranks_within_conversations_are_compared_pair_by_pair() -> None:
    """The drop is the mean of the differences, and is nothing without an interruption."""
    clean, shifted = analyse(_outcomes(), draws=200).ranks
    assert (clean.delta_rho.mean, clean.delta_rho_clean.mean) == (0.0, 0.0)
    drop = (clean.rho_by_conversation_clean.mean or 0) - (shifted.rho_by_conversation_clean.mean or 0)
    assert shifted.delta_rho_clean.mean == pytest.approx(drop)
    assert (shifted.delta_rho_clean.low or 0) > 0


def test_one_policy_cannot_be_ordered() -> None:
    """What is undefined says why, and everything else is still told."""
    whole = _outcomes()
    result = analyse(replace(whole, policies=("flat",), hits=whole.hits[:1]), draws=50)
    (_, row) = result.ranks
    assert row.rho_spread.mean is None
    assert "fewer than two" in row.rho_spread.reason
    assert "fewer than two" in row.inversion_spread.reason
    assert row.rho_by_conversation.reason == "no conversation orders the policies"
    assert result.gaps == ()


def test_one_conversation_gives_no_interval_over_conversations() -> None:
    """Agreement is told without one, and why."""
    row = analyse(_outcomes(conversations=1), draws=50).ranks[1]
    assert (row.rho_spread.low, row.inversion_spread.low) == (None, None)
    assert row.rho_spread.mean is not None
    assert row.rho_spread.reason == "one conversation cannot be resampled"


def test_the_published_order_leaves_other_policies_out() -> None:
    """With three lexical policies at hand they are ordered, and all policies once more beside them."""
    whole = _outcomes()
    more = replace(whole, policies=(*whole.policies, "mine"), hits=np.concatenate([whole.hits, whole.hits[:1]]))
    result = analyse(more, draws=50)
    assert result.ranked == ("flat", "gated", "hsr")
    assert [row.rho.n for row in (result.ranks[0], result.ranks_of_all[0])] == [3, 4]
    assert analyse(whole, draws=50).ranks_of_all == ()


def test_a_router_is_judged_against_the_arms_it_had() -> None:
    """Regret is what the best fixed arm, and the best arm each time, would have found more."""
    whole = _outcomes()
    choice = np.zeros((2, len(whole.questions)), dtype=np.int32)
    choice[1, ::2] = 1
    own = np.where(choice == 0, whole.hits[0], whole.hits[1])
    outcomes = replace(
        whole,
        policies=(*whole.policies, "ucb"),
        hits=np.concatenate([whole.hits, own[None]]),
        routed={"ucb": Routed(("flat", "hsr"), choice)},
    )
    clean, shifted = analyse(outcomes, draws=100).routes
    assert (clean.best, clean.regret_fixed.mean, clean.shares) == ("flat", 0.0, {"flat": 1.0, "hsr": 0.0})
    assert (shifted.best, shifted.shares) == ("hsr", {"flat": 0.5, "hsr": 0.5})
    assert shifted.regret_fixed.mean == pytest.approx(whole.hits[1, 1].mean() - own[1].mean())
    oracle = (whole.hits[0, 1] | whole.hits[1, 1]).mean() - own[1].mean()
    assert shifted.regret_oracle.mean == pytest.approx(oracle)
    lost = replace(outcomes, routed={"ucb": Routed(("flat", "elsewhere"), choice)})
    unknown = next(routes(lost))
    assert (unknown.best, "play them too" in unknown.regret_fixed.reason) == (None, True)


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
    played = reported(analyse(outcomes, draws=200), outcomes.spec, dataset="locomo" if beside else "synthetic")
    for line in lines(document(played), everything=True):
        console.print(line)
    said = console.file.getvalue()  # type: ignore[attr-defined] # a StringIO
    assert ("(0.568)" in said) is beside
    assert "flat is highest overall on the clean stream, but hsr is highest after bursts of 100 turns." in said
    assert "flat - hsr" in said
