"""Comparisons: verdicts, tests by kind of measure, and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, IdentityError, UnknownNameError
from memgauge.records import Contract
from memgauge.runs.manifest import Limits
from memgauge.scoring.compare import compare, require_comparable
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import Settings
from memgauge.stats import holm, mcnemar
from support_data import many_questions, planned, two_questions

if TYPE_CHECKING:
    from memgauge.runs.store import Run

GOLD = GoldTable.read(many_questions())
SETTINGS = Settings(Contract(), ("nDCG@10", "Hit@5"))


def test_a_clear_difference_has_a_verdict_either_way(runs: dict[str, Run]) -> None:
    """Better one way is worse the other way, with mirrored numbers."""
    there = compare(runs["many Backwards"], runs["many Notebook"], GOLD, SETTINGS)
    back = compare(runs["many Notebook"], runs["many Backwards"], GOLD, SETTINGS)
    assert (there.a, there.b, there.factor, there.unpaired) == ("Backwards", "Notebook", "system", 0)
    assert [d.verdict for d in there.differences] == ["better", "better"]
    assert [d.verdict for d in back.differences] == ["worse", "worse"]
    one, other = there.differences[1], back.differences[1]
    assert (one.a, one.b, one.difference, one.low, one.high) == (0.0, 1.0, 1.0, 1.0, 1.0)
    assert (one.n, one.wins, one.losses, other.wins, other.losses) == (24, 24, 0, 0, 24)
    assert (one.cluster_low, one.cluster_high) == (1.0, 1.0)
    assert other.difference == -1.0


def test_the_test_follows_the_kind_of_measure(runs: dict[str, Run]) -> None:
    """Yes-or-no measures get McNemar, graded ones Wilcoxon; Holm corrects over both."""
    graded, binary = compare(runs["many Backwards"], runs["many Notebook"], GOLD, SETTINGS).differences
    assert (graded.test, binary.test) == ("Wilcoxon signed-rank", "McNemar exact")
    assert binary.p == mcnemar([1] * 24, [0] * 24).p
    assert [graded.p_adjusted, binary.p_adjusted] == holm([graded.p or 0.0, binary.p or 0.0]).tolist()


def test_equal_runs_are_not_distinguishable(runs: dict[str, Run]) -> None:
    """Without a difference there is no p-value, and the reason says so."""
    same = compare(runs["many Notebook"], runs["many Notebook"], GOLD, SETTINGS)
    assert {(d.verdict, d.p, d.p_adjusted, d.difference) for d in same.differences} == {
        ("not distinguishable", None, None, 0.0),
    }  # fmt: skip
    assert {d.reason for d in same.differences} == {"no discordant pair"}


def test_few_questions_show_nothing(runs: dict[str, Run]) -> None:
    """Two questions, one won by each side, say nothing; one conversation has no interval over conversations."""
    two = compare(
        runs["two Notebook"],
        runs["two Backwards"],
        GoldTable.read(two_questions()),
        Settings(Contract(), ("Hit@5",)),
    )
    (found,) = two.differences
    assert (found.verdict, found.wins, found.losses, found.p) == ("not distinguishable", 1, 1, 1.0)
    assert found.cluster_low is None
    assert found.minimum_detectable is not None
    assert found.minimum_detectable > 1


def test_questions_of_one_side_are_counted_and_left_out(runs: dict[str, Run]) -> None:
    """A measure undefined for one run leaves its questions unpaired; without any pair there is no comparison."""
    settings = Settings(Contract(), ("Hit@5", "Precision(conv=returned)@5"))
    found = compare(runs["many Nothing"], runs["many Notebook"], GOLD, settings)
    assert [d.measure for d in found.differences] == ["Hit@5"]
    assert found.unpaired == 24
    with pytest.raises(ConfigError, match="share no scored question"):
        compare(runs["many Failing"], runs["many Notebook"], GOLD, SETTINGS)


def test_runs_that_differ_elsewhere_are_refused_with_every_difference() -> None:
    """The message names each part with both values."""
    (a,) = planned(two_questions(), "support_systems:Notebook").cells
    (b,) = planned(
        many_questions(), "support_systems:Backwards", limits=Limits(k=5), seed=3
    ).cells  # fmt: skip
    with pytest.raises(IdentityError) as caught:
        require_comparable(a.manifest, b.manifest, "system")
    text = str(caught.value)
    assert "differ in more than the system" in text
    for part in ("dataset: handmade (", "limits: k=60", "against k=5", "seed: 0 against 3"):
        assert part in text
    assert "Backwards" not in text.split("(", maxsplit=1)[1]


def test_the_declared_factor_may_differ() -> None:
    """Two seeds are comparable as seeds and not as systems."""
    (a,) = planned(two_questions(), "support_systems:Notebook").cells
    (b,) = planned(two_questions(), "support_systems:Notebook", seed=3).cells
    require_comparable(a.manifest, b.manifest, "seed")
    with pytest.raises(IdentityError):
        require_comparable(a.manifest, b.manifest, "system")
    with pytest.raises(UnknownNameError, match="Did you mean seed"):
        require_comparable(a.manifest, b.manifest, "seeds")
