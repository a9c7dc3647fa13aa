"""One document on every surface: everything is said, and nothing that data says does anything."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import duckdb
from hypothesis import example, given, settings
from markdown_it import MarkdownIt
from rich.console import Console

from memgauge.results import plain
from memgauge.show import Cell, Column, Document, Kind, Table
from memgauge.show.exports import csv_text, data_text, json_text, write_parquet
from memgauge.show.fitting import FittingTable
from memgauge.show.html import page
from memgauge.show.junit import junit
from memgauge.show.markdown import markdown
from memgauge.show.safety import OBEYED
from memgauge.show.table import cell
from memgauge.show.terminal import lines, printed
from memgauge.stats import Interval
from support.documents import TEXTS, scores, whole

if TYPE_CHECKING:
    from pathlib import Path

ALLOWED = frozenset(
    [
        "html",
        "button",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "main",
        "footer",
        "section",
        "dl",
        "dt",
        "dd",
        "nav",
        "a",
        "div",
        "figure",
        "figcaption",
        "small",
        "svg",
        "g",
        "path",
        "text",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "abbr",
        "span",
        "details",
        "summary",
        "ol",
        "ul",
        "li",
        "code",
        "pre",
        "strong",
        "line",
        "defs",
        "clippath",
        "rect",
        "desc",
    ]
)


class Reader(HTMLParser):
    """Collects tags, ids and links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.events: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one."""
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name == "href":
                self.links.append(value or "")
            elif name.startswith("on"):
                self.events.append(name)


def read(html: str) -> Reader:
    """Read a page."""
    reader = Reader()
    reader.feed(html)
    return reader


def said(document: Document, width: int = 80, *, everything: bool = True) -> str:
    """Print a document as on a terminal of so many columns."""
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    for line in lines(document, everything=everything):
        console.print(line)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


@settings(max_examples=50)
@given(TEXTS)
def test_a_page_holds_our_tags_and_nobody_elses(text: str) -> None:
    """Whatever a text says, the page has no other element, no event handler, and ids that are unique."""
    html = page(whole(text))
    shown = read(html)
    assert shown.tags <= ALLOWED
    assert not shown.events
    assert len(shown.ids) == len(set(shown.ids))
    assert all(link.startswith("#") and link[1:] in shown.ids for link in shown.links)
    assert not OBEYED.search(html)


@example("\r")
@given(TEXTS)
def test_a_terminal_obeys_nothing_that_data_says(text: str) -> None:
    """What is printed holds no control character and no sign that turns a line around."""
    assert not OBEYED.search(printed(whole(text)))


@given(TEXTS)
def test_markdown_holds_no_markup_of_data(text: str) -> None:
    """Rendered, it has our headings, tables and lists, and no link, picture or HTML."""
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown(whole(text)))
    kinds = {child.type for token in tokens for child in (token.children or [token])}
    assert not kinds & {"link_open", "image", "html_inline", "html_block"}


@given(TEXTS)
def test_junit_is_xml_and_counts(text: str) -> None:
    """It parses, and says how many of which there are."""
    root = ET.fromstring(junit([whole(text)]))  # noqa: S314 - ours
    assert root.attrib == {"name": "memgauge", "tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    assert [suite.get("name") for suite in root] == ["suite", "other"]


@given(TEXTS)
def test_data_means_the_same_and_obeys_nothing(text: str) -> None:
    """What is printed for programs is the data, with what a terminal obeys escaped."""
    printed_data = data_text(plain(whole(text).data))
    assert json.loads(printed_data) == {"text": text, "value": 0.25}
    assert not OBEYED.search(printed_data)


def test_a_table_exports_values_at_full_precision_and_the_ends_of_intervals() -> None:
    """A column with intervals becomes three, one with small print two."""
    heads, first, second = csv.reader(io.StringIO(csv_text(scores())))
    assert heads[:5] == ["system", "nDCG", "nDCG (low)", "nDCG (high)", "nDCG (note)"]
    assert first[:5] == ["bm25", "0.512345678", "0.4", "0.6", ""]
    assert second[:5] == ["nobody", "undefined", "", "", "no question"]
    data = json.loads(json_text(scores()))
    assert data["heads"] == heads
    assert data["rows"][0][1] == 0.512345678


def test_parquet_holds_numbers_as_numbers(tmp_path: Path) -> None:
    """A column of figures is one of doubles, an undefined figure is null, everything else is text."""
    path = tmp_path / "t.parquet"
    write_parquet(scores(), path)
    rows = duckdb.read_parquet(str(path)).project("system, nDCG, n").fetchall()
    assert rows == [("bm25", 0.512345678, 1234.0), ("nobody", None, None)]
    write_parquet(Table.of("none", "None", ("a", "a"), []), path)
    assert duckdb.read_parquet(str(path)).fetchall() == []


def test_everything_is_said_on_every_surface() -> None:
    """Title, lead, facts, tables, notes and what to do next reach the reader, wherever the document is shown."""
    document = whole("a sentence")
    for shown in (said(document), page(document), markdown(document)):
        flat = re.sub(r"[*_\\]", "", " ".join(shown.split()))
        for words in ("a sentence", "Scores", "0.512", "[0.400, 0.600]", "undefined", "no question", "A note."):
            assert words in flat, words


def test_a_terminal_is_brief_unless_asked() -> None:
    """Folded sections, timelines and code are shown when everything is asked for."""
    brief, whole_text = said(whole("x"), everything=False), said(whole("x"))
    assert len(brief) < len(whole_text)
    assert "Scores" in brief


def test_a_narrow_terminal_leaves_out_what_yields_and_says_so() -> None:
    """The most yielding columns go first; the others are never cut."""
    text = said(whole("x"), width=60)
    assert "Columns that do not fit here: share, ms." in " ".join(text.split())
    assert "do not fit" not in said(whole("x"), width=160)


def test_a_table_that_cannot_give_way_stands_in_parts_that_name_their_rows() -> None:
    """No cell of any column is lost, and every part begins with the names."""
    heads = [f"column {number}" for number in range(12)]
    rows = [(name, *(Cell(f"{name[0]}{number:05}") for number in range(12))) for name in ("bm25", "recency")]
    text = said(Document(title="", blocks=(Table.of("wide", "Wide", ["system", *heads], rows),)), width=40)
    parts = text.split("\n\n")
    assert [f"{name[0]}{number:05}" in text for name in ("bm25", "recency") for number in range(12)] == [True] * 24
    assert len([part for part in parts if "system" in part and "bm25" in part and "recency" in part]) > 2
    assert max(map(len, text.splitlines())) <= 40


def published(*, stacks: bool) -> Table:
    """Make a table with an interval and what somebody else printed."""
    shown = replace(cell(Interval(0.512, 0.4, 0.6, 9), Kind.COARSE), beside="(0.55)")
    columns = ("system", Column("share of hits", yields=1))
    return Table.of("published", "Published", columns, [("bm25", shown)], stacks=stacks)


def test_what_somebody_else_printed_stands_beside_on_every_surface() -> None:
    """Value to two digits, interval, published figure; exported as a note of its own."""
    document = Document("x", blocks=(published(stacks=False),))
    for shown in (said(document), markdown(document)):
        assert "0.51 [0.40, 0.60] (0.55)" in shown.replace("\\", "")
    assert "<small>[0.40, 0.60]</small><small>(0.55)</small>" in page(document)
    heads, row = csv.reader(io.StringIO(csv_text(published(stacks=False))))
    assert heads[-1] == "share of hits (note)"
    assert row == ["bm25", "0.512", "0.4", "0.6", "(0.55)"]


def test_small_print_goes_below_before_a_column_goes() -> None:
    """A table that stacks keeps on a narrow terminal what another leaves out."""
    assert "do not fit" in said(Document("x", blocks=(published(stacks=False),)), width=24)
    below = said(Document("x", blocks=(published(stacks=True),)), width=24).splitlines()[-3:]
    assert [line.split() for line in below] == [
        ["system", "share", "of", "hits"],
        ["bm25", "0.51", "(0.55)"],
        ["[0.40,", "0.60]"],
    ]
    wide = said(Document("x", blocks=(published(stacks=True),)), width=80)
    assert "0.51 [0.40, 0.60] (0.55)" in wide


def test_no_figure_is_cut_where_a_table_is_too_wide() -> None:
    """Columns are set closer, then their heads are folded; every cell of a row stands on its line, whole."""
    columns = [Column("name", Kind.TEXT), *(Column(f"a long head {number}", Kind.NUMBER) for number in range(9))]
    table = Table.of("wide", "", columns, [("a row", *(number / 7 for number in range(9)))])
    for width in (200, 110, 66, 64):
        console = Console(file=io.StringIO(), width=width)
        console.print(FittingTable(table))
        text = console.file.getvalue()  # type: ignore[attr-defined]
        (row,) = [line for line in text.splitlines() if "a row" in line]
        assert row.split() == ["a", "row", *(f"{number / 7:.3f}" for number in range(9))]
        assert text.split().count("head") == 9


def test_an_interval_stands_below_its_figure_where_there_is_no_room_beside_it() -> None:
    """Names and ends of intervals are whole at any width that holds them one below the other."""
    scores = [Interval(0.5, 0.25, 0.75, 9)] * 4
    columns = [Column("system", Kind.PROSE), *(Column(f"measure {place}", Kind.NUMBER) for place in range(4))]
    table = Table.of("scores", "", columns, [("bm25", *scores)])
    console = Console(file=io.StringIO(), width=80)
    console.print(FittingTable(table))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    above, below = (line.split() for line in text.splitlines()[-2:])
    assert above == ["bm25", *["0.500"] * 4]
    assert below == ["[0.250,", "0.750]"] * 4


def test_what_cannot_be_shown_whole_is_seen_to_be_cut() -> None:
    """A terminal that is far too narrow shows no half of a figure as if it were one."""
    table = Table.of("wide", "", [Column(f"n{place}", Kind.NUMBER) for place in range(2)], [[0.123] * 2])
    console = Console(file=io.StringIO(), width=8)
    console.print(FittingTable(table))
    assert "…" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_figure_of_nothing_says_so() -> None:
    """No empty place is left in a page."""
    assert "There is nothing to draw" in page(whole())


def test_ids_and_references_of_drawings_carry_their_key() -> None:
    """A drawing that clips its marks keeps its own clip, whatever else the page draws."""
    html = page(whole())
    used = set(re.findall(r"url\(#([^)]+)\)", html))
    assert used
    assert all(name.startswith("rise-") for name in used)
    assert used <= set(read(html).ids)
