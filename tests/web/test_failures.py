"""The viewer says what failed and why: for a board, for one run, and on the page of each question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.records import BOARD
from memgauge.scoring.failures import failures
from memgauge.scoring.leaderboard import leaderboards
from memgauge.scoring.score import Settings
from memgauge.web.address import Address
from memgauge.web.groups import group_of
from memgauge.web.library import Library
from memgauge.web.pages.failures import ORDERS, ordered
from memgauge.web.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from memgauge.scoring.failures import FailureList
    from memgauge.show import Table
    from memgauge.web.library import Item
    from memgauge.web.view import View
    from support.cli import Said


def table(view: View, key: str) -> Table:
    """Return a table that must be there."""
    return next(each for each in view.document.tables if each.key == key)


def failed(library: Library, item: Item) -> FailureList:
    """List what a run failed as the command line does."""
    board = group_of(library, item)
    assert board is not None
    (built,) = leaderboards([each.folder for each in board.items], Settings(BOARD), allow_unpinned=True)
    return failures(built.judged, built.gold, built.settings.parsed[0], limit=None, systems=[item.label])


def test_a_run_shows_every_failure_with_its_cause(site: Site, library: Library, bm25: Item) -> None:
    """The page lists what the command lists, each question a link to its own page; causes lead to theirs."""
    listed = failed(library, bm25)
    view = site.view(Address.of("failures", bm25.key))
    shown = table(view, "failures").rows
    assert [row[0].text for row in shown] == [each.question for each in listed.shown][:100]
    assert [(row[1].text, row[1].under) for row in shown] == [(e.cause, e.detail) for e in listed.shown][:100]
    assert shown[0][0].leads == Address.of("question", bm25.key, id=listed.shown[0].question)
    (cause, count), *_ = listed.causes["bm25"].items()
    row = table(view, "causes").rows[0]
    assert (row[1].text, row[2].value) == (cause, count)
    fewer = site.view(row[1].leads)
    assert {row[1].text for row in table(fewer, "failures").rows} == {cause}
    assert fewer.document.lead == view.document.lead


def test_a_board_shows_all_systems_and_filters(site: Site, library: Library, bm25: Item) -> None:
    """One page for a board; a form chooses system, category and order; floors and ceilings are left out."""
    board = group_of(library, bm25)
    assert board is not None
    view = site.view(Address.of("failures", board.key))
    systems = {row[3].text for row in table(view, "failures").rows}
    assert "bm25" in systems
    assert "oracle" not in systems
    category = table(view, "categories").rows[0][1].text
    inside = site.view(Address.of("failures", board.key, system="bm25", category=category))
    assert {(row[3].text, row[4].text) for row in table(inside, "failures").rows} == {("bm25", category)}
    assert {choice.name for choice in view.form} >= {"cause", "category", "system", "order", "partly"}


def test_orders_sort_by_score_and_lose_nothing(library: Library, bm25: Item) -> None:
    """Every order holds the same failures; the lowest score stands first, or the highest."""
    listed = list(failed(library, bm25).shown)
    for order in ORDERS:
        assert sorted(map(hash, ordered(listed, order))) == sorted(map(hash, listed))
    lowest = [each.reached for each in ordered(listed, "lowest")]
    assert lowest == sorted(lowest)


def test_a_missed_question_leads_with_its_cause(site: Site, library: Library, bm25: Item) -> None:
    """The page says what was lost and where, then what outranked the evidence and which words each shares."""
    failure = failed(library, bm25).shown[0]
    view = site.view(Address.of("question", bm25.key, id=failure.question))
    assert view.document.lead.startswith(f"Missed: {failure.cause}, {failure.detail}. bm25: ")
    rows = table(view, "outranked").rows
    assert any(row[1].text == "evidence" for row in rows)
    for row in rows:
        assert all(word in row[2].text.casefold() for word in row[3].text.split(", ") if word != "none")
    assert "Missed" in site.html(Address.of("question", bm25.key, id=failure.question))


def test_a_page_compares_vectors_when_asked_and_says_why_not(
    site: Site, library: Library, bm25: Item, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is embedded unasked; the link asks, and an embedder that is not at hand is said to be missing."""
    address = Address.of("question", bm25.key, id=failed(library, bm25).shown[0].question)
    monkeypatch.setattr("memgauge.web.pages.question.EMBEDDER", "hashed")
    view = site.view(address)
    assert "Vectors are not compared: no embedder was asked for" in table(view, "outranked").note
    compared = table(site.view(view.values["vectors"]), "outranked")
    assert (compared.heads[-1], "stand-in" in compared.note) == ("cosine", True)
    assert all(isinstance(row[-1].value, float) for row in compared.rows)
    monkeypatch.setattr("memgauge.web.pages.question.EMBEDDER", "nobody")
    assert "Unknown embedder" in table(site.view(view.values["vectors"]), "outranked").note


def test_the_page_says_what_the_command_says(
    site: Site, library: Library, bm25: Item, memgauge: Callable[..., Said]
) -> None:
    """What outranked the evidence, what was stored and where the list was cut are the same rows on both."""
    failure = failed(library, bm25).shown[0]
    view = site.view(Address.of("question", bm25.key, id=failure.question))
    for key in ("outranked", "stored", "cuts"):
        out = memgauge(
            "runs", "why", bm25.folder, failure.question, "--embedder", "none", "--format", "markdown"
        ).out
        for row in table(view, key).rows:
            assert row[0].text in out


def test_a_reader_may_say_what_was_expected(site: Site, library: Library, bm25: Item) -> None:
    """A memory that is named in the address is what is explained, with gold or without."""
    failure = failed(library, bm25).shown[0]
    view = site.view(Address.of("question", bm25.key, id=failure.question, memory="nobody"))
    assert view.document.lead.startswith("Missed: never stored, no write reported nobody")


def test_a_question_that_was_answered_is_not_called_missed(site: Site, library: Library, bm25: Item) -> None:
    """What reached something says what it said before."""
    missed = {each.question for each in failed(library, bm25).shown}
    answered = next(name for name in library.run(bm25).questions["question"].tolist() if name not in missed)
    view = site.view(Address.of("question", bm25.key, id=answered))
    assert "Missed" not in view.document.lead
    assert all(each.key != "outranked" for each in view.document.tables)


def test_a_page_says_which_searches_needed_another_try(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """They are no misses, so that the list of misses would leave them out."""
    run = memgauge("run", "-d", "synthetic:tiny", "-s", "support.systems:Flaky", "--out", str(tmp_path))
    assert run.code == 0
    library = Library((tmp_path,))
    (item,) = library.finished()
    shown = Site(library).html(Address.of("failures", item.key))
    assert "32 of 32 searches succeeded only when they were tried again." in shown
