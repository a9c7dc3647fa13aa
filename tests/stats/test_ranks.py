"""Rank agreement against scipy and a published table; rank sets against Holm over pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.stats import (
    Agreement,
    Clusters,
    RankSet,
    estimates,
    holm,
    inversion,
    kendall,
    rank_sets,
    ranks,
    spearman,
)
from memgauge.stats.clusters import ClusterSums, squares_of
from memgauge.stats.ranks import NO_COMPARISON
from support import Later, known

if TYPE_CHECKING:
    from collections.abc import Callable

scipy = Later("scipy")
OVERALL = [0.568, 0.504, 0.461, 0.596, 0.682]
CLEAN = [0.571, 0.506, 0.483, 0.605, 0.676]
INTERRUPTED = [0.359, 0.348, 0.478, 0.345, 0.371]
"""ShiftBench, Table 1: Flat, Gated, HSR, RaptorTree, Fusion."""

columns = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=15)


def test_the_published_table() -> None:
    """Reproduce the rank correlation and the inversion rate of ShiftBench's Table 1."""
    assert spearman(OVERALL, INTERRUPTED).value == pytest.approx(-0.3)
    assert inversion(OVERALL, INTERRUPTED) == Agreement(0.6, 5)
    assert spearman(OVERALL, CLEAN).value == pytest.approx(1.0)
    assert inversion(OVERALL, CLEAN) == Agreement(0.0, 5)


@given(columns)
def test_correlations_equal_scipy(pairs: list[tuple[int, int]]) -> None:
    """Give scipy's values under ties, and a reason where a column is constant."""
    a, b = np.array(pairs, dtype=np.float64).T
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        assert spearman(a, b) == kendall(a, b) == Agreement(None, len(pairs), "all values of one are the same")
    else:
        assert spearman(a, b).value == pytest.approx(scipy.stats.spearmanr(a, b).statistic)
        assert kendall(a, b).value == pytest.approx(scipy.stats.kendalltau(a, b).statistic)


@given(columns)
def test_inversion_counts_discordant_pairs(pairs: list[tuple[int, int]]) -> None:
    """Count pairs ordered differently, over all pairs, whichever column comes first."""
    n = len(pairs)
    discordant = sum((p[0] - q[0]) * (p[1] - q[1]) < 0 for i, p in enumerate(pairs) for q in pairs[:i])
    a, b = zip(*pairs, strict=True)
    assert inversion(a, b).value == pytest.approx(discordant / (n * (n - 1) / 2))
    assert inversion(a, b) == inversion(b, a)


@pytest.mark.parametrize("agreement", [spearman, kendall, inversion])
@pytest.mark.parametrize("kind", [np.bool_, np.uint8])
def test_numbers_of_any_type_are_ordered_as_numbers(
    agreement: Callable[[np.ndarray, np.ndarray], Agreement], kind: type
) -> None:
    """Verdicts and small counts have differences below 0, which their types do not hold."""
    a, b = np.array([[1, 0, 0, 1, 1], [0, 1, 0, 1, 0]])
    assert agreement(a.astype(kind), b.astype(kind)) == agreement(a, b)


@pytest.mark.parametrize("agreement", [spearman, kendall, inversion])
def test_one_thing_has_no_order(agreement: Callable[[list[float], list[float]], Agreement]) -> None:
    """Give a reason for fewer than two things, and refuse columns that do not pair."""
    assert agreement([1.0], [1.0]) == Agreement(None, 1, "fewer than two to order")
    with pytest.raises(ValueError, match="one shape"):
        agreement([1.0], [1.0, 2.0])


