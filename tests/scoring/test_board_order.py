"""The order of a board without the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.records import BOARD, Contract
from memgauge.scoring.align import align
from memgauge.scoring.board_order import in_order
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.judged_runs import judged_runs
from memgauge.scoring.leaderboard import leaderboard, leaderboards
from memgauge.scoring.score import Settings
from support.handmade import five_questions, many_questions

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run

GOLD = {"many": GoldTable.read(many_questions()), "five": GoldTable.read(five_questions())}
ALL = ("Nothing", "Failing", "Digest", "Backwards", "oracle", "Minutes", "random", "Notebook")


@pytest.mark.parametrize("name", ["many", "five"])
@pytest.mark.parametrize("contract", ["", "witness=none", "failures=exclude"])
@pytest.mark.parametrize("measure", ["nDCG@10", "Recall@2000tok", "Hit@5"])
def test_runs_stand_as_on_their_board(runs: dict[str, Run], name: str, contract: str, measure: str) -> None:
    """By role, rank, value and name, whatever is ranked, believed or left out."""
    gold, settings = GOLD[name], Settings(Contract.parse(contract, BOARD), (measure,), k=10)
    judged = [align(runs[f"{name} {label}"], gold, settings.contract, settings.depth) for label in ALL]
    listed = [each.run.label for each in in_order(judged, settings)]
    assert listed == [entry.label for entry in leaderboard(judged, gold, settings).entries]


def test_runs_are_grouped_as_boards_are(synthetic: list[Path]) -> None:
    """The same runs, gold and settings, in the same order, with and without their board."""
    settings = Settings(BOARD)
    boards, plain = (make(synthetic, settings) for make in (leaderboards, judged_runs))
    assert [[each.run.folder for each in group.judged] for group in plain] == [
        [each.run.folder for each in group.judged] for group in boards
    ]
    assert [group.settings for group in plain] == [group.settings for group in boards]


def test_a_board_that_lets_go_of_its_runs_says_the_same(
    synthetic: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row, rank and front, and what is read again of a run afterwards."""
    settings = Settings(BOARD)
    (held,) = leaderboards(synthetic, settings)
    for module in ("leaderboard", "judged_runs"):
        monkeypatch.setattr(f"memgauge.scoring.{module}.MANY", 0)
    (let_go,) = leaderboards(synthetic, settings)
    assert let_go.board == held.board
    assert not any("questions" in vars(judged.run) for judged in let_go.judged)
    assert not any("hits" in vars(judged) for judged in let_go.judged)
    for a, b in zip(held.judged, let_go.judged, strict=True):
        first, again = a.rows(settings.parsed[0]), b.rows(settings.parsed[0])
        assert first.values.tolist() == again.values.tolist()
