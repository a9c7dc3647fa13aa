"""Names that are cut and stay apart."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memgauge.show import Column, Kind, Table
from memgauge.show.abridging import MORE, abridged
from memgauge.show.drawing import labels, short, shorts
from memgauge.show.fitting import FittingTable

ENDS = ("hybrid:embedder=minilm,stem=english,c=10", "hybrid:embedder=minilm,stem=english,c=60")
INSIDE = ("hybrid:embedder=minilm,c=10,stem=english", "hybrid:embedder=minilm,c=60,stem=english")


def cut(name: str) -> str:
    """Keep eight letters."""
    return f"{name[:8]}.."


@given(st.lists(st.text(alphabet=f"ab:,={MORE} 2", max_size=24), max_size=8))
def test_no_name_reads_as_another(names: list[str]) -> None:
    """Different names are written differently, each of them once."""
    shown = abridged(names, 10, cut)
    assert set(shown) == set(names)
    assert len(set(shown.values())) == len(set(names))


def test_what_names_share_is_left_out_where_they_would_read_alike() -> None:
    """The options that differ are what is read; names that no cut confuses are cut as ever."""
    assert list(shorts(INSIDE).values()) == [f"hybrid:{MORE}c=10", f"hybrid:{MORE}c=60"]
    assert shorts(ENDS) == {name: short(name) for name in ENDS}
    assert len(set(shorts((*INSIDE, "hybrid:embedder=minilm,c=60,stop=lucene,stem=english")).values())) == 3


def test_an_axis_says_what_names_are_cut_to() -> None:
    """Where no cut confuses them, any name is cut in its middle."""
    assert labels(ENDS) == labels(("bm25",))
    assert "c=60" in labels(INSIDE)


@pytest.mark.parametrize("ruled", [True, False])
@pytest.mark.parametrize("names", [ENDS, INSIDE])
def test_a_terminal_never_prints_two_rows_alike(names: tuple[str, str], *, ruled: bool) -> None:
    """However narrow it is: what differs is printed, if need be on a line of its own."""
    columns = (Column("system", Kind.TEXT), Column("nDCG@10", Kind.NUMBER), Column("Recall@10", Kind.NUMBER))
    table = replace(Table.of("t", "t", columns, [(name, 0.25, 0.5) for name in names]), ruled=ruled)
    console = Console(width=40, record=True, force_terminal=True)
    console.print(FittingTable(table))
    joined = re.sub(r"0\.\d+|\s", "", console.export_text())
    assert ("c=10" in joined, "c=60" in joined) == (True, True)