def scores(*rates: float, n: int = 400) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Make binary values with exactly these means, unrelated across systems."""
    rng = np.random.default_rng(9)
    return np.column_stack([rng.permutation((np.arange(n) < r * n).astype(np.float64)) for r in rates])


QUESTIONS = Clusters.of(np.arange(400))


def test_ranks_that_can_be_told_apart() -> None:
    """Give systems that differ ranks that do not overlap, in the order of means; others share theirs."""
    ranks = rank_sets(["c", "a", "b", "d"], scores(0.3, 0.9, 0.88, 0.31), QUESTIONS)
    assert ranks == {"a": RankSet(1, 2), "b": RankSet(1, 2), "d": RankSet(3, 4), "c": RankSet(3, 4)}
    assert list(ranks) == ["a", "b", "d", "c"]


def test_ranks_of_neighbours_may_chain() -> None:
    """Let the middle share a rank with both sides where only the ends differ: no group has to be chosen."""
    values = np.random.default_rng(2).normal(size=(400, 3))
    values = (values - values.mean(axis=0)) / values.std(axis=0) + [0.0, 0.12, 0.24]
    assert rank_sets(["x", "y", "z"], values, QUESTIONS) == {
        "z": RankSet(1, 2),
        "y": RankSet(1, 3),
        "x": RankSet(2, 3),
    }


def test_equals_share_all_ranks() -> None:
    """Leave every rank open between systems with the very same values, by name."""
    values = np.repeat(scores(0.5), 3, axis=1)
    assert list(rank_sets(["z", "y", "x"], values, QUESTIONS).items()) == [
        (name, RankSet(1, 3, NO_COMPARISON)) for name in "xyz"
    ]


def test_holm_over_all_pairs() -> None:
    """Exclude exactly the ranks that Holm over the p-values of all pairs excludes, rows missing or not."""
    rng = np.random.default_rng(11)
    clusters = Clusters.of(np.repeat(np.arange(10), 20))
    values = rng.normal(np.arange(5) * 0.12, 1.0, (200, 5))
    for defined in (np.ones(values.shape, dtype=np.bool_), rng.random(values.shape) < 0.9):
        pairs = [(i, j) for i in range(5) for j in range(i)]
        tests = [
            estimates(values[:, [i]] - values[:, [j]], clusters, defined[:, [i]] & defined[:, [j]])[0]
            for i, j in pairs
        ]
        low, high = np.ones(5, dtype=int), np.full(5, 5)
        for (i, j), test, p in zip(pairs, tests, holm([known(t.p) for t in tests]), strict=True):
            if p < 0.05:
                better, worse = (i, j) if known(test.mean) > 0 else (j, i)
                low[worse] += 1
                high[better] -= 1
        ranks = rank_sets("abcde", values, clusters, defined)
        assert [(ranks[s].low, ranks[s].high) for s in "abcde"] == list(zip(low, high, strict=True))
        assert (low > 1).any()


def test_only_shared_questions_are_compared() -> None:
    """Compare two systems where both are defined: without a shared question every rank stays open."""
    values = np.array([[1.0, 9.0], [1.0, 9.0], [9.0, 0.0], [9.0, 0.0]])
    ranks = rank_sets(["a", "b"], values, Clusters.of([0, 1, 2, 3]), values < 9)
    assert set(ranks.values()) == {RankSet(1, 2, NO_COMPARISON)}


def test_one_conversation_cannot_separate() -> None:
    """Leave every rank open when there is one conversation, and say why."""
    ranks = rank_sets(["a", "b"], scores(0.1, 0.9), Clusters.of(np.zeros(400)))
    assert set(ranks.values()) == {RankSet(1, 2, NO_COMPARISON)}


def test_a_difference_in_one_conversation_is_none() -> None:
    """A difference that lives in one of four conversations is clear over questions and not over conversations."""
    conversations = np.repeat(np.arange(4), 50)
    values = np.stack([np.where(conversations == 0, 1.0, 0.5), np.full(200, 0.5)], axis=1)
    assert rank_sets(["a", "b"], values, Clusters.of(np.arange(200)))["b"] == RankSet(2, 2)
    assert rank_sets(["a", "b"], values, Clusters.of(conversations))["b"] == RankSet(1, 2)


def test_nonsense_is_refused() -> None:
    """Refuse repeated names and systems without values; a system alone has rank 1."""
    with pytest.raises(ValueError, match="distinct names"):
        rank_sets(["a", "a"], scores(0.1, 0.9), QUESTIONS)
    with pytest.raises(ValueError, match="no place"):
        rank_sets(["a"], scores(0.1), QUESTIONS, defined=np.zeros((400, 1), dtype=np.bool_))
    assert rank_sets(["a"], scores(0.1), QUESTIONS) == {"a": RankSet(1, 1)}


def test_who_may_be_better_than_its_values_is_below_nobody() -> None:
    """It may hold every better rank and ties with the first, and moves nobody down who was shown to be better."""
    values, names = scores(0.9, 0.6, 0.3, 0.1), list("abcd")
    sure = rank_sets(names, values, QUESTIONS)
    assert [(each.low, each.high, each.group) for each in sure.values()] == [(n, n, n) for n in range(1, 5)]
    sets = rank_sets(names, values, QUESTIONS, may_gain={"c"})
    assert [(each.low, each.high, each.group) for each in sets.values()] == [
        (1, 2, 1),
        (2, 3, 2),
        (1, 3, 1),
        (4, 4, 3),
    ]


def test_who_may_be_worse_than_its_values_is_above_nobody() -> None:
    """It may hold every worse rank, and whoever was shown to be worse may hold its."""
    sets = rank_sets(list("abcd"), scores(0.9, 0.6, 0.3, 0.1), QUESTIONS, may_lose={"b"})
    assert [(each.low, each.high) for each in sets.values()] == [(1, 1), (2, 4), (2, 3), (3, 4)]


@given(st.integers(0, 99), st.sets(st.sampled_from("abcde")), st.sets(st.sampled_from("abcde")))
def test_what_may_be_otherwise_only_widens(seed: int, gain: set[str], lose: set[str]) -> None:
    """No rank is left out that was not left out before."""
    clusters = Clusters.of(np.repeat(np.arange(10), 6))
    values = np.random.default_rng(seed).normal(np.arange(5) * 0.5, 1.0, (60, 5))
    sure, sets = (
        rank_sets("abcde", values, clusters, may_gain=gain if open_ else (), may_lose=lose if open_ else ())
        for open_ in (False, True)
    )
    for name in "abcde":
        assert sets[name].low <= sure[name].low <= sure[name].high <= sets[name].high
        assert name not in gain or (sets[name].low, sets[name].group) == (1, 1)
        assert name not in lose or sets[name].high == 5


def test_a_tie_group_holds_whoever_is_not_shown_to_be_worse_than_its_best() -> None:
    """Groups begin with the best mean left, so that noise puts nobody before one who finds more."""
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(20), 10)
    hard = rng.normal(0, 0.1, 20)[labels]
    steady = {"best": 0.9, "good": 0.6, "poor": 0.1}
    columns = {name: mean + hard + rng.normal(0, 0.01, 200) for name, mean in steady.items()}
    columns["noisy"] = 0.58 + rng.normal(0, 1.5, 20)[labels]
    names = list(columns)
    sets = rank_sets(names, np.stack([columns[name] for name in names], axis=1), Clusters.of(labels))
    assert {name: each.group for name, each in sets.items()} == {"best": 1, "noisy": 1, "good": 2, "poor": 3}


def test_pairs_are_compared_in_portions_without_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many differences are held at once changes no set."""
    rng = np.random.default_rng(2)
    values = np.clip(rng.normal(np.linspace(0.2, 0.8, 12), 0.3, (60, 12)), 0, 1).round(1)
    clusters, names = Clusters.of(np.repeat(np.arange(6), 10)), [f"s{n}" for n in range(12)]
    whole = rank_sets(names, values, clusters)
    monkeypatch.setattr(ranks, "CELLS", 61)
    again = rank_sets(names, values, clusters)
    assert again == whole
    assert {name: each.group for name, each in again.items()} == {name: each.group for name, each in whole.items()}


