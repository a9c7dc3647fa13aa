"""Boards as Markdown."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.report.markdown import render_markdown
from memgauge.show.safety import escape
from report.boards import board, entry, second

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion


def test_boards_as_markdown(snapshot: SnapshotAssertion) -> None:
    """Two boards render as two headed tables with everything that belongs to their numbers."""
    assert render_markdown([board(), second()]) == snapshot


def test_markup_in_names_means_itself() -> None:
    """Pipes, tags and emphasis from data cannot break the table."""
    assert escape("a|b <i>*x*\n") == "a\\|b &lt;i&gt;\\*x\\* "
    made = render_markdown([replace(board(), entries=(replace(entry("bm25"), label="a|b"),))])
    rows = [line for line in made.splitlines() if line.startswith("|")]
    assert len({row.replace("\\|", "").count("|") for row in rows}) == 1
