"""What quality costs: every ranked system stands somewhere, and what nobody knows of a cost is no number."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.frame.options import ScoreOptions
from memgauge.measures import Rows
from memgauge.results import plain
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.conversation_costs import money_by_conversation
from memgauge.runs.record.pricing import priced
from memgauge.runs.record.store import load
from memgauge.scoring.board import CostAxis
from memgauge.scoring.fronts import FrontStanding, front
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import DatasetSampling
from memgauge.stats import Clusters, Resamples
from support.asking_product import PaidModels
from support.players import AsPlayers

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.scoring.board import Board, CostFront

HOMES, EACH = 12, 10
SAMPLING = DatasetSampling(
    Resamples.draw(HOMES * EACH, seed=1, draws=50), Clusters.of(np.repeat(np.arange(HOMES), EACH))
)


def rows(mean: float, noise: float, seed: int) -> Rows:
    """Draw what each question is worth, or takes; conversations differ."""
    drawn = np.random.default_rng(seed)
    values = mean + np.repeat(drawn.normal(0, noise, HOMES), EACH) + drawn.normal(0, noise / 10, HOMES * EACH)
    return Rows(values, np.ones(len(values), dtype=np.bool_))


@pytest.mark.parametrize(("noise", "standing"), [(0.01, FrontStanding.BEHIND), (9.0, FrontStanding.NEAR)])
def test_who_may_be_cheaper_is_undecided(noise: float, standing: FrontStanding) -> None:
    """That another finds more is sure; whether it costs no more is as sure as the costs are."""
    values = {"good": rows(0.9, 0.01, 1), "bad": rows(0.2, 0.01, 2)}
    paid = {"good": rows(10.0, noise, 3), "bad": rows(10.0, noise, 4)}
    dearer = paid["bad"].values.mean() - paid["good"].values.mean()
    paid["bad"] = Rows(paid["bad"].values - dearer + 1.0, paid["bad"].defined)
    means = {name: float(each.values.mean()) for name, each in paid.items()}
    placed = front(means, values, SAMPLING, paid)
    assert (placed["bad"].standing, placed["bad"].beside) == (standing, "good")
    assert placed["good"].standing is FrontStanding.FRONT
    assert front(means, values, SAMPLING)["bad"].standing is FrontStanding.BEHIND


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_doubt_of_costs_moves_nobody_further_behind(seed: int, lanes: int) -> None:
    """With costs that are not sure, a lane stands where it stood, or is undecided where it was behind."""
    values = {str(n): rows(0.5, 0.2, seed + n) for n in range(lanes)}
    paid = {str(n): rows(5.0, 1.0, seed + 100 + n) for n in range(lanes)}
    means = {name: float(each.values.mean()) for name, each in paid.items()}
    sure, doubted = front(means, values, SAMPLING), front(means, values, SAMPLING, paid)
    for name in values:
        if doubted[name].standing is not sure[name].standing:
            assert (sure[name].standing, doubted[name].standing) == (FrontStanding.BEHIND, FrontStanding.NEAR)


def board_of(folders: list[Path]) -> Board:
    """Build the one board of runs."""
    (built,) = leaderboards(folders, ScoreOptions().settings())
    return built.board


def by_axis(board: Board) -> dict[CostAxis, CostFront]:
    """Return its fronts."""
    return {each.axis: each for each in board.fronts}


def test_a_board_has_a_front_for_all_that_a_question_takes(tmp_path: Path) -> None:
    """In the order of the board, with intervals; who is no system stands on none, and bm25 costs nobody money."""
    refs = ["bm25", "recency", "oracle"]
    board = board_of(execute(plan(["synthetic:tiny"], refs), tmp_path, executor=AsPlayers()))
    fronts = by_axis(board)
    assert set(fronts) == set(CostAxis)
    ranked = [entry.label for entry in board.entries if entry.rank is not None]
    for each in fronts.values():
        assert [place.label for place in each.places if place.standing] == ranked
    tokens = fronts[CostAxis.TOKENS].places[0]
    assert tokens.cost == pytest.approx(board.entries[0].context_tokens)
    assert tokens.cost is not None
    assert tokens.cost_low is not None
    assert tokens.cost_low < tokens.cost
    assert {place.cost for place in fronts[CostAxis.MONEY].places if place.standing} == {0.0}
    json.dumps(plain(board), allow_nan=False)


def test_money_follows_from_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Conversation by conversation it is what the run cost; without a price it is not known, and says so."""
    with PaidModels() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        work = plan(["synthetic:tiny"], ["support.systems:AskingPaid", "bm25", "support.systems:AskingUnpriced"])
        folders = execute(work, tmp_path, executor=AsPlayers(), check=False)
    run = load(folders[0])
    assert run.cost is not None
    money = money_by_conversation(run.folder)
    assert money is not None
    assert sum(money.values()) == pytest.approx(priced(run.cost).usd, abs=1e-6)
    assert sum(money.values()) > 0
    assert money_by_conversation(folders[2]) is None
    places = {place.label: place for place in by_axis(board_of(folders))[CostAxis.MONEY].places}
    paid, unknown = places["support.systems:AskingPaid"], places["support.systems:AskingUnpriced"]
    assert paid.standing is not None
    assert paid.cost == pytest.approx(sum(money.values()) / len(run.questions["question"]))
    assert (unknown.cost, unknown.standing) == (None, None)
    assert unknown.why == "no list price is known of nobody-knows-it"
