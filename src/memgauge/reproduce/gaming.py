"""Whether a board falls for memories that are made to win it: each must be unranked or marked, none above BM25."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import DataNotFoundError
from memgauge.records import BOARD
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import Settings
from memgauge.systems.reference.crafted import CRAFTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.scoring.board import Board, Entry

HONEST = ("bm25", "tfidf", "recency", "pipeline")
"""Memories that serve a reader, in no order."""
DATASETS = ("synthetic:small", "locomo")
MADE = tuple(f"crafted:{name}" for name in CRAFTED)


def gaming() -> Mapping[str, float]:
    """Put every crafted memory on the default board of each dataset at hand, beside honest ones."""
    boards = list(_boards())
    crafted = [(board, entry) for board in boards for entry in board.entries if entry.label.startswith("crafted:")]
    honest = [entry for board in boards for entry in board.entries if entry.label in HONEST]
    return {
        "boards": float(len(boards)),
        "crafted": float(len({entry.label for _, entry in crafted})),
        "crafted_above_bm25": float(sum(above(entry, board) for board, entry in crafted)),
        "crafted_unmarked": float(sum(not entry.marks for _, entry in crafted)),
        "honest_unranked": float(sum(entry.rank is None for entry in honest)),
        "honest_marked": float(sum(bool(entry.marks) for entry in honest)),
    }


def _boards() -> Iterator[Board]:
    for ref in DATASETS:
        try:
            open_dataset(ref)
        except DataNotFoundError:
            continue
        yield board_of(ref)


def board_of(ref: str, systems: tuple[str, ...] = MADE) -> Board:
    """Run *systems* beside the honest memories on one dataset, and score them as a board does by default."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = execute(plan([ref], [*HONEST, *systems]), Path(scratch))
        (built,) = leaderboards(folders, Settings(BOARD))
    return built.board


def above(entry: Entry, board: Board) -> bool:
    """Whether an entry is ranked before BM25."""
    (bm25,) = (rival for rival in board.entries if rival.label == "bm25")
    return entry.rank is not None and (bm25.rank is None or entry.rank < bm25.rank)
