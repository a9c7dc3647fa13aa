"""Fusion of rankings: by rank, and equals alike."""

from __future__ import annotations

import random
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.retrieval import reciprocal_rank_fusion
from memgauge.retrieval.fusion import ranked_to

if TYPE_CHECKING:
    from memgauge.retrieval.fusion import Scored

SCORES = st.dictionaries(st.integers(0, 9), st.sampled_from([0.5, 1.0, 2.0]))
"""Items and their scores, most of which are equal."""


def ordered(scores: dict[int, float], seed: int = 0) -> list[Scored]:
    """Rank items by score; a seed tells equals apart, as a hash of ids or the order of arrival does."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return sorted(scores.items(), key=lambda pair: (-pair[1], chance.random()))


def test_sums_reciprocal_ranks() -> None:
    """Each list gives 1 / (c + rank), and what two lists agree on wins."""
    fused = reciprocal_rank_fusion([[7, 1, 2], [1, 9]])
    assert [item for item, _ in fused] == [1, 7, 9, 2]
    assert fused[0][1] == pytest.approx(1 / 62 + 1 / 61)
    assert reciprocal_rank_fusion([]) == []


@given(st.lists(st.permutations(range(6)), max_size=5))
def test_does_not_depend_on_the_order_of_lists(rankings: list[list[int]]) -> None:
    """Reversing the lists changes neither scores nor ties."""
    assert reciprocal_rank_fusion(rankings) == reciprocal_rank_fusion(rankings[::-1])


def test_ties_follow_the_given_ranks() -> None:
    """Ties go to the later item, or to the smaller rank given."""
    assert [i for i, _ in reciprocal_rank_fusion([[0, 1], [1, 0]])] == [1, 0]
    assert [i for i, _ in reciprocal_rank_fusion([[0, 1], [1, 0]], tie_ranks=[5, 8])] == [0, 1]


@given(st.lists(SCORES, max_size=4), st.integers())
def test_equal_scores_share_the_mean_of_their_places(rankings: list[dict[int, float]], seed: int) -> None:
    """Each item has the share of that rank, whatever told equals apart."""
    expected = defaultdict[int, float](float)
    for scores in rankings:
        for item, score in scores.items():
            others = list(scores.values())
            mean = sum(other > score for other in others) + (others.count(score) + 1) / 2
            expected[item] += 1 / (60 + mean)
    fused = reciprocal_rank_fusion([ordered(scores, seed) for scores in rankings])
    assert dict(fused) == pytest.approx(expected)
    assert fused == reciprocal_rank_fusion([ordered(scores) for scores in rankings])


@given(SCORES, st.permutations(range(10)), st.integers())
def test_other_ids_give_the_same_scores(scores: dict[int, float], names: list[int], seed: int) -> None:
    """Renaming items renames them in the result, and changes no score."""
    renamed = ordered({names[item]: score for item, score in scores.items()}, seed)
    back = [(names.index(item), score) for item, score in reciprocal_rank_fusion([renamed, renamed])]
    assert dict(back) == dict(reciprocal_rank_fusion([ordered(scores), ordered(scores)]))


@given(SCORES, st.integers(0, 9), st.integers())
def test_what_follows_changes_nothing_above(scores: dict[int, float], spare: int, seed: int) -> None:
    """Items that score less, however many, and absent ones move no share of the others."""
    alone = dict(reciprocal_rank_fusion([ordered(scores, seed)]))
    longer = scores | {10 + n: 0.0 for n in range(spare)}
    assert alone.items() <= dict(reciprocal_rank_fusion([ordered(longer, seed)])).items()
    assert alone == dict(reciprocal_rank_fusion([ordered(scores, seed), []]))


@given(SCORES, st.integers(1, 12), st.integers())
def test_a_depth_cuts_no_equals_apart(scores: dict[int, float], depth: int, seed: int) -> None:
    """What is read to a depth is all that has a rank up to it, whoever of the last equals came first."""
    ranking = ordered(scores, seed)
    whole = {item for item, score in ranking if sum(other > score for _, other in ranking) < depth}
    taken = ranked_to(depth, partial(lambda pairs, k: pairs[:k], ranking))
    assert {item for item, _ in taken} == whole
    assert list(taken) == ranking[: len(taken)]
