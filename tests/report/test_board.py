"""Boards and stories on a terminal."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from memgauge.report.terminal import board_table, story_text
from report.boards import board, entry, second, stories

if TYPE_CHECKING:
    from rich.console import RenderableType
    from syrupy.assertion import SnapshotAssertion


def printed(what: RenderableType, width: int, *, terminal: bool = False) -> str:
    """Print on a console of a given width without colour."""
    out = StringIO()
    Console(file=out, width=width, force_terminal=terminal, color_system=None, legacy_windows=False).print(what)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_board_fits_the_width(width: int, snapshot: SnapshotAssertion) -> None:
    """The board drops columns, and says which, instead of wrapping its rows."""
    text = printed(board_table(board()), width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_board_with_undefined_scores(snapshot: SnapshotAssertion) -> None:
    """An undefined score is a word in the table and a reason under it."""
    assert printed(board_table(second()), 100, terminal=True) == snapshot


def test_output_that_is_no_terminal_is_ascii() -> None:
    """Nothing but ASCII is added where the output may be a file or a pipe."""
    assert printed(board_table(board()), 120).isascii()
    assert not printed(board_table(board()), 120, terminal=True).isascii()


def test_long_and_hostile_labels_stay_on_their_line() -> None:
    """A label is cut, loses control characters and is never read as markup."""
    text = printed(
        board_table(replace(board(), entries=(replace(entry("bm25"), label="[red]\x1b[2J" + "x" * 40),))), 80
    )
    assert "\x1b" not in text
    assert "[red]" in text
    assert "..." in text


def test_very_narrow_terminals_keep_what_matters() -> None:
    """Group, system, value, interval and n are never dropped."""
    text = printed(board_table(board()), 58)
    assert "[0.545, 0.579]" in text
    assert "Too narrow for: Recall@5, MRR, Success@1, coverage, p50/p95 ms." in " ".join(text.split())


def test_story_shows_gold_and_every_system(snapshot: SnapshotAssertion) -> None:
    """A story prints the question, its gold, its doubt and each hit with rank, score and lineage."""
    cut = [replace(a, hits=a.hits[:4]) for a in stories(4)[1].systems]
    told = replace(stories(4)[2], excluded="no evidence", systems=tuple(cut), answers=())
    assert printed(story_text(told), 100) == snapshot


def test_story_cannot_steer_the_terminal() -> None:
    """Escape sequences in remembered text are disarmed."""
    assert "\x1b" not in printed(story_text(replace(stories(1)[0], text="a\x1b]0;owned\x07")), 80)
    bare = replace(stories(1)[0].systems[0].hits[0], score=None, sources=(), text="bare")
    told = replace(stories(1)[0], systems=(replace(stories(1)[0].systems[0], hits=(bare,)),))
    assert f"  1  bare  [{bare.memory}; no source; exact]" in printed(story_text(told), 80)
