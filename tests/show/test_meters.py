"""Bars beside figures, on terminals that have them."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memgauge.show import Cell, Column, Document, Kind, Table, Value
from memgauge.show.meters import meter
from memgauge.show.terminal import lines

COLUMNS = (Column("system"), Column("Recall", Kind.NUMBER), Column("other", Kind.NUMBER, yields=2))


def printed(width: int, *, terminal: bool = True, everything: bool = False) -> str:
    """Print a ruled table of three systems."""
    rows: list[list[Cell | Value]] = [
        [name, Cell(f"{value:.3f}", value=value, mark="value"), 0.5]
        for name, value in (("first", 0.75), ("second", 0.5), ("floor", 0.0))
    ]
    table = Table.of("t", "", COLUMNS, rows, "A contract in many words.")
    ruled = replace(table, ruled=True, short="The usual contract.", leading=frozenset({0}), quiet=frozenset({2}))
    out = StringIO()
    console = Console(
        file=out, width=width, force_terminal=terminal, color_system="standard" if terminal else None
    )
    for line in lines(Document("Title", lead="First leads.", blocks=(ruled,)), everything=everything):
        console.print(line)
    return out.getvalue()


@given(value=st.floats(0, 1), room=st.integers(1, 30))
def test_a_bar_is_as_long_as_its_figure(value: float, room: int) -> None:
    """Within a sixteenth of a letter, and never longer than its room."""
    bar = meter(value, 1.0, room)
    eighths = 8 * bar.count("█") + (0 if not bar or bar[-1] == "█" else "▏▎▍▌▋▊▉".index(bar[-1]) + 1)
    assert len(bar) <= room
    assert eighths / 8 == pytest.approx(value * room, abs=1 / 16 + 1e-9)


def test_bars_are_for_terminals_with_room() -> None:
    """Other measures give way to a bar, the ranking figure never does; a pipe gets none."""
    assert "██████" in printed(60)
    assert "█" not in printed(20)
    assert "0.750" in printed(20)
    assert "do not fit" in printed(30)
    assert printed(60, terminal=False).isascii()


def test_colour_says_who_leads_and_who_stands_back() -> None:
    """Green leads, what is dim is a floor, and a verdict is bold and first."""
    first, *_ = shown = printed(60).splitlines()
    assert "First leads." in first
    assert "\x1b[1m" in first
    assert next(line for line in shown if "first" in line).startswith("\x1b[32m")
    assert next(line for line in shown if "floor" in line).startswith("\x1b[2m")


def test_the_wall_of_words_is_for_who_asks() -> None:
    """A terminal names the contract, and spells it out with everything."""
    assert "The usual contract." in printed(60)
    assert "many words" not in printed(60)
    assert "many words" in printed(60, everything=True)
