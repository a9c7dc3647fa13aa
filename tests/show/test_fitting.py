"""Tables in the room that there is: what wraps is shared out, and no letter is lost."""

from __future__ import annotations

from io import StringIO
from string import ascii_letters, digits

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memgauge.show import Column, Kind, Table
from memgauge.show.fitting import FittingTable

LONG = st.text(ascii_letters + digits + "/:.-", min_size=1, max_size=60)
TEXTS = st.lists(LONG, min_size=1, max_size=8).map(" ".join)


def shown(table: Table, width: int) -> list[str]:
    """Print a table on so many columns."""
    console = Console(file=StringIO(), width=width, highlight=False, markup=False)
    console.print(FittingTable(table))
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
    lines = shown(Table.of("t", "", heads, rows), width)
    printed, written = "".join(lines[1:]), "".join("".join(row) for row in rows)
    assert max(map(len, lines)) <= width
    assert sorted(printed.replace(" ", "")) == sorted(written.replace(" ", ""))
