"""A board does not fall for memories that are made to win it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.reproduce.gaming import HONEST, above, board_of, gaming

if TYPE_CHECKING:
    from memgauge.scoring.board import Board

CLASSES = ("ok", "session", "everything", "echo", "fingerprint", "unsure", "lazy")
"""One of each class: lineage without text, granularity, leaving out, and time outside of the clock."""


@pytest.fixture(scope="module")
def board() -> Board:
    """Put one crafted memory of each class beside honest ones, as a board does by default, on the tiny world."""
    return board_of("synthetic:tiny", tuple(f"crafted:{name}" for name in CLASSES))


def test_no_crafted_memory_is_ranked_above_bm25(board: Board) -> None:
    """Whatever it does to lineage, size, failures or the clock, text with the evidence ranks higher."""
    crafted = [entry for entry in board.entries if entry.label.startswith("crafted:")]
    assert len(crafted) == len(CLASSES)
    assert not [entry.label for entry in crafted if above(entry, board)]


def test_every_crafted_memory_is_named_and_no_honest_one(board: Board) -> None:
    """Each has a sentence that says why it is not to be believed; a mark that everybody has would mean nothing."""
    marked = {entry.label for entry in board.entries if entry.marks}
    assert marked == {f"crafted:{name}" for name in CLASSES}
    ranked = {entry.label for entry in board.entries if entry.rank is not None}
    assert ranked >= set(HONEST)


def test_what_is_claimed_stands_beside_what_is_borne(board: Board) -> None:
    """The memory "ok" claims everything, and its text bears nothing."""
    (entry,) = (each for each in board.entries if each.label == "crafted:ok")
    assert entry.claimed is not None
    assert (entry.claimed.value or 0) > 0.9
    assert entry.scores[board.measures[0]].value == pytest.approx(0.0, abs=0.01)


@pytest.mark.slow
@pytest.mark.players  # what a memory that was made to win does wrong is seen by looking at it
@pytest.mark.timeout(3600)
def test_the_whole_recipe_keeps_its_promise() -> None:
    """All crafted memories on every dataset at hand."""
    figures = gaming()
    assert (figures["crafted_above_bm25"], figures["crafted_unmarked"]) == (0, 0)
    assert (figures["honest_unranked"], figures["honest_marked"]) == (0, 0)
