"""Every page shows what the instrument knows, and adds no number of its own."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, RunNotFoundError, UnknownNameError, UserError
from memgauge.records import BOARD, Coverage, Credit
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import DEFAULT_MEASURES, Settings
from memgauge.show import Tone
from memgauge.show.numbers import number
from memgauge.studies.targets.verdicts import Terms
from memgauge.web.address import Address
from memgauge.web.groups import groups
from memgauge.web.library import Library
from memgauge.web.pages import multiverse, questions
from memgauge.web.site import PAGES, Site
from memgauge.web.studies import found, kinds

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.show import Document, Table
    from memgauge.web.library import Item
    from memgauge.web.view import View

QUESTION = "u000000_q01"


def text(html: str) -> str:
    """Return what a page says, without its markup."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def said(view: View) -> Document:
    """Return what a page says."""
    return view.document


def sheet(view: View, key: str) -> Table:
    """Return a table that must be there."""
    return next(table for table in said(view).tables if table.key == key)


def test_the_first_page_warns_of_what_the_board_warns_of(site: Site, library: Library) -> None:
    """Why nobody is ranked stands below the table, as its lead says."""
    (own,) = groups(library)
    home, board = said(site.view(Address.of("home"))), said(site.view(Address.of("board", own.key)))
    assert "the marks below the table say why" in home.lead
    assert [note for note in board.notes if note.tone is Tone.WARN] == list(home.notes)
    assert "It was played in the harness's process" in text(site.html(Address.of("home")))


def test_the_first_page_says_the_newest_verdict_what_is_here_and_where_to_go(site: Site, library: Library) -> None:
    """Its verdict is the board's own, its picture and ranking are the board's, and every way leads to a page."""
    (own,) = groups(library)
    home, board = site.view(Address.of("home")), site.view(Address.of("board", own.key))
    assert said(home).lead == said(board).lead
    assert sheet(home, "leaderboard") == sheet(board, "leaderboard")
    shown = site.html(Address.of("home"))
    for page in (f"/board/{own.key}", f"/questions/{own.key}", "/runs", "/compare", "/studies"):
        assert f'href="{page}"' in shown
    assert "4 finished runs, 1 unfinished" in text(shown)
    assert "2 conversations" in text(shown)


def test_runs_are_listed_with_their_state_beside_their_name(site: Site) -> None:
    """Every run is there, sealed or not; the state is the second column, which a phone shows."""
    rows = sheet(site.view(Address.of("runs")), "runs").rows
    assert sorted(row[1].text for row in rows) == ["sealed"] * 4 + ["unfinished"]


