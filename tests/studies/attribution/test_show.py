"""The attribution card, told in words, tables, data and a page; harmless whatever a reader says."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

from memgauge.errors import MalformedDataError
from memgauge.results import plain
from memgauge.show.figures import svg
from memgauge.show.html import page as page_of
from memgauge.show.terminal import lines
from memgauge.studies.attribution.cards import CARDS, CardSet
from memgauge.studies.attribution.cells import DESIGNS, AnswerSource
from memgauge.studies.attribution.charts import TRENDS, matrix_chart, rates_chart, trend_chart
from memgauge.studies.attribution.precedence import parse_order
from memgauge.studies.attribution.question import make_questions
from memgauge.studies.attribution.readers import EVERY, ReaderReply, WiredReader
from memgauge.studies.attribution.show import designs, document
from memgauge.studies.attribution.show import history as shown_history
from memgauge.studies.attribution.study import Attribution, attribute
from memgauge.studies.attribution.tables import (
    HELD,
    design_table,
    leaving_table,
    matrix_table,
    rate_table,
    tables,
    trend_table,
)
from memgauge.studies.attribution.trend import HISTORY, entry
from memgauge.studies.attribution.wirings import DESIGN_POWER, power, separation
from memgauge.studies.attribution.words import headline, notes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser

    from memgauge.show import Table
    from memgauge.studies.attribution.question import Shown
    from memgauge.studies.attribution.trend import CardRecord

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)> \x1b[31m \x00 \u202e [red]|`*"
QUESTIONS = make_questions(4)
ORDER = parse_order("memory,document,state")
CROSSED = """() => [...document.querySelectorAll("figure svg")].flatMap((svg) => {
  const texts = [...svg.querySelectorAll("text")].map((t) => [t.textContent, t.getBoundingClientRect()]);
  return texts.flatMap(([a, r], i) => texts.slice(i + 1).filter(([, s]) =>
    r.left < s.right && s.left < r.right && r.top + 3 < s.bottom && s.top + 3 < r.bottom
  ).map(([b]) => [a, b]));
})"""


@dataclass
class Evil:
    """Says what nobody should print."""

    name: str = EVIL
    details: Mapping[str, Any] = field(default_factory=lambda: {"version": EVIL})
    carries: frozenset[AnswerSource] = EVERY
    logs: frozenset[AnswerSource] = frozenset({AnswerSource.MEMORY})

    def read(self, asks: Sequence[Shown]) -> Iterator[ReaderReply]:
        """Answer, cite, log and fail."""
        for ask in asks:
            broken = not ask.state
            yield ReaderReply(EVIL, frozenset({EVIL, "?"}), frozenset({EVIL}), EVIL if broken else "")


@pytest.fixture(scope="module")
def card() -> Attribution:
    """Measure the wiring that has something in every table."""
    return attribute(WiredReader("memory-else-guess"), QUESTIONS, declared=ORDER, memories=13)


@pytest.fixture(scope="module")
def narrow() -> Attribution:
    """Measure a reader of memory alone."""
    return attribute(
        WiredReader("memory-first", carries=frozenset({AnswerSource.MEMORY})), QUESTIONS, declared=ORDER
    )


@pytest.fixture(scope="module")
def history(card: Attribution) -> list[CardRecord]:
    """Remember three states of things, one of them with an evil name."""
    cards = [attribute(WiredReader(name), QUESTIONS) for name in ("guesser", "majority")]
    builds = ("one", EVIL, "three")
    return [entry(one, "2026-11-01", build) for one, build in zip([*cards, card], builds, strict=True)]


def measured(*cards: Attribution, history: Sequence[CardRecord] = ()) -> CardSet:
    """Put cards together as the command does; only the first has a past."""
    pasts = (tuple(history), *((),) * (len(cards) - 1)) if history else ()
    return CardSet(cards, 4, 0, tuple(map(str, ORDER)), pasts)


def printed(card: Attribution, history: Sequence[CardRecord] = (), width: int = 120) -> str:
    """Print a card as the command does."""
    console = Console(file=io.StringIO(), width=width, highlight=False)
    for part in lines(document(measured(card, history=history))):
        console.print(part, markup=False)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def cells(table: Table) -> list[tuple[str, ...]]:
    """Return what a table says."""
    return [tuple(cell.text for cell in row) for row in table.rows]


def test_the_headline_says_why_right_answers_were_right(card: Attribution) -> None:
    """And what is broken, and what failed."""
    assert headline(card) == (
        "wiring:memory-else-guess: 4 of 4 questions right (4 from memory). "
        "ORDER_BROKEN: declared memory, document, state."
    )
    wrong = attribute(WiredReader("guesser"), QUESTIONS)
    assert headline(wrong) == "wiring:guesser: 2 of 4 questions right (2 from no source)."
    failed = replace(card, ends={**card.ends, "failed": 2, "right, from memory": 2})
    assert "2 of 2 questions right (2 from memory). 2 questions failed." in headline(failed)


def test_the_matrix_has_a_row_for_every_cell(card: Attribution) -> None:
    """What sources hold, and how many answers follow whom."""
    table = matrix_table(card)
    rows = cells(table)
    assert table.heads == ("cell", "memory", "document", "state", "→memory", "→agreed", "→shared", "→guess")
    assert len(rows) == 21
    assert ("conflict-without-memory", HELD["absent"], "its own", "its own", "", "", "", "4") in rows
    assert all(sum(int(cell or 0) for cell in row[4:]) == 4 for row in rows)


def test_what_a_reader_cannot_be_given_is_left_out_and_said(narrow: Attribution) -> None:
    """No empty columns, no empty rows, one sentence; in the data it is undefined with its reason."""
    table = matrix_table(narrow)
    rows = cells(table)
    assert table.heads == ("cell", "memory", "→memory", "→agreed", "→abstained")
    assert [row[0] for row in rows] == ["agree", "swap-memory", "only-memory", "absent", "without-memory"]
    assert not [row for row in cells(rate_table(narrow)) if "document" in row[0]]
    told = printed(narrow)
    assert "16 cells of 21 are about document and state, which it cannot be given." in told
    assert "Order of precedence: the reader cannot be given all three sources." in told
    assert "cannot be told apart from memory-only, memory-first" in told
    rates = plain(narrow)["rates"]
    assert rates["follows"]["document"]["share"]["reason"] == "the reader cannot be given that source"


def test_the_sample_is_said_to_be_of_slots() -> None:
    """Beside the count of questions, under the rates, and in a note; cards of before say what theirs were over."""
    card = attribute(WiredReader("guesser"), make_questions(24))
    told = " ".join(printed(card).split())
    assert "24 questions on 12 slots, " in told
    assert "Shares with 95 % intervals over the 12 slots." in told
    assert "The sample is of 12 slots, however many questions are asked" in told
    before = " ".join(printed(replace(card, slots=0)).split())
    assert "Shares with 95 % intervals over questions." in before
    assert "12 slots" not in before


def test_everything_is_printed(card: Attribution, history: list[CardRecord]) -> None:
    """Tables with titles that do not wrap, notes below; an undefined rate says why."""
    told = printed(card, history)
    for words in (
        "Whom answers follow",
        "Where sources contradict each other",
        "Answers as the wirings would",
        "13 memories, the truth stored twice",
        "Trend over 3 runs",
        "undefined",
        "every ask was made once",
        "Declared order memory, document, state: NOT kept; observed: memory.",
        "It answers, in 1.000 of asks, most like memory-else-guess.",
        "Of 13 memories a question:",
    ):
        assert words in told


def test_leaving_out_is_a_table_only_where_it_was_asked(card: Attribution, narrow: Attribution) -> None:
    """With random halves where there are many."""
    table = leaving_table(card)
    assert table is not None
    rows = cells(table)
    assert rows[0][:2] == ("memory", "0.000")
    assert rows[0][2].startswith("+0.")
    assert ("all that say the truth", "1.000", "") in rows
    assert rows[-1][0] == "any of the others"
    assert table.rows[0][2].low is not None
    assert leaving_table(narrow) is None


def test_a_trend_needs_two_runs(history: list[CardRecord]) -> None:
    """Rows are rates, columns the last few runs; what was broken stands below."""
    assert trend_table(history[:1]) is None
    assert trend_chart(history[:1]) is None
    table = trend_table(history)
    assert table is not None
    assert table.heads[0] == "rate"
    assert table.heads[3] == "three"
    assert dict((row[0], row[1:]) for row in cells(table))["broken"] == ("", "", "ORDER_BROKEN")  # noqa: C402 - rows are longer than pairs
    many = trend_table(history * 5)
    assert many is not None
    assert len(many.heads) == 7
    assert trend_chart(history * 5) is not None


def test_designs_are_a_table() -> None:
    """What each tells apart, and what it confuses."""
    rows = {row[0]: row[1:] for row in cells(design_table([separation(name) for name in DESIGNS]))}
    assert rows["accuracy only"] == ("1", "1 of 8", "all")
    assert rows["12 cells"] == ("12", "7 of 8", "guesser = memory-if-document-agrees")
    assert rows["15 cells"] == ("15", "8 of 8", "")
    assert plain(separation("15 cells"))["separates"] == 8
    shown = designs(power(guessable=False))
    assert "the truth is made up" in shown.facts[0]
    assert "15 cells tells most apart: 8 of 8" in designs(power()).lead
    written = json.loads(json.dumps(plain(shown.data)))
    assert DESIGN_POWER.read(written) == power(guessable=False)


def test_data_is_json_and_says_what_is_broken(card: Attribution) -> None:
    """All of it, matrix and rates with counts."""
    data = json.loads(json.dumps(plain(card)))
    assert data["broken"] == ["ORDER_BROKEN: declared memory, document, state"]
    assert data["nearest"] == ["memory-else-guess"]
    assert data["rates"]["follows"]["memory"]["hits"] == 4
    assert len(data["matrix"]) == 21


def test_drawings_say_in_words_what_they_show(
    card: Attribution, narrow: Attribution, history: list[CardRecord]
) -> None:
    """A matrix, rates and a trend; nothing is drawn of nothing."""
    for made in (matrix_chart(card), matrix_chart(narrow), rates_chart(card)):
        assert made is not None
        assert svg(made, uid="m", title="m").startswith("<svg")
    matrix, trend = matrix_chart(card), trend_chart(history)
    assert matrix is not None
    assert trend is not None
    assert "conflict: memory 4" in matrix.description
    assert all(name in svg(trend, uid="t", title="t") for name in TRENDS)
    assert matrix_chart(replace(card, matrix=())) is None
    failed = attribute(Evil(), QUESTIONS)
    assert rates_chart(failed) is not None


def test_nothing_that_a_reader_says_is_obeyed(history: list[CardRecord]) -> None:
    """Neither a terminal nor a page does what a name, an answer, a reason or a build says."""
    evil = attribute(Evil(), QUESTIONS, declared=ORDER, memories=3)
    told = printed(evil, history)
    assert "\x1b" not in told
    assert "\\x1b[31m" in told
    assert "\u202e" not in told
    made = page_of(document(measured(evil, history=history)))
    assert "<script" not in made
    assert "<img" not in made
    assert not re.search("[\x00\x1b\u202e]", made)


def test_witnesses_and_phantoms_are_named() -> None:
    """What moves unlogged, and what was cited though nobody gave it."""

    @dataclass
    class Careless(Evil):
        """Follows memory, logs nothing, cites what does not exist."""

        name: str = "careless"

        def read(self, asks: Sequence[Shown]) -> Iterator[ReaderReply]:
            """Answer."""
            for told in WiredReader("memory-first").read(asks):
                yield ReaderReply(told.text, frozenset({"?"}), frozenset())

    said = list(notes(attribute(Careless(), QUESTIONS)))
    assert "memory moves the answer to 'What is my home city?' and is not logged, cell agree" in " ".join(said)
    assert "72 citations of what was never given." in said


def test_a_page_is_whole(card: Attribution, narrow: Attribution, history: list[CardRecord]) -> None:
    """One section a reader, figures, every table, designs; one card gives the page its name."""
    both = document(measured(card, narrow, history=history))
    made = page_of(both)
    assert made.startswith("<!doctype html>")
    assert re.findall(r"<section id=.([\w-]+)", made) == ["card-0", "card-1"]
    assert 'id="designs"' in made
    assert made.count("<svg") == 5
    assert "Right for the right reason?" in made
    assert both.lead == "2 readers; wiring:memory-else-guess cannot be let through."
    assert '<span class="badge warn">ORDER_BROKEN</span>' in made
    assert "15 cells" in made
    every = [*tables(card, 0, history), *tables(narrow, 1)]
    assert len(every) == 6 + 3
    assert all(f'id="{table.key}"' in made for table in every)
    alone = document(measured(narrow))
    assert alone.title == "Attribution: wiring:memory-first"
    assert alone.identity["declared order"] == "memory,document,state"
    assert document(measured(card, history=history)).identity["history"] == "3 runs"


def test_a_result_is_read_back_as_it_was_written(card: Attribution, history: list[CardRecord]) -> None:
    """What a file says is the cards again, and their document says the same; another version is refused."""
    value = measured(card, history=history)
    written = json.loads(json.dumps(plain(CARDS.of(value))))
    again = CARDS.read(written)
    assert plain(again) == plain(value)
    assert printed(again.cards[0], again.history[0]) == printed(card, history)
    with pytest.raises(MalformedDataError, match="version 2, not a attribution result of version 1"):
        CARDS.read({**written, "version": 2})
    with pytest.raises(MalformedDataError, match="no result of this version"):
        CARDS.read({"cards": []})


def test_a_history_shows_every_reader_and_card(history: list[CardRecord], tmp_path: Path) -> None:
    """A trend for each reader under one design that has two runs; a row for each card."""
    path = tmp_path / "history.jsonl"
    HISTORY.append(path, [*history, replace(history[0], build="again")])
    shown = shown_history(path)
    assert shown.lead == "4 cards of 3 readers."
    trend, records = shown.tables
    assert trend.title == "wiring:guesser: Trend over 2 runs"
    assert len(records.rows) == 4
    assert len(list(shown.figures)) == 1
    assert "\x1b" not in page_of(shown)


@pytest.mark.browser
def test_the_page_in_a_real_browser(
    card: Attribution, history: list[CardRecord], browser: Browser, tmp_path: Path
) -> None:
    """Quiet, without a request, never wider than the window; no two words of a figure overlap."""
    path = tmp_path / "card.html"
    path.write_text(page_of(document(measured(card, history=history))), "utf-8")
    said: list[str] = []
    page = browser.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.goto(path.as_uri())
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("figure svg").count() == 3
    assert page.evaluate(CROSSED) == []
    page.close()
    assert said == [path.as_uri()]
