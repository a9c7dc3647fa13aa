"""What stands behind a title: shown by a terminal or not, and how much of it where people talk."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from memgauge.show import Code, Document, Fold, Prose, Section, Step, Steps
from memgauge.show.html import page
from memgauge.show.markdown import markdown
from memgauge.show.terminal import lines


def told(fold: Fold, *, everything: bool = False) -> str:
    """Print a section with a sentence, a timeline and two programs, one of which is brief."""
    console = Console(file=io.StringIO(), width=80)
    for line in lines(of(fold), everything=everything):
        console.print(line)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def of(fold: Fold) -> Document:
    """Make a document of one section."""
    programs = (Code("long program"), Code("short program", brief=True))
    blocks = (Prose("what was wrong"), Steps((Step("ask"),)), *programs)
    return Document("Title", blocks=(Section("case", "A case", blocks, fold),))


@pytest.mark.parametrize("fold", [Fold.FOLDED, Fold.AJAR, Fold.OPEN])
def test_a_terminal_shows_the_words_of_a_folded_section(fold: Fold) -> None:
    """Its timeline and long programs are shown on request, as everywhere."""
    brief = told(fold)
    assert "what was wrong" in brief
    assert "short program" in brief
    assert "long program" not in brief
    assert "ask" not in brief
    assert "long program" in told(fold, everything=True)
    assert "ask" in told(fold, everything=True)


def test_a_terminal_shows_a_closed_section_on_request_only() -> None:
    """Neither its title nor its words."""
    assert "A case" not in told(Fold.CLOSED)
    assert "what was wrong" in told(Fold.CLOSED, everything=True)


def test_a_page_hides_a_folded_section_behind_its_title() -> None:
    """It is a closed detail that a reader opens."""
    assert '<details class="story" id="case">' in page(of(Fold.FOLDED))
    assert '<details class="story" id="case" open>' in page(of(Fold.AJAR))


def test_markdown_writes_an_identity_that_cannot_end_its_own_quotes() -> None:
    """A value with a backtick or markup is escaped; a plain one stands letter by letter."""
    text = markdown(Document("Title", identity={"plain": "bm25:k1=1.2", "evil": "`<script>`"}))
    assert "plain `bm25:k1=1.2`" in text
    assert "<script>" not in text
    assert "\\`&lt;script&gt;\\`" in text


def test_markdown_leaves_what_is_long_in_folded_sections_to_pages() -> None:
    """Timelines and programs; the words stay, and what is closed stays whole."""
    assert "1. ask" in markdown(of(Fold.CLOSED))
    assert "1. ask" not in markdown(of(Fold.FOLDED))
    assert "what was wrong" in markdown(of(Fold.FOLDED))
    assert "program" not in markdown(of(Fold.FOLDED))
    assert "long program" in markdown(of(Fold.CLOSED))