def test_questions_of_a_board_are_searched_a_page_at_a_time(
    site: Site, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words, category and who hands over what is needed narrow the list, whose pages hold each question once."""
    (own,) = groups(library)
    whole = sheet(site.view(Address.of("questions", own.key)), "questions").rows
    names = [row[0].under for row in whole]
    assert len(names) == len(set(names)) > 3
    assert [row[0].leads.page for row in whole] == ["question"] * len(whole)
    monkeypatch.setattr(questions, "EACH", 3)
    asked = Address.of("questions", own.key)
    pages = [sheet(site.view(asked.but(page=n)), "questions").rows for n in (1, 2)]
    assert [row[0].under for page in pages for row in page] == names[:6]
    first = whole[0]
    same = sheet(site.view(Address.of("questions", own.key, words=first[0].under)), "questions").rows
    assert [row[0].under for row in same] == [first[0].under]
    kind = site.view(Address.of("questions", own.key, category=first[1].text))
    assert {row[1].text for row in sheet(kind, "questions").rows} == {first[1].text}
    monkeypatch.setattr(questions, "EACH", 1000)
    by_who = [
        len(sheet(site.view(Address.of("questions", own.key, who=who)), "questions").rows)
        for who in ("all", "split", "none", "open")
    ]
    assert sum(by_who) == len(whole)


@pytest.mark.parametrize(
    ("asked", "left"), [({"words": "bm25"}, 1), ({"state": "unfinished"}, 1), ({"dataset": "no"}, 0)]
)
def test_runs_are_filtered(site: Site, asked: dict[str, str], left: int) -> None:
    """Words, data and state narrow the list."""
    assert len(sheet(site.view(Address.of("runs", **asked)), "runs").rows) == left


def test_a_board_shows_what_scoring_says(site: Site, library: Library) -> None:
    """Values, intervals and places are those of `memgauge score` on the same runs, at full precision."""
    (own,) = groups(library)
    (built,) = leaderboards(
        [one.folder for one in own.items], Settings(BOARD, DEFAULT_MEASURES), allow_unpinned=True
    )
    rows = sheet(site.view(Address.of("board", own.key)), "leaderboard").rows
    assert [row[1].text for row in rows] == [one.label for one in built.board.entries]
    for row, one in zip(rows, built.board.entries, strict=True):
        assert row[2].value == one.scores[built.board.measures[0]].value
        assert row[2].text == number(one.scores[built.board.measures[0]].value)


def test_the_picker_changes_the_contract(site: Site, library: Library) -> None:
    """Another target, measure and depth give another board, which says so."""
    (own,) = groups(library)
    asked = {"target": "canonical", "credit": "id", "coverage": "all", "k": 10, "measure": "Recall@5"}
    view = site.view(Address.of("board", own.key, **asked))
    assert said(view).identity["contract"].startswith("target=canonical,credit=id,coverage=all")
    assert said(view).identity["k"] == "10"
    assert sheet(view, "leaderboard").heads[2] == "Recall@5"


def test_the_picker_names_the_measure_that_is_shown(site: Site, library: Library) -> None:
    """Small conversations are ranked within a budget that fits them, and the control says what the table does."""
    (own,) = groups(library)
    for address in (Address.of("board", own.key), Address.of("board", own.key, measure="Recall@5")):
        view = site.view(address)
        (ranked_by,) = (choice for choice in view.form if choice.name == "measure")
        assert ranked_by.chosen == sheet(view, "leaderboard").heads[2]


def test_the_strip_has_a_cell_for_every_contract(site: Site, library: Library) -> None:
    """The strip counts how many contracts keep the order, and each cell exports the whole order."""
    (own,) = groups(library)
    strip = sheet(site.view(Address.of("multiverse", own.key)), "multiverse")
    cells = [cell for row in strip.rows for cell in row[1:] if cell.text]
    same = sum(cell.text == "same" for cell in cells)
    assert f"the same under {same} of {len(cells)} contracts" in strip.title
    assert all("bm25" in str(cell.value) for cell in cells)
    assert "stands first under" in strip.title
    assert "leads" not in strip.title
    assert "nDCG@60, Hit@60, Recall@60, Complete@60 and MRR@60" in strip.note


def test_the_strip_leaves_out_contracts_under_which_nobody_finds_anything(site: Site, library: Library) -> None:
    """Turns that were kept word for word are no derived memories: there is no order to count, and it is said."""
    (own,) = groups(library)
    strip = sheet(site.view(Address.of("multiverse", own.key)), "multiverse")
    assert not any(str(row[0].text).startswith("canonical") for row in strip.rows)
    assert "Left out, because not every run stores what it credits: target canonical." in strip.note


def test_contracts_without_an_order_are_counted_apart() -> None:
    """Where all means are 0 the order would be one of names: such contracts are named and not counted."""
    found, none = (Terms(target, Credit.ANCHOR, Coverage.ANY, "nDCG@60") for target in ("source", "raw"))
    table = multiverse.table(multiverse.Multiverse(((found, ("a", "b"), 9),), (), (none,)))
    assert "the same under 1 of 1 contract; a stands first under 1" in table.title
    assert "Left out: 1 contract under which none of them finds anything (target raw)." in table.note


def test_a_comparison_names_who_gains_and_loses(site: Site, library: Library) -> None:
    """Wins and losses by category add up to those of the whole, and to the questions that are listed."""
    runs = {one.label: one.key for one in library.finished()}
    view = site.view(Address.of("compare", a=runs["random"], b=runs["oracle"]))
    parts = sheet(view, "parts").rows
    first = sheet(view, "differences").rows[0]
    wins, losses = (sum(int(row[place].value or 0) for row in parts) for place in (2, 3))
    assert first[6].text == f"{wins} / {losses}"
    assert len(sheet(view, "gained").rows) == min(wins, 60)
    assert "would show no difference" in " ".join(note.text for note in said(view).notes)
    assert "oracle is higher than random on Recall@62tok, not confirmed after correction" in said(view).lead


def test_unlike_runs_are_not_compared(site: Site, library: Library) -> None:
    """A factor that does not cover what differs is refused with a sentence."""
    runs = {one.label: one.key for one in library.finished()}
    with pytest.raises(UserError, match="differ in more than the seed"):
        site.view(Address.of("compare", a=runs["bm25"], b=runs["random"], factor="seed"))


def test_a_question_tells_its_whole_story(site: Site, bm25: Item) -> None:
    """Evidence, what was stored of it, ranked hits by target, answer, votes with raw replies, and the stage."""
    address = Address.of("question", bm25.key, id=QUESTION)
    view, shown = site.view(address), text(site.html(address))
    assert sheet(view, "hits").heads[1:4] == ("raw", "source", "canonical")
    assert any(cell.text == "✓" for row in sheet(view, "hits").rows for cell in row)
    assert sheet(view, "stored").rows
    assert sheet(view, "writes").rows
    for told in ("The conversation", "panel of a judge", '"why": "<b>because</b>"', "The question is asked here."):
        assert told in shown
    (answer,) = view.values["answers"]
    assert answer.stage
    assert answer.by == "the panel"


def test_questions_lead_to_their_neighbours_and_to_other_runs(site: Site, bm25: Item) -> None:
    """The next question's previous one is this one; every other system's story is one link away."""
    address = Address.of("question", bm25.key, id=QUESTION)
    onward = dict(site.view(address).more)
    assert dict(site.view(onward["Next question"]).more)["Previous question"] == address
    assert len(site.view(address).values["others"]) == 3


def test_every_turn_and_every_hit_can_be_asked_for(site: Site, bm25: Item) -> None:
    """The whole conversation and the whole ranking are each one link further."""
    brief = site.view(Address.of("question", bm25.key, id=QUESTION))
    whole = site.view(Address.of("question", bm25.key, id=QUESTION, turns="all", hits="all"))
    assert len(sheet(whole, "hits").rows) >= len(sheet(brief, "hits").rows)
    assert sum(len(one.lines) for one in whole.values["sittings"]) == sum(
        one.turns for one in whole.values["sittings"]
    )


def test_the_memory_browser_filters_and_leads_on(site: Site, bm25: Item) -> None:
    """A word narrows the list; a memory shows its versions, turns, and the questions it was returned for."""
    everything = site.view(Address.of("memories", bm25.key))
    first = sheet(everything, "memories").rows[0]
    narrowed = site.view(Address.of("memories", bm25.key, words=first[0].text, form="raw"))
    assert 1 <= len(sheet(narrowed, "memories").rows) < len(sheet(everything, "memories").rows)
    one = site.view(first[0].leads)
    assert sheet(one, "versions").rows
    assert sheet(one, "sources").rows[0][2].text
    assert next(figure.draw() for figure in said(one).figures) is not None


def test_pages_of_a_list_follow_each_other(site: Site, bm25: Item) -> None:
    """The second page begins where the first one ends."""
    first = site.view(Address.of("memories", bm25.key))
    second = site.view(dict(first.more)["Further records"])
    assert dict(second.more)["Records before"].get("page") == "1"
    assert sheet(first, "memories").rows[-1] != sheet(second, "memories").rows[0]


def test_every_study_has_a_page(site: Site, library: Library) -> None:
    """Each result that lies there is recognised and shown; the index says what makes the others."""
    results = found(library)
    assert {one.kind for one in results} == {
        "golden", "golden history", "attribution", "attribution designs", "attribution history", "context",
        "context history", "context prompts", "context rules", "context tasks", "systems matrix", "shift",
        "quality", "track", "track comparison", "track lint", "track scores", "track statistics", "targets",
    }  # fmt: skip
    for one in results:
        assert one.name in text(site.html(Address.of("study", one.key)))
    missing = sheet(site.view(Address.of("studies")), "missing")
    assert {row[0].text for row in missing.rows} == set(kinds()) - {one.kind for one in results}


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (
            "shift",
            (
                "fusion is highest overall on the clean stream, but hsr is highest",
                "Table 5: does the order survive?",
                "(0.568)",
                "A burst precedes each of the first 3 questions",
                "Does the finding survive another reading?",
            ),
        ),
        (
            "quality",
            (
                "Of 5 pairs of the document's systems",
                "vector store over hybrid",
                "(0.78)",
                "SilentWrongly",
                "not comparable",
            ),
        ),
    ],
)
def test_a_study_shows_its_document_with_every_table_to_take_away(
    site: Site, library: Library, kind: str, words: tuple[str, ...]
) -> None:
    """Verdict, tables and published figures are those of the study; each table can be had as CSV."""
    shown = next(each for each in found(library) if each.kind == kind)
    address = Address.of("study", shown.key)
    document = site.view(address).document
    assert document is not None
    html = site.html(address)
    for sentence in words:
        assert sentence in text(html)
    assert html.count(">CSV</a>") == len(list(document.tables))


def test_a_golden_page_shows_failures_history_and_identity(site: Site, library: Library) -> None:
    """The page of a run is that of the study: scenario, steps, witness, what changed, and what makes it again."""
    shown = {
        one.kind: site.html(Address.of("study", one.key))
        for one in found(library)
        if one.kind.startswith("golden")
    }
    assert "CSV" in shown["golden"]
    for words in ("Golden suite", "What did not pass", "witness", "Over time", "fingerprint", "history 2 runs"):
        assert words in text(shown["golden"])
    assert "2 runs of 1 memory" in text(shown["golden history"])
    assert "No run was accepted as the baseline yet" in text(shown["golden history"])


def test_an_attribution_page_shows_its_history_and_identity(site: Site, library: Library) -> None:
    """The page of a result is that of the study: figures, tables, the trend it was made with, its seed."""
    shown = {
        one.kind: text(site.html(Address.of("study", one.key)))
        for one in found(library)
        if one.kind.startswith("attribution")
    }
    for words in (
        "Whom answers follow",
        "Trend over 2 runs",
        "What designs tell apart",
        "seed 0",
        "history 2 runs",
    ):
        assert words in shown["attribution"]
    assert "2 cards of 1 reader." in shown["attribution history"]
    assert "wiring:memory-only: Trend over 2 runs" in shown["attribution history"]
    assert "15 cells" in shown["attribution designs"]


@pytest.mark.parametrize(
    ("kind", "tables", "words"),
    [
        ("context", ("effective", "matchers", "lengths", "profile", "depths"), "as a 95 % lower bound in tokens"),
        ("context history", ("measurements",), "2 measurements."),
        ("context prompts", ("prompts-0",), "No model was asked."),
        ("context rules", ("rules",), "claims more than there is"),
        ("context tasks", ("tasks", "examples"), "what it takes"),
        ("track", ("overall", "seen", "patterns"), "accepted:"),
        ("track scores", ("timelines", "overall", "spread"), "Answers were judged by rules alone."),
        ("track comparison", ("differences",), "Paired over instances."),
        ("track statistics", ("instances", "timelines"), "1 instance over 1 different history."),
        ("track lint", ("findings",), "0 findings in 1 instance."),
    ],
)
def test_a_study_is_shown_as_its_document(
    site: Site, library: Library, kind: str, tables: tuple[str, ...], words: str
) -> None:
    """Every table of it is on the page and can be taken away, and the page says what the document says."""
    study = next(each for each in found(library) if each.kind == kind)
    address = Address.of("study", study.key)
    page = site.html(address)
    assert words in text(page)
    for key in tables:
        assert f'id="{key}"' in page
        assert site.file(address.but(**{"as": "csv", "of": key})).content


def test_a_matrix_shows_what_each_system_promises_and_what_was_seen(site: Site, library: Library) -> None:
    """Saved cards are shown as the report shows them, a system a column, and not as the data that they are."""
    one = next(one for one in found(library) if one.kind == "systems matrix")
    shown = text(site.html(Address.of("study", one.key)))
    assert "nothing left after erasing" in shown
    assert '"capabilities"' not in shown


@pytest.mark.parametrize("page", sorted(PAGES))
def test_what_is_not_there_is_said_in_a_sentence(site: Site, page: str) -> None:
    """A wrong name is an error with a remedy, on every page that takes one."""
    if PAGES[page][1] == 0:
        return
    with pytest.raises(RunNotFoundError):
        site.view(Address.of(page, "no-such-thing"))


@pytest.mark.parametrize(
    "address",
    [
        Address.of("nothing"),
        Address.of("runs", "too", "many"),
        Address.of("question"),
        Address.of("board", "a", "b"),
    ],
)
def test_an_address_that_no_page_has_is_refused(site: Site, address: Address) -> None:
    """Unknown pages and wrong numbers of parts say where to begin."""
    with pytest.raises(RunNotFoundError, match="no page"):
        site.view(address)


def test_unknown_questions_memories_and_contracts_are_named(site: Site, library: Library, bm25: Item) -> None:
    """Whatever was asked under a name that does not exist comes back with what there is."""
    (own,) = groups(library)
    with pytest.raises(UnknownNameError):
        site.view(Address.of("question", bm25.key, id="nope"))
    with pytest.raises(UnknownNameError):
        site.view(Address.of("memory", bm25.key, memory="nope", conversation="x"))
    with pytest.raises(UnknownNameError, match="contract target"):
        site.view(Address.of("board", own.key, target="nonsense"))


def test_an_empty_shelf_says_how_to_begin(tmp_path: Path) -> None:
    """Without a run there is a first page all the same, and a comparison says what it needs."""
    empty = Site(Library((tmp_path,)))
    for page in ("home", "runs"):
        assert "memgauge demo" in empty.html(Address.of(page))
    with pytest.raises(ConfigError, match="two finished runs"):
        empty.view(Address.of("compare"))


def test_a_run_whose_data_is_gone_still_shows_what_it_returned(tmp_path: Path, bm25: Item) -> None:
    """Hits and memories need no dataset; the page says what is missing and why."""
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(bm25.folder, copy)
    manifest = copy / "manifest.json"
    manifest.write_text(manifest.read_text("utf-8").replace("synthetic:tiny", "synthetic:gone"), "utf-8")
    gone = Site(Library((tmp_path,)))
    (item,) = gone.library.items()
    view = gone.view(Address.of("question", item.key, id=QUESTION))
    assert "are not shown" in said(view).notes[0].text
    assert sheet(view, "hits").rows
    assert "are not shown" in said(gone.view(Address.of("run", item.key))).notes[0].text
