"""Boards of submissions whose lists end at k before the budget is full: known from bundles, said on every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import bench.registry as made
from memgauge.scoring.ended import ShortLists
from memgauge.show.html import page
from memgauge.submissions.boards.board import RESULTS_BOARD
from memgauge.submissions.site.board_page import board_document
from memgauge.submissions.site.feeds import LEDGER_COLUMNS, board_feed, ledger_rows
from memgauge.submissions.site.home import home_document
from memgauge.submissions.site.product_page import product_document
from memgauge.submissions.site.submission_page import submission_document
from memgauge.submissions.site.words import lead
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.submissions.boards.board import ResultsBoard
    from memgauge.submissions.site.registry_view import RegistryView
    from support.small_registry import ViewOf

FIVE = 5
BUDGET = "Recall@250tok"
ENDS = "lists end at k=5 before 250 tokens are full"


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory, viewed: ViewOf) -> RegistryView:
    """Compute the site of a registry of three runs that kept five memories of a search, about 110 tokens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made, "K", FIVE)
        patch.setattr(made, "MEASURES", (BUDGET,))
        folder: Path = tmp_path_factory.mktemp("five") / "registry"
        made.make_registry(folder, 2)
    return viewed(folder)


def board(view: RegistryView, kind: str) -> ResultsBoard:
    """Find a board of the first lane, on which two settings stand beside bm25."""
    return next(each for each in view.boards if each.name == f"tiny-{made.LANES[0]}-{kind}.1")


def test_bundles_say_where_lists_end(view: RegistryView) -> None:
    """Without a text in them: by lengths of what was said, which the dataset at hand knows, and by k."""
    runs = [run for entrant in view.entrants for row in entrant.rows.values() for run in row.runs]
    assert {(*run.short,) for run in runs} == {(BUDGET,)}
    assert {(short.k, short.before) for run in runs for short in run.short.values()} == {(FIVE, 250)}


def test_nobody_is_placed_or_told_to_find_more_by_what_k_cut(view: RegistryView) -> None:
    """Everybody may hold every rank, nobody is behind on a front, and beside the baseline nothing is told."""
    cut, whole = board(view, "write-cost"), board(view, "tokens")
    assert {(row.rank_low, row.rank_high, row.group) for row in cut.rows} == {(1, len(cut.rows), 1)}
    assert {str(row.front.standing) for row in cut.rows if row.front} <= {"front", "near"}
    assert {row.beside.verdict for row in cut.rows if row.beside} == {"not told: lists end at k"}
    assert cut.detectable is None
    assert whole.measure == f"Recall@{FIVE}"
    assert {row.short for row in whole.rows} == {None}
    assert {row.beside.verdict for row in whole.rows if row.beside} != {"not told: lists end at k"}


def test_pages_feeds_and_the_ledger_say_it(view: RegistryView) -> None:
    """Whose lists end where, that a value is the least that it can be, and which k would tell."""
    cut = board(view, "write-cost")
    enough = max(row.short.enough for row in cut.rows if row.short)
    text = " ".join(page(board_document(cut)).split())
    assert f"{ENDS}, and more may lie below" in text
    assert f"runs with --k {enough} or more would tell" in text
    assert "since more of some may lie below where their lists end" in lead(cut)
    assert "of 2 products" in lead(cut)
    assert "of 2 nothing is told, because lists end at k" in lead(cut)
    assert "] or more" in text
    assert "or more would tell" not in page(board_document(board(view, "tokens")))
    feed = RESULTS_BOARD.read(json_of(board_feed(cut)))
    assert feed.rows[0].short == ShortLists(FIVE, 250, enough)
    entrant = view.by_id[next(row.head.submission for row in cut.rows if not row.head.baseline)]
    assert f"{BUDGET} is the least that can be said: {ENDS}" in page(submission_document(view, entrant))
    assert "] or more" in page(product_document(view, entrant.product))
    assert page(home_document(view))
    rows = [dict(zip(LEDGER_COLUMNS, row, strict=True)) for row in ledger_rows(view)]
    assert {(row["measure"], row["ends_before"]) for row in rows} == {(BUDGET, 250), (f"Recall@{FIVE}", None)}