@given(
    seed=st.integers(0, 999),
    noise=st.sampled_from([0.0, 1e-16, 1e-13, 1e-12, 3e-11, 1e-9, 1.0]),
    base=st.sampled_from([0.0, 1.0, 1e9]),
)
def test_the_largest_difference_is_looked_for_only_where_it_decides(seed: int, noise: float, base: float) -> None:
    """However near two systems are, the p-value is that of the differences that there are, to the byte."""
    rng = np.random.default_rng(seed)
    common = base + rng.integers(0, 2, (30, 1))
    values = np.asarray(common + noise * rng.integers(-2, 3, (30, 5)), dtype=np.float64)
    clusters = Clusters.of(rng.integers(0, 4, 30))
    pairs = ranks._Pairs(values, clusters, None)
    single = ClusterSums.of(values, clusters)
    for first, second, means, p in pairs.compared():
        largest = np.abs(values[:, first] - values[:, second]).max(axis=0)
        sums = single.sums[:, first] - single.sums[:, second]
        squares = squares_of(values[:, first] - values[:, second], clusters)
        expected = ClusterSums(sums, single.sizes, largest, squares).tests()
        assert (means.tobytes(), p.tobytes()) == (expected[0].tobytes(), expected[1].tobytes())


def test_who_is_better_than_one_that_is_better_is_better() -> None:
    """All, half and nothing: that all beats nothing, by 1 on every row, five conversations alone do not show."""
    rng = np.random.default_rng(5)
    half = np.repeat([0.4, 0.5, 0.6, 0.5, 0.5], 20) + rng.normal(0, 0.02, 100)
    values = np.stack([np.ones(100), half, np.zeros(100)], axis=1)
    clusters = Clusters.of(np.arange(100) // 20)
    assert rank_sets(["all", "nothing"], values[:, [0, 2]], clusters)["nothing"] == RankSet(1, 2)
    sets = rank_sets(["all", "half", "nothing"], values, clusters)
    assert {name: (each.low, each.high) for name, each in sets.items()} == {
        "all": (1, 1),
        "half": (2, 2),
        "nothing": (3, 3),
    }


@given(seed=st.integers(0, 999), systems=st.integers(2, 8), gaps=st.booleans())
def test_who_alone_may_be_first_is_first(seed: int, systems: int, gaps: bool) -> None:
    """Whoever is second at best has somebody above, and at the end of that way stands the first."""
    rng = np.random.default_rng(seed)
    values = np.round(rng.random((40, systems)) * 0.5 + np.arange(systems) * rng.choice([0.0, 0.1, 0.3]), 1)
    names, clusters = [f"s{n}" for n in range(systems)], Clusters.of(np.arange(40) // 8)
    sets = rank_sets(names, values, clusters, rng.random(values.shape) < (0.9 if gaps else 2))
    firsts = [each for each in sets.values() if each.low == 1]
    assert len(firsts) > 1 or firsts[0].high == 1


@given(seed=st.integers(0, 99), systems=st.integers(2, 9), gaps=st.booleans(), steps=st.integers(1, 4))
def test_sets_do_not_depend_on_how_many_pairs_are_held(seed: int, systems: int, gaps: bool, steps: int) -> None:
    """One pair at a time, compared twice, or all at once: those that Holm rejects over all pairs."""
    rng = np.random.default_rng(seed)
    values = np.asarray(np.round(rng.random((40, systems)) + np.arange(systems) * 0.3, steps), dtype=np.float64)
    clusters, names = Clusters.of(np.arange(40) // 4), [f"s{n}" for n in range(systems)]
    defined = rng.random(values.shape) < (0.9 if gaps else 2)
    whole = rank_sets(names, values, clusters, defined)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memgauge.stats.ranks.CELLS", 1)
        assert rank_sets(names, values, clusters, defined) == whole
    pairs = [(a, b) for a in range(systems) for b in range(a + 1, systems)]
    differences = np.stack([values[:, a] - values[:, b] for a, b in pairs], axis=1)
    both = np.stack([defined[:, a] & defined[:, b] for a, b in pairs], axis=1)
    estimated = estimates(differences, clusters, both)
    apart = holm([1.0 if each.p is None else each.p for each in estimated]) < 0.05
    for place, name in enumerate(names):
        shown = [(pair, each.mean or 0.0) for pair, each, ok in zip(pairs, estimated, apart, strict=True) if ok]
        above = sum((mean < 0 and a == place) or (mean > 0 and b == place) for (a, b), mean in shown)
        below = sum((mean > 0 and a == place) or (mean < 0 and b == place) for (a, b), mean in shown)
        assert (whole[name].low, whole[name].high) == (1 + above, systems - below)


@pytest.mark.parametrize("sizes", [(19, 20, 21), (20, 20, 20), (19, 20, 21, 20), (18, 20, 21, 19, 22)])
def test_equal_systems_have_no_border(sizes: tuple[int, ...]) -> None:
    """Few conversations of almost one size, in which ten equal systems each miss few: at most 5 % show a border.

    Sums of conversations are whole numbers, so that some of the pairs agree everywhere by chance; with errors over
    conversations alone more than half of three conversations showed one.
    """
    rng, boards, borders = np.random.default_rng(20261127), 200, 0
    clusters, names = Clusters.of(np.repeat(np.arange(len(sizes)), sizes)), [f"s{n}" for n in range(10)]
    for _ in range(boards):
        values = (rng.random((sum(sizes), len(names))) >= 0.05).astype(np.float64)
        borders += any((each.low, each.high) != (1, 10) for each in rank_sets(names, values, clusters).values())
    assert borders <= 0.05 * boards
