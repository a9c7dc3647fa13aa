"""Comparisons: verdicts over conversations, equality within a margin, and refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.errors import ConfigError
from memgauge.measures import Rows
from memgauge.records import Contract
from memgauge.scoring.compare import ComparedPair, compare, compare_all, differences_of
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import DatasetSampling, Settings
from memgauge.stats import Clusters, Resamples, estimates, holm, minimum_detectable
from support import known
from support.handmade import many_questions, two_questions

if TYPE_CHECKING:
    from memgauge.runs.record.store import Run

GOLD = GoldTable.read(many_questions())
SETTINGS = Settings(Contract(), ("nDCG@10", "Hit@5"))


def pair(change: np.ndarray, name: str = "Hit@5") -> tuple[str, Rows, Rows]:
    """Make two columns that differ by *change*."""
    everywhere = np.ones(len(change), dtype=np.bool_)
    return name, Rows(np.zeros(len(change)), everywhere), Rows(change, everywhere)


def sampling(conversations: np.ndarray) -> DatasetSampling:
    """Sample questions of these conversations."""
    return DatasetSampling(Resamples.draw(len(conversations), 0, 50), Clusters.of(conversations))


EIGHT = np.repeat(np.arange(8), 20)
"""Eight conversations of twenty questions."""


def test_a_clear_difference_has_a_verdict_either_way() -> None:
    """Better one way is worse the other way, with mirrored numbers over conversations."""
    change = (np.random.default_rng(1).random(160) < 0.4).astype(np.float64)
    name, a, b = pair(change)
    (there,), _ = differences_of([(name, a, b)], sampling(EIGHT))
    (back,), _ = differences_of([(name, b, a)], sampling(EIGHT))
    assert (there.verdict, back.verdict) == ("better", "worse")
    assert (there.wins, there.losses, back.wins, back.losses) == (change.sum(), 0, 0, change.sum())
    assert [back.difference, back.low, back.high] == pytest.approx(
        [-there.difference, -known(there.high), -known(there.low)]
    )
    assert (there.clusters, there.n, there.test) == (8, 160, "t on CR2 errors")


def test_shares_differ_by_no_more_than_they_can() -> None:
    """The interval of two conversations ends where shares do; that of other values does not."""
    change = np.array([1.0] * 9 + [0.0] * 11 + [0.0] * 20)
    two = sampling(np.repeat(np.arange(2), 20))
    (shares,), _ = differences_of([pair(change)], two)
    (others,), _ = differences_of([pair(change * 3)], two)
    assert (shares.low, shares.high) == (-1.0, 1.0)
    assert known(others.low) < -3
    assert known(others.high) > 3
    assert others.p == pytest.approx(shares.p)


def test_every_measure_is_tested_over_conversations_and_holm_corrects() -> None:
    """Yes-or-no and graded measures get the same test, that of their difference over conversations."""
    rng = np.random.default_rng(2)
    changes = np.stack([rng.integers(-1, 2, 160), rng.normal(0.1, 0.5, 160)], axis=1).astype(np.float64)
    named = [pair(changes[:, 0]), pair(changes[:, 1], "nDCG@10")]
    found, _ = differences_of(named, sampling(EIGHT))
    expected = estimates(changes, Clusters.of(EIGHT))
    assert [d.p for d in found] == pytest.approx([e.p for e in expected])
    assert [d.low for d in found] == pytest.approx([e.low for e in expected])
    assert [d.p_adjusted for d in found] == pytest.approx(holm([known(e.p) for e in expected]))
    assert [d.minimum_detectable for d in found] == pytest.approx([minimum_detectable(e, 2) for e in expected])


def test_a_difference_in_one_conversation_is_no_verdict() -> None:
    """What one of eight conversations alone shows is clear over questions, and not over conversations."""
    (found,), _ = differences_of([pair((EIGHT == 0).astype(np.float64))], sampling(EIGHT))
    assert known(found.question_low) > 0
    assert (found.verdict, known(found.low) < 0) == ("cannot be told apart", True)


def test_not_told_apart_is_not_equal() -> None:
    """Equal within a margin is shown by small differences, not by few questions."""
    rng = np.random.default_rng(3)
    near, vague = rng.normal(0.0, 0.02, 160), rng.normal(0.0, 1.0, 160)
    found, _ = differences_of([pair(near), pair(vague, "nDCG@10")], sampling(EIGHT), margin=0.02)
    assert [d.verdict for d in found] == ["equal within the margin", "cannot be told apart"]
    assert known(found[0].p_equal) < 0.05 < known(found[1].p_equal)
    assert {d.p_equal for d in differences_of([pair(near)], sampling(EIGHT))[0]} == {None}


def test_the_wild_bootstrap_stands_beside() -> None:
    """Rest interval and verdict on the wild cluster bootstrap-t where it was asked for, and give both p-values."""
    change = np.random.default_rng(4).normal(0.2, 0.5, 160)
    (plain,), _ = differences_of([pair(change)], sampling(EIGHT))
    (wild,), _ = differences_of([pair(change)], sampling(EIGHT), method="wild")
    assert (plain.p_wild, plain.p) == (None, wild.p)
    assert wild.p_wild == pytest.approx(plain.p, abs=0.05)
    assert (wild.p_adjusted, wild.test) == (wild.p_wild, "wild cluster bootstrap-t")
    assert wild.low == pytest.approx(plain.low, abs=0.05)
    assert plain.minimum_detectable is not None
    assert wild.minimum_detectable is None  # what would be detectable is the t-test's


def test_several_comparisons_are_corrected_together(runs: dict[str, Run]) -> None:
    """Whoever reads them all looks for a difference in each: Holm runs over all measures of all pairs."""
    first, *others = (runs[name] for name in ("many Backwards", "many random", "many Notebook"))
    alone = [compare(first, other, GOLD, SETTINGS) for other in others]
    together = compare_all([ComparedPair(first, other, GOLD, SETTINGS) for other in others])
    plain = [each.p for made in alone for each in made.differences]
    assert [each.p for made in together for each in made.differences] == plain
    corrected = iter(holm([p for p in plain if p is not None]).tolist())
    expected = [None if p is None else next(corrected) for p in plain]
    assert [each.p_adjusted for made in together for each in made.differences] == pytest.approx(expected)
    assert {made.together for made in together} == {len(others)}
    assert {made.together for made in alone} == {1}


def test_a_margin_that_holds_everything_is_refused(runs: dict[str, Run]) -> None:
    """Two shares never differ by more than 1, so that equality within 1 says nothing."""
    with pytest.raises(ConfigError, match="Any two runs are equal within 1"):
        compare(runs["many Backwards"], runs["many Notebook"], GOLD, SETTINGS, margin=1.0)


def test_equal_runs_are_called_the_same(runs: dict[str, Run]) -> None:
    """Without a difference there is no p-value, and the reason says so."""
    same = compare(runs["many Notebook"], runs["many Notebook"], GOLD, SETTINGS)
    assert {(d.verdict, d.p, d.p_adjusted, d.difference, d.low) for d in same.differences} == {
        ("the same on every question", None, None, 0.0, None),
    }  # fmt: skip
    assert {d.reason for d in same.differences} == {"both have the same value on every question"}
    assert {d.minimum_detectable for d in same.differences} == {None}


def test_one_conversation_has_no_verdict(runs: dict[str, Run]) -> None:
    """One conversation gives no interval, no test, no detectable difference and no verdict, and says why."""
    two = compare(
        runs["two Notebook"],
        runs["two Backwards"],
        GoldTable.read(two_questions()),
        Settings(Contract(), ("Hit@5",)),
        margin=0.5,
    )
    (found,) = two.differences
    assert (found.verdict, found.wins, found.losses) == ("no verdict", 1, 1)
    assert {found.p, found.p_equal, found.low, found.se, found.minimum_detectable} == {None}
    assert found.reason == "one conversation cannot say how much conversations differ"


def test_a_question_of_one_side_counts_for_no_interval() -> None:
    """Over questions and over conversations a difference is that of the questions that both sides have."""
    change, shared = np.random.default_rng(6).normal(size=160), np.arange(160) % 3 > 0
    name, a, b = pair(change)
    (found,), unpaired = differences_of([(name, replace(a, defined=shared), b)], sampling(EIGHT))
    (over_conversations,) = estimates(change[:, None], Clusters.of(EIGHT), shared[:, None])
    over_questions = Resamples.draw(160, 0, 50).interval(change, defined=shared)
    assert (found.low, found.n, unpaired) == (over_conversations.low, shared.sum(), (~shared).sum())
    assert (found.question_low, found.question_high) == (over_questions.low, over_questions.high)


def test_questions_of_one_side_are_counted_and_left_out(runs: dict[str, Run]) -> None:
    """A measure undefined for one run leaves its questions unpaired; without any pair there is no comparison."""
    settings = Settings(Contract(), ("Hit@5", "Precision(conv=returned)@5"))
    found = compare(runs["many Nothing"], runs["many Notebook"], GOLD, settings)
    assert [d.measure for d in found.differences] == ["Hit@5"]
    assert found.unpaired == 24
    with pytest.raises(ConfigError, match="share no scored question"):
        compare(runs["many Failing"], runs["many Notebook"], GOLD, SETTINGS)
