"""What is inferred of a board is kept by the values of its rows, to the last digit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.measures import Rows
from memgauge.scoring.ended import ShortLists
from memgauge.scoring.score import DatasetSampling
from memgauge.stats import Clusters, Resamples
from memgauge.submissions.boards.build import build_boards
from memgauge.submissions.boards.inference import FOLDER, Inferences, ObservedRows, rank

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.submissions.site.registry_view import RegistryView


@pytest.fixture(scope="module")
def observed(small_view: RegistryView) -> ObservedRows:
    """Take the rows of every entrant on one dataset."""
    name, gold = next(iter(small_view.ledger.golds.items()))
    rows = {each.id: each.rows[name] for each in small_view.entrants if name in each.rows}
    measure = next(iter(next(iter(rows.values())).scores))
    valued = {who: row.rows(measure) for who, row in rows.items()}
    costs = {who: row.tokens for who, row in rows.items() if row.tokens is not None}
    return ObservedRows(valued, costs, next(iter(valued)), DatasetSampling.of(gold))


def test_boards_are_the_same_with_and_without_what_was_kept(small_view: RegistryView, tmp_path: Path) -> None:
    """Kept at first, then read, then made again where a file was spoilt."""
    view = small_view
    anew = build_boards(view.repository, view.ledger, view.entrants)
    for _ in range(2):
        assert build_boards(view.repository, view.ledger, view.entrants, tmp_path) == anew
    kept = sorted((tmp_path / FOLDER).iterdir())
    assert kept
    kept[0].write_text(kept[0].read_text("utf-8").replace("1", "2"), "utf-8")
    assert build_boards(view.repository, view.ledger, view.entrants, tmp_path) == anew


def test_what_was_kept_of_other_rows_is_not_used(observed: ObservedRows, tmp_path: Path) -> None:
    """Another value, cost, baseline or order is another inference."""
    first = Inferences(tmp_path).of(observed, "board")
    assert first == Inferences().of(observed, "board")
    others = [
        replace(observed, costs={name: cost + 1 for name, cost in observed.costs.items()}),
        replace(observed, baseline=""),
        replace(observed, short=dict.fromkeys(observed.valued, ShortLists(60, 250, 90))),
        replace(observed, valued=dict(list(observed.valued.items())[1:]), baseline="", costs={}),
    ]
    assert len({each.digest for each in (observed, *others)}) == 1 + len(others)
    for other in others:
        assert Inferences(tmp_path).of(other, "board") == Inferences().of(other, "board") != first


def test_rows_are_ranked_on_the_questions_that_all_of_them_have() -> None:
    """What one row finds where the other has no value moves nobody's place."""
    asked = np.arange(240) % 2 == 0
    sampling = DatasetSampling(Resamples.draw(240, 0, 20), Clusters.of(np.arange(240) // 20))
    better = Rows(np.where(asked, 0.8, 0.0), asked)
    worse = Rows(np.where(asked, 0.2, 1.0), np.ones(240, dtype=np.bool_))
    sets = rank(ObservedRows({"worse": worse, "better": better}, {}, "", sampling)).sets
    assert (sets["better"].low, sets["worse"].low) == (1, 2)


def test_what_could_be_seen_is_of_the_two_best_rows() -> None:
    """In whatever order rows come, and whatever the others find."""
    chance = np.random.default_rng(0)
    sampling = DatasetSampling(Resamples.draw(240, 0, 20), Clusters.of(np.arange(240) // 20))
    rows = {
        share: Rows((chance.random(240) < share).astype(float), np.ones(240, dtype=np.bool_))
        for share in (0.9, 0.7, 0.1, 0.0)
    }
    orders = [(0.9, 0.7, 0.1), (0.1, 0.7, 0.9), (0.7, 0.0, 0.9)]
    observed = [ObservedRows({str(share): rows[share] for share in order}, {}, "", sampling) for order in orders]
    assert len({rank(each).detectable for each in observed}) == 1


def test_boards_of_the_same_rows_at_other_costs_rank_alike(observed: ObservedRows, tmp_path: Path) -> None:
    """Costs move fronts, and nobody's place: the rows are ranked once for all boards of a build."""
    inferences = Inferences(tmp_path)
    dearer = replace(observed, costs={name: 1 / (1 + cost) for name, cost in observed.costs.items()})
    first, second = inferences.of(observed, "tokens"), inferences.of(dearer, "p95")
    assert first.ranking == second.ranking
    assert first.fronts != second.fronts
    assert second == Inferences().of(dearer, "p95")
