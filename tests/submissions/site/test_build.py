"""The site is a pure function of the registry, every link leads somewhere, and a person can read it."""

from __future__ import annotations

import os
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag

import pytest

from memgauge.errors import ConfigError
from memgauge.submissions.site.build import FILES, unexplained, write_site
from memgauge.submissions.site.places import FEED, HISTORY, HOME, LEDGER
from memgauge.text.jsons import json_of
from support.browser import AXE, UNSHADED
from support.small_registry import BOARD, change, copied, folder_of, id_of, withdraw

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser

    from memgauge.submissions.site.registry_view import RegistryView
    from support.cli import Said
    from support.small_registry import ViewOf


@pytest.fixture(scope="module")
def site(small_view: RegistryView, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the site."""
    out = tmp_path_factory.mktemp("site")
    write_site(small_view, out)
    return out


def files(folder: Path) -> dict[str, bytes]:
    """Read everything below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Links(HTMLParser):
    """Collects what a page leads to, and what it runs or loads."""

    def __init__(self) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.loads: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one element."""
        given = dict(attrs)
        self.ids.add(given.get("id") or "")
        if tag == "a":
            self.leads.append(given.get("href") or "")
        elif tag == "link":
            self.loads.append(given.get("href") or "")
        assert tag not in {"script", "iframe", "img"}
        assert not any(name.startswith("on") or name == "style" for name in given)


def parsed(path: Path) -> Links:
    """Read a page."""
    links = Links()
    links.feed(path.read_text("utf-8"))
    return links


def test_every_link_leads_to_a_file_that_is_there(site: Path) -> None:
    """Also from one page deep down to another, and to a place within a page."""
    for page in site.rglob("*.html"):
        links = parsed(page)
        for href in (*links.leads, *links.loads):
            place, fragment = urldefrag(unquote(href))
            target = (page.parent / place).resolve() if place else page
            assert target.is_relative_to(site), (page, href)
            assert target.is_file(), (page, href)
            assert not fragment or fragment in parsed(target).ids, (page, href)


def test_pages_run_nothing_and_load_only_their_style(site: Path) -> None:
    """A strict policy stands in each, and each loads one file of the site."""
    for page in site.rglob("*.html"):
        text = unescape(page.read_text("utf-8"))
        assert "default-src 'none'; style-src 'self'" in text
        assert [Path(href).name for href in parsed(page).loads] == ["style.css"]


def test_every_submission_product_dataset_and_board_has_its_page(site: Path, small_view: RegistryView) -> None:
    """And every board its feed."""
    assert len(list((site / "submissions").rglob("*.html"))) == len(small_view.entrants)
    assert {path.stem for path in (site / "boards").glob("*.json")} == {board.name for board in small_view.boards}
    assert (site / LEDGER).is_file()
    assert len(json_of((site / FEED).read_bytes())["items"]) == len(small_view.entrants)


def test_a_row_below_level_three_says_so_on_every_board(site: Path) -> None:
    """And every board says what level 1 does not prove."""
    text = (site / "boards" / f"{BOARD}.html").read_text("utf-8")
    rows = json_of((site / "boards" / f"{BOARD}.json").read_bytes())["value"]["rows"]
    assert text.count("not independently verified") >= len(rows)
    for page in (site / "boards").glob("*.html"):
        if page.stem != "index":
            assert "not that the product produced it" in page.read_text("utf-8")


def test_another_process_hash_seed_time_zone_and_number_of_workers_give_the_same_bytes(
    small_registry: Path, site: Path, tmp_path: Path
) -> None:
    """From no kept row, in two processes, the site is the same to the byte."""
    out = tmp_path / "again"
    command = ["results", "board", str(small_registry), "--out", str(out), "--jobs", "2", "--json"]
    env = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    subprocess.run([sys.executable, "-m", "memgauge", *command], env=env, check=True, capture_output=True)
    assert files(out) == files(site)


def test_a_build_replaces_an_earlier_one_and_nothing_else(
    small_registry: Path, viewed: ViewOf, tmp_path: Path
) -> None:
    """Pages of what is gone are removed; a folder of somebody else's files is refused."""
    mine, out = copied(small_registry, tmp_path / "registry"), tmp_path / "site"
    write_site(viewed(mine), out)
    (out / "theirs.txt").write_text("kept")
    product, version, name = folder_of(mine, 5).parts[-3:]
    folder_of(mine, 5).rename(tmp_path / "moved")
    write_site(viewed(mine), out)
    assert not (out / "submissions" / product / version / f"{name}.html").exists()
    assert (out / "theirs.txt").is_file()
    assert f"submissions/{product}/{version}/{name}.html" not in json_of((out / FILES).read_bytes())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "theirs.txt").write_text("kept")
    with pytest.raises(ConfigError, match="holds no site"):
        write_site(viewed(mine), tmp_path / "other")


def test_tombstones_stay_in_the_history(small_registry: Path, viewed: ViewOf, tmp_path: Path) -> None:
    """A withdrawn submission has its page, its day and its reason."""
    mine, out = copied(small_registry, tmp_path / "registry"), tmp_path / "site"
    name = withdraw(mine, 0)
    write_site(viewed(mine), out)
    history = (out / HISTORY).read_text("utf-8")
    assert "It was a mistake., by ann" in history
    assert name in history
    assert name not in (out / "boards" / f"{BOARD}.html").read_text("utf-8")


def test_a_change_of_one_product_moves_no_other(
    small_registry: Path, viewed: ViewOf, site: Path, tmp_path: Path
) -> None:
    """A withdrawal touches its own product; a row that goes without a word is named, with exit code 1."""
    mine = copied(small_registry, tmp_path / "registry")
    withdraw(mine, 0)
    assert unexplained(viewed(mine), site) == ()
    lost = copied(small_registry, tmp_path / "lost")
    name = id_of(lost, 0)
    folder_of(lost, 0).rename(tmp_path / "moved")
    assert {move.submission for move in unexplained(viewed(lost), site)} == {name}


def test_the_command_names_what_vanished(
    small_registry: Path, site: Path, tmp_path: Path, rows_kept: Path, memgauge: Callable[..., Said]
) -> None:
    """`memgauge results board --against` exits with 1, and says whose row it was."""
    lost = copied(small_registry, tmp_path / "registry")
    change(lost, 0, division="closed")
    out = tmp_path / "site"
    ended = memgauge("results", "board", lost, "--out", out, "--against", site, "--cache", rows_kept, "--json")
    assert ended.code == 1
    moved = ended.data["moved"]
    assert {each["what"] for each in moved} == {"vanished"}
    assert {each["product"] for each in moved} == {"product-000"}


SUBMISSION = "submissions/product-000/*/*.html"


@pytest.mark.browser
@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param((f"boards/{BOARD}.html", SUBMISSION), id="read most"),
        pytest.param(
            (HOME, "boards/golden.1.html", "products/product-000.html", HISTORY),
            id="others",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_pages_are_accessible_and_fit_a_phone_in_the_dark(
    browser: Browser, site: Path, kinds: tuple[str, ...]
) -> None:
    """No violation, no horizontal scroll, on a page of every kind, with every fold opened."""
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    for path in (next(site.glob(kind)) for kind in kinds):
        page = context.new_page()
        page.goto(path.as_uri())
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth"), path
        page.evaluate(UNSHADED)
        violations = Axe().run(page, options=AXE).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"][:200]) for each in violations] == [], path
        page.close()
    context.close()
