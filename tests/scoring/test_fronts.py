"""Fronts: who finds more for the same cost, and whether that is more than noise."""

from __future__ import annotations

import numpy as np

from memgauge.measures import Rows
from memgauge.scoring.score import DatasetSampling
from memgauge.stats import Clusters, Resamples
from memgauge.scoring.fronts import FrontStanding, front

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
