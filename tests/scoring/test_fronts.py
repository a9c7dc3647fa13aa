"""Fronts: who finds more for the same cost, and whether that is more than noise."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memgauge.measures import Rows
from memgauge.scoring.compare import differences_of
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.fronts import FrontPlace, FrontStanding, front
from memgauge.scoring.score import DatasetSampling
from memgauge.stats import Clusters, Resamples

CONVERSATIONS, EACH = 10, 20
SAMPLING = DatasetSampling(
    Resamples.draw(CONVERSATIONS * EACH, seed=1, draws=50), Clusters.of(np.repeat(np.arange(CONVERSATIONS), EACH))
)


def rows(mean: float, seed: int) -> Rows:
    """Draw what each question is worth."""
    values = np.random.default_rng(seed).binomial(1, mean, CONVERSATIONS * EACH).astype(np.float64)
    return Rows(values, np.ones(len(values), dtype=np.bool_))


def test_who_is_dearer_and_clearly_worse_is_behind() -> None:
    """Who is cheapest, and who finds most, are on the front; between them noise and truth are told apart."""
    values = {"cheap": rows(0.3, 1), "best": rows(0.9, 2), "dear": rows(0.5, 3)}
    placed = front({"cheap": 1.0, "best": 2.0, "dear": 3.0}, values, SAMPLING)
    assert placed["cheap"].standing is FrontStanding.FRONT
    assert placed["best"].standing is FrontStanding.FRONT
    assert placed["dear"].standing is FrontStanding.BEHIND
    assert placed["dear"].beside == "best"
    assert placed["dear"].low is not None
    assert placed["dear"].low > 0


def test_who_may_be_as_good_is_near() -> None:
    """A difference that these conversations cannot show is none to be behind for."""
    values = {"first": rows(0.5, 4), "second": rows(0.5, 5)}
    means = {name: each.values.mean() for name, each in values.items()}
    better = max(means, key=means.__getitem__)
    placed = front({name: 1.0 if name == better else 2.0 for name in values}, values, SAMPLING)
    (other,) = set(values) - {better}
    assert placed[other].standing is FrontStanding.NEAR


def test_equals_stand_behind_nobody_who_costs_more() -> None:
    """Of two that find the same, the cheaper one is on the front, and both are where they cost the same."""
    same = rows(0.5, 6)
    placed = front({"a": 1.0, "b": 2.0}, {"a": same, "b": same}, SAMPLING)
    assert [placed[name].standing for name in "ab"] == [FrontStanding.FRONT, FrontStanding.NEAR]
    placed = front({"a": 1.0, "b": 1.0}, {"a": same, "b": same}, SAMPLING)
    assert {each.standing for each in placed.values()} == {FrontStanding.FRONT}


def test_who_may_find_more_below_k_is_behind_nobody() -> None:
    """Nor is anybody on the front for sure who costs as much or more; who costs less is."""
    values = {"cheap": rows(0.3, 1), "cut": rows(0.2, 7), "best": rows(0.9, 2), "dear": rows(0.5, 3)}
    costs = {"cheap": 1.0, "cut": 2.0, "best": 3.0, "dear": 4.0}
    assert front(costs, values, SAMPLING)["cut"].standing is FrontStanding.BEHIND
    placed = front(costs, values, SAMPLING, short={"cut"})
    assert [(name, each.standing, each.beside) for name, each in placed.items()] == [
        ("cheap", FrontStanding.FRONT, ""),
        ("cut", FrontStanding.NEAR, "cheap"),
        ("best", FrontStanding.NEAR, "cut"),
        ("dear", FrontStanding.BEHIND, "best"),
    ]


def definitions(
    costs: dict[str, float], values: dict[str, Rows], sampling: DatasetSampling
) -> dict[str, FrontPlace]:
    """Place lanes as fronts are defined: each beside everybody who costs no more and finds more, all corrected."""
    means = {name: float(each.values[each.defined].mean()) for name, each in values.items()}
    pairs = [
        (key, other)
        for key in costs
        for other in costs
        if costs[other] <= costs[key]
        and (means[other], -costs[other]) > (means[key], -costs[key])
        and means[other] >= means[key]
    ]
    named = [(f"{key} {other}", values[key], values[other]) for key, other in pairs]
    compared = {each.measure: each for each in differences_of(named, sampling)[0]}

    def more(key: str, other: str) -> float:
        both = values[key].defined & values[other].defined
        return fsum((values[other].values - values[key].values)[both].tolist()) / int(both.sum())

    def placed(key: str) -> FrontPlace:
        ahead = [other for each, other in pairs if each == key]
        if not ahead:
            return FrontPlace(FrontStanding.FRONT, costs[key])
        better = [other for other in ahead if compared[f"{key} {other}"].verdict is Conclusion.BETTER]
        other = max(better or ahead, key=lambda each: more(key, each))
        best, standing = compared[f"{key} {other}"], FrontStanding.BEHIND if better else FrontStanding.NEAR
        return FrontPlace(standing, costs[key], other, best.difference, best.low, best.high)

    return {key: placed(key) for key in costs}


@given(seed=st.integers(0, 2**32 - 1), lanes=st.integers(1, 9), homes=st.integers(1, 8), whole=st.booleans())
@example(seed=299879772, lanes=8, homes=2, whole=False)  # two that find as much more, whose sums are rounded apart
def test_fronts_are_what_their_definition_says(seed: int, lanes: int, homes: int, whole: bool) -> None:
    """Compared all at once or one by one, with gaps or without, a lane stands where it stands."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 60))
    clusters = Clusters.of(rng.integers(0, homes, n))
    sampling = DatasetSampling(Resamples.draw(n, seed=1, draws=20), clusters)
    defined = rng.random((lanes, n)) < (1.0 if whole else 0.9)
    defined[:, 0] = True
    drawn = np.clip(rng.random(n) + rng.normal(0, 0.3, (lanes, n)) + rng.normal(0, 0.3, (lanes, 1)), 0, 1)
    values = {
        str(lane): Rows(np.where(defined[lane], drawn[lane].round(1), 0.0), defined[lane]) for lane in range(lanes)
    }
    costs = {name: float(rng.integers(1, 5)) for name in values}
    placed, defined_as = front(costs, values, sampling), definitions(costs, values, sampling)
    for name in costs:
        own, wanted = placed[name], defined_as[name]
        assert (own.standing, own.beside) == (wanted.standing, wanted.beside)
        for a, b in ((own.difference, wanted.difference), (own.low, wanted.low), (own.high, wanted.high)):
            assert a == pytest.approx(b) if b is not None else a is None
