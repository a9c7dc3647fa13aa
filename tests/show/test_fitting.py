"""Tables in the room that there is: what wraps is shared out, and no letter is lost."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from string import ascii_letters, digits

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memgauge.show import Column, Kind, Table
from memgauge.show.fitting import FittingTable

LONG = st.text(ascii_letters + digits + "/:.-", min_size=1, max_size=60)
TEXTS = st.lists(LONG, min_size=1, max_size=8).map(" ".join)


def shown(table: Table, width: int, *, terminal: bool = False) -> list[str]:
    """Print a table on so many columns."""
    console = Console(
        file=StringIO(), width=width, highlight=False, markup=False, force_terminal=terminal, color_system=None
    )
    console.print(FittingTable(table), crop=False)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined,no-any-return]


@given(
    st.lists(
        st.tuples(st.text(ascii_letters, min_size=1, max_size=20), TEXTS, TEXTS, TEXTS), min_size=1, max_size=4
    ),
    st.integers(60, 120),
)
def test_no_letter_is_lost_where_prose_wraps(rows: list[tuple[str, str, str, str]], width: int) -> None:
    """Every letter of every cell is printed as often as it stands there, on lines no wider than the room."""
    heads = (Column("name", Kind.TEXT), *(Column(head, Kind.PROSE) for head in "abc"))
    lines = shown(Table.of("t", "", heads, rows), width, terminal=True)
    printed, written = "".join(lines[1:]), "".join("".join(row) for row in rows)
    assert max(map(len, lines)) <= width
    assert sorted(printed.replace(" ", "")) == sorted(written.replace(" ", ""))


@given(st.integers(40, 120), st.integers(1, 6))
def test_no_row_of_a_ruled_table_loses_its_name_or_a_figure(width: int, columns: int) -> None:
    """What never gives way goes on in a table below, with the names again, where it does not fit beside."""
    figures = [Column(f"measure {n}", Kind.NUMBER) for n in range(columns)]
    rows = [(at, f"system-{at}", *(at + n / 1000 for n in range(columns))) for at in (1, 2)]
    table = replace(Table.of("t", "", [Column("#"), "system", *figures], rows), ruled=True, names=1)
    words = [line.split() for line in shown(table, width)]
    for at in (1, 2):
        of_row = [line[line.index(f"system-{at}") + 1 :] for line in words if f"system-{at}" in line]
        assert [figure for part in of_row for figure in part] == [f"{at + n / 1000:.3f}" for n in range(columns)]


def test_names_from_elsewhere_break_no_table() -> None:
    """A name or a head of many lines stands in one, a very long one is cut, and no two read as the same."""
    long = [f"{'x' * 480}{end}" for end in "ab"]
    rows = [("two\nlines", 1.0, 2.0), *((name, 1.0, 2.0) for name in long)]
    lines = shown(
        Table.of("t", "", ("system", Column("a\nhead", Kind.NUMBER), Column("y" * 480, Kind.NUMBER)), rows), 120
    )
    assert len(lines) < 40
    assert any(line.startswith("two lines ") for line in lines)
    assert "a head" in " ".join(lines)
    assert sum("..." in line for line in lines) == 3


def test_prose_is_never_cut() -> None:
    """What wraps by its kind is a text that somebody wants to read, be it the first column."""
    lines = shown(Table.of("t", "", (Column("text", Kind.PROSE), "n"), [("word " * 100, 1)]), 60)
    assert " ".join(lines).count("word") == 100


@given(
    st.lists(st.tuples(*(st.text(ascii_letters + "-._", min_size=1, max_size=50) for _ in range(3))), min_size=1),
    st.integers(80, 120),
)
def test_no_word_is_broken_where_there_is_no_terminal(rows: list[tuple[str, str, str]], width: int) -> None:
    """An id is found and copied as it is, be the line longer for it; a terminal keeps its lines."""
    table = Table.of("t", "", ("scenario", "conversation_number", Column("title", Kind.PROSE)), rows)
    words = " ".join(shown(table, width)).split()
    assert all(
        word in words for word in ("scenario", "conversation_number", *(name for row in rows for name in row))
    )
    assert max(map(len, shown(table, width, terminal=True))) <= width


def test_a_line_without_a_terminal_has_an_end() -> None:
    """A word that is no id to copy breaks as on a terminal: every row would be padded to its length."""
    lines = shown(Table.of("t", "", ("name", Column("text", Kind.PROSE)), [("a", "x" * 1000)]), 80)
    assert max(map(len, lines)) <= 80


def test_a_column_that_is_not_printed_is_not_explained() -> None:
    """A legend stands below the table where its column does."""
    columns = ("name", Column("detectable", Kind.NUMBER, yields=1, legend="Detectable: what would be seen."))
    table = Table.of("t", "", columns, [("x" * 70, 0.5)], "All over conversations.")
    assert "All over conversations. Detectable: what would be seen." in " ".join(shown(table, 120, terminal=True))
    narrow = " ".join(shown(table, 75, terminal=True))
    assert "Detectable" not in narrow
    assert "All over conversations." in narrow
    assert "Columns that do not fit here: detectable." in narrow
