"""Pages and feeds are kept by what they follow from: what is kept, spoilt or gone never shows in a byte."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.show import Document, Figure
from memgauge.submissions.site.build import pages
from memgauge.submissions.site.drawers import Drawers
from memgauge.submissions.site.drawing import FOLDER, drawn_files, file_key
from memgauge.submissions.site.feeds import BoardFeed, board_feed
from memgauge.submissions.site.frame import SitePage

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.submissions.site.registry_view import RegistryView


@pytest.fixture(scope="module")
def few(small_view: RegistryView) -> list[SitePage]:
    """Take the pages of boards, with their figures, and one more."""
    return [page for page in pages(small_view) if page.place.startswith("boards/")]


@pytest.fixture(scope="module")
def plain(few: list[SitePage]) -> dict[str, bytes]:
    """Draw them, keeping nothing."""
    return dict(drawn_files(few))


def test_kept_pages_are_those_that_are_drawn_anew(
    few: list[SitePage], plain: dict[str, bytes], tmp_path: Path
) -> None:
    """Kept at first, read the second time, and drawn again where a file was spoilt or cut short."""
    assert dict(drawn_files(few, tmp_path)) == plain
    kept = sorted((tmp_path / FOLDER).iterdir())
    assert len(kept) == len(few)
    assert dict(drawn_files(few, tmp_path)) == plain
    kept[0].write_bytes(kept[0].read_bytes().replace(b"<", b"[", 1))
    kept[-1].write_bytes(kept[-1].read_bytes()[:-1])
    assert dict(drawn_files(few, tmp_path)) == plain


def test_a_page_that_changed_is_drawn_anew(few: list[SitePage], tmp_path: Path) -> None:
    """Whatever stood at its place before; and its key is another."""
    before = few[0]
    after = replace(before, document=replace(before.document, lead="Something else is true now."))
    assert file_key(before) != file_key(after) != ""
    dict(drawn_files([before], tmp_path))
    assert b"Something else is true now." in dict(drawn_files([after], tmp_path))[before.place]


def test_equal_pages_have_equal_keys_whichever_parts_are_one_object() -> None:
    """Two texts that are equal are as good as one text twice."""
    text = "a text of some length"
    same = Document(text, lead=text)
    equal = Document(text, lead="".join(list(text)))
    assert file_key(SitePage("a.html", same)) == file_key(SitePage("a.html", equal))
    assert file_key(SitePage("b.html", same)) != file_key(SitePage("a.html", same))


def test_a_page_with_a_function_in_it_is_drawn_and_not_kept(tmp_path: Path) -> None:
    """Nobody knows what a function follows from."""
    document = Document("Figures", blocks=(Figure("f", "A figure", "", lambda: None),))
    drawn = dict(drawn_files([SitePage("f.html", document)], tmp_path))
    assert b"A figure" in drawn["f.html"] or b"Figures" in drawn["f.html"]
    assert not (tmp_path / FOLDER).exists()


def test_two_processes_draw_the_same_bytes(few: list[SitePage], plain: dict[str, bytes], tmp_path: Path) -> None:
    """Whichever of them draws a page; one with a function in it stays where it is."""
    many = [replace(few[n % len(few)], place=f"boards/{n:03d}.html") for n in range(2 * len(few))]
    many.insert(2, SitePage("f.html", Document("Figures", blocks=(Figure("f", "A figure", "", lambda: None),))))
    with Drawers(2) as drawers:
        drawn = dict(drawn_files(many, tmp_path, drawers))
    assert drawn == dict(drawn_files(many))
    assert len(drawn) == len(many)


def test_a_feed_is_kept_until_its_board_changes(small_view: RegistryView, tmp_path: Path) -> None:
    """What was kept is what is written anew, and a board of another title is written as it is now."""
    board = small_view.boards[0]
    before = BoardFeed("boards/one.json", board)
    anew = BoardFeed(before.place, replace(board, title="Another title"))
    assert file_key(before) != file_key(anew) != ""
    for _ in range(2):
        assert dict(drawn_files([before], tmp_path)) == {before.place: board_feed(board).encode()}
    assert len(list((tmp_path / FOLDER).iterdir())) == 1
    assert b"Another title" in dict(drawn_files([anew], tmp_path))[before.place]
