"""Boards as documents: on a terminal, as Markdown, as data."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from memgauge.report.bars import bar
from memgauge.report.board import document, documents
from memgauge.report.board_tables import BoardLinks
from memgauge.results import plain
from memgauge.show.markdown import markdown
from memgauge.show.safety import escape
from memgauge.show.terminal import lines
from report.boards import board, entry, second

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from memgauge.scoring.board import Board


def printed(made: Board, width: int, *, terminal: bool = False, everything: bool = False) -> str:
    """Print a board on a console of a given width without colour."""
    out = StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system=None, legacy_windows=False)
    for line in lines(document(made), everything=everything):
        console.print(line)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_board_fits_the_width(width: int, snapshot: SnapshotAssertion) -> None:
    """The board drops columns, and says which, instead of wrapping its rows."""
    text = printed(board(), width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_board_with_undefined_scores(snapshot: SnapshotAssertion) -> None:
    """An undefined score is a word in the table and a reason under it."""
    assert printed(second(), 100, terminal=True) == snapshot


def test_output_that_is_no_terminal_is_ascii() -> None:
    """Nothing but ASCII is added where the output may be a file or a pipe."""
    assert printed(board(), 120).isascii()
    assert not printed(board(), 120, terminal=True).isascii()


def test_long_and_hostile_labels_stay_on_their_line() -> None:
    """A label is cut, loses control characters and is never read as markup."""
    text = printed(replace(board(), entries=(replace(entry("bm25"), label="[red]\x1b[2J" + "x" * 40),)), 80)
    assert "\x1b" not in text
    assert "[red]" in text
    assert "..." in text


def test_very_narrow_terminals_keep_what_matters() -> None:
    """Group, system, value, interval and n are never dropped."""
    text = printed(board(), 58)
    assert "[0.545, 0.579]" in text
    assert "Columns that do not fit here: Recall@5, MRR, Success@1, coverage, p50/p95 ms." in " ".join(
        text.split()
    )


def test_everything_is_printed_when_it_is_asked_for() -> None:
    """Tables behind the figures, tokens handed over and who was left out are one option away."""
    brief, whole = printed(board(), 160), printed(board(), 160, everything=True)
    for words in ("nDCG@60 by category as numbers", "Recall by k as numbers", "conv-1:q7", "1,983 ok", "sha256"):
        assert words in whole
        assert words not in brief


def test_a_system_that_is_not_ranked_or_marked_says_so_beside_its_name() -> None:
    """A mark stands in the table and in the notes."""
    marked = replace(entry("bm25"), marks=("It repeats itself.",))
    text = printed(replace(board(), entries=(marked, replace(entry("dense"), rank=None))), 100)
    assert "bm25 (marked)" in text
    assert "dense (unranked)" in text
    assert "! bm25: It repeats itself." in text


def test_boards_as_markdown(snapshot: SnapshotAssertion) -> None:
    """Two boards render as two headed sections with everything that belongs to their numbers."""
    assert markdown(documents([board(), second()])) == snapshot


def test_markup_in_names_means_itself() -> None:
    """Pipes, tags and emphasis from data cannot break the table."""
    assert escape("a|b <i>*x*\n") == "a\\|b &lt;i&gt;\\*x\\* "
    bare = replace(entry("bm25"), label="a|b", by_category={}, by_k={}, by_budget={}, own_floor={})
    made = markdown(document(replace(board(), entries=(bare,), exclusions=())))
    rows = [line for line in made.splitlines() if line.startswith("|")]
    assert len({row.replace("\\|", "").count("|") for row in rows}) == 1


def test_board_json_is_stable(snapshot: SnapshotAssertion) -> None:
    """Keys keep their order, mappings are sorted, contracts are text, undefined numbers are null."""
    (data,) = plain(document(second()).data)
    assert json.dumps(data, indent=1, allow_nan=False) == snapshot


def test_numbers_are_rounded_and_k_is_in_order() -> None:
    """Floats carry six digits and several k stand in the order of their size."""
    data = plain(board())
    assert data["entries"][0]["latency"]["write_p50"] == 0.028
    assert list(data["entries"][0]["by_k"]) == ["1", "5", "10", "20", "40", "60"]


def test_every_table_and_figure_of_a_board_has_a_key_of_its_own() -> None:
    """Several boards stand on one page, each under its data, told apart by target where the data is the same."""
    made = documents([board(), board()])
    keys = [table.key for table in made.tables] + [figure.key for figure in made.figures]
    assert len(keys) == len(set(keys)) == 22
    assert [block.title for block in made.blocks if hasattr(block, "title")] == ["locomo, target source"] * 2


def test_cells_lead_where_the_frame_says() -> None:
    """A frame with pages links runs, questions and comparisons; a file has none of these."""
    links = BoardLinks(lambda each: each.run, lambda name: name, lambda each: f"beside {each.label}")
    first = next(document(board(), links=links).tables)
    assert [row[1].leads for row in first.rows] == [each.run for each in board().entries]
    assert first.rows[0][-1].leads == "beside hybrid"
    assert all(cell.leads is None for row in next(document(board()).tables).rows for cell in row)


def test_bars_draw_only_what_is_known() -> None:
    """A bar has a line for a known interval, and none for an undefined score."""
    known = entry("bm25").scores["MRR"]
    assert str(bar(known, 1.0)).count("<line") == 3
    assert str(bar(replace(known, low=None), 1.0)).count("<line") == 2
    assert bar(replace(known, value=None), 1.0) is None
