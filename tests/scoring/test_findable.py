"""Contracts under which nothing can be found rank nobody."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.measures import Rows
from memgauge.records import BOARD, Contract
from memgauge.report.board import document
from memgauge.scoring.align import align
from memgauge.scoring.board_order import in_order
from memgauge.scoring.findable import nothing_to_find
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.leaderboard import leaderboard
from memgauge.scoring.score import Settings
from support.handmade import many_questions

if TYPE_CHECKING:
    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun

GOLD = GoldTable.read(many_questions())


def _judged(runs: dict[str, Run], target: str, *labels: str) -> tuple[list[JudgedRun], Settings]:
    settings = Settings(Contract.parse(f"target={target}", BOARD), ("Recall@10",), 10)
    return [align(runs[f"many {label}"], GOLD, settings.contract, 10) for label in labels], settings


def test_a_target_that_credits_nothing_ranks_nobody(runs: dict[str, Run]) -> None:
    """Where no run has stored what the target credits the board says so, and claims no tie."""
    judged, settings = _judged(runs, "canonical", "Notebook", "Backwards", "oracle")
    found = leaderboard(judged, GOLD, settings)
    said = document(found)
    assert [e.rank for e in found.entries] == [None] * 3
    assert said.lead == (
        "Nobody is ranked: nothing can be found under target canonical, because no run has stored a memory that "
        "it credits."
    )
    assert [each.run.label for each in in_order(judged, settings)] == [e.label for e in found.entries]


def test_where_not_even_the_ceiling_finds_anything_nobody_is_ranked(runs: dict[str, Run]) -> None:
    """A memory may be credited and never bear what is asked for: the ceiling shows that there is nothing."""
    judged, settings = _judged(runs, "canonical", "Nothing", "Failing", "oracle")
    assert leaderboard(judged, GOLD, settings).nothing


def _nothing(
    runs: dict[str, Run], *labels: str, measures: str = "Recall@10", defined: str = "10", target: str = "raw"
) -> str:
    """Say what is said where questions are worth 0 to every run, or undefined: 0 in *defined*."""
    judged, settings = _judged(runs, target, *labels)
    marks = np.array([mark == "1" for mark in defined])
    rows = [Rows(np.zeros(len(marks)), marks)] + [Rows(np.zeros(1), np.array([False]))] * (len(judged) - 1)
    return nothing_to_find(judged, rows, replace(settings, measures=tuple(measures.split())))


def test_one_run_that_has_stored_what_is_credited_leaves_it_to_the_ceiling(runs: dict[str, Run]) -> None:
    """That others have stored no such memory says nothing of the target; without a ceiling nobody knows."""
    assert _nothing(runs, "Notebook", "Digest") == ""
    ceiling = "nothing can be found under target raw, not even by the ceiling oracle"
    assert _nothing(runs, "Notebook", "Digest", "oracle") == ceiling
    assert "no run has stored" in _nothing(runs, "Digest", "Digest")
    assert _nothing(runs, "Digest", "Digest", defined="00") == ""  # no question says anything at all


def test_only_rankings_where_more_is_better_say_that_nothing_is_found(runs: dict[str, Run]) -> None:
    """Elsewhere 0 everywhere is a result; and only the first measure orders a board."""
    for first in ("FalsePositives", "SetF1"):
        assert _nothing(runs, "Digest", "oracle", measures=f"{first} Recall@10") == ""
        assert _nothing(runs, "Digest", "oracle", measures=f"Recall@10 {first}") != ""


@pytest.mark.parametrize("target", ["source", "raw"])
def test_whoever_finds_nothing_of_what_there_is_has_a_rank(runs: dict[str, Run], target: str) -> None:
    """A system that finds nothing where the ceiling finds all is the worst, and ranked."""
    judged, settings = _judged(runs, target, "Failing", "oracle")
    found = leaderboard(judged, GOLD, settings)
    assert (found.nothing, found.entries[0].rank) == ("", 1)
