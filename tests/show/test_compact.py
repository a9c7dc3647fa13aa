"""What a ruled table, a section of a larger document and the legend of columns look like."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

from rich.console import Console

from memgauge.show import Cell, Column, Document, Figure, Fold, Kind, Note, Section, Table, embedded
from memgauge.show.document import walk
from memgauge.show.html import page
from memgauge.show.markdown import markdown
from memgauge.show.terminal import lines

BOARD = replace(
    Table.of(
        "board",
        "Board",
        (
            Column("#", Kind.COUNT),
            Column("system", Kind.TEXT),
            Column("nDCG", Kind.NUMBER, means="how well it ranks"),
            Column("tokens", Kind.COUNT, brief=False),
        ),
        [(Cell("1"), Cell("a" * 40, "version 1"), Cell("0.500", "[0.4, 0.6]", 0.5, 0.4, 0.6), 812)],
        "First line.\nSecond line.",
    ),
    ruled=True,
    names=1,
)


def printed(document: Document, *, everything: bool = False) -> str:
    """Print a document on 80 columns."""
    console = Console(file=StringIO(), width=80, highlight=False, markup=False)
    for line in lines(document, everything=everything):
        console.print(line)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_a_ruled_table_is_slim_on_a_terminal() -> None:
    """Its intervals stand in a column of their own; small print, long names and its title are left to pages."""
    text = printed(Document("Title", "in small print", blocks=(BOARD,)))
    assert text.startswith("Title in small print\n")
    assert "95 %" in text
    assert f"{'a' * 21}..." in text
    assert "version 1" not in text
    assert "Board" not in text


def test_a_column_that_is_not_brief_is_shown_when_everything_is() -> None:
    """It is not said to be too wide: nobody asked for it."""
    document = Document("", blocks=(BOARD,))
    assert "tokens" not in printed(document)
    assert "Too narrow" not in printed(document)
    assert "812" in printed(document, everything=True)


def test_a_page_says_what_columns_mean_and_which_names_the_row() -> None:
    """What a head abbreviates is told on hover, and opens for those who cannot; a note keeps its lines."""
    html = page(Document("Title", "in small print", blocks=(BOARD,)))
    assert (
        '<button type="button" class="word" popovertarget="word-1" title="how well it ranks">nDCG</button>' in html
    )
    assert '<span class="meaning" id="word-1" popover>how well it ranks</span>' in html
    assert '<th scope="row" class="name">aaaa' in html
    assert '<td class="">1</td>' in html
    assert ">First line.</p><p" in html
    assert "<small>in small print</small>" in html


def test_a_document_becomes_a_section_of_a_larger_one() -> None:
    """Keys become unique, its notes keep their heading, nothing else changes."""
    figure = Figure("drawn", "Drawn", "", lambda: None)
    inner = Section("folded", "Board", (BOARD,), Fold.CLOSED)
    small = Document("Small", "beside", "A lead.", ("A fact.",), (figure, inner), (Note("A note."),))
    whole = Document("Whole", blocks=(embedded(small, "one"), embedded(small, "two", "Another")))
    keys = [block.key for block in walk(whole.blocks) if isinstance(block, Table | Figure | Section)]
    assert len(keys) == len(set(keys)) == 8
    html = page(whole)
    assert html.count(small.noted) == 2
    assert '<p class="verdict">A lead.</p>' in html
    for words in ("Another", "beside", "A lead.", "A fact.", "A note."):
        assert words in markdown(whole)
        assert words in printed(whole)
    assert markdown(whole).count("Board\n") == 2


def test_what_stands_after_the_blocks_can_be_jumped_to() -> None:
    """A page lists it with the tables and sections."""
    html = page(Document("Title", blocks=(BOARD,)), extra='<p id="more">x</p>', headed=[("more", "More")])
    assert '<a href="#more">More</a>' in html
