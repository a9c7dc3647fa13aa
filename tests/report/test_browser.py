"""The page in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

from memgauge.report.board import documents
from memgauge.report.html import render_html
from memgauge.show.glossary import TERMS
from memgauge.show.html import page as page_of
from memgauge.studies.shift.show import document
from report.boards import board, second, stories
from support.browser import AXE, UNSHADED
from support.shift_result import reported, study

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write a report with two boards and twelve stories."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    made = render_html(
        documents([board(), second()], title="Four memories"), {"locomo": stories()}, identity={"seed": "7"}
    )
    path.write_text(made, "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def short_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write a report with one board and two stories: axe takes eight seconds for a long one."""
    path = tmp_path_factory.mktemp("short") / "report.html"
    made = render_html(
        documents([board()], title="Four memories"), {"locomo": stories()[:2]}, identity={"seed": "7"}
    )
    path.write_text(made, "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def shift_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write a shift study, one policy with a name that is longer than a phone is wide."""
    path = tmp_path_factory.mktemp("shift") / "shift.html"
    result, spec = study({"flat": (0.6, 0.3), "hsr": (0.5, 0.5), "x" * 60: (0.4, 0.4)}, (0, 50, 100, 150))
    path.write_text(page_of(document(reported(result, spec))), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def boards_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write two boards as `memgauge score --out` does."""
    path = tmp_path_factory.mktemp("boards") / "boards.html"
    path.write_text(page_of(documents([board(), second()])), "utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def board_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write one small board as `memgauge score --out` does."""
    path = tmp_path_factory.mktemp("board") / "board.html"
    path.write_text(page_of(documents([second()])), "utf-8")
    return path.as_uri()


@pytest.mark.parametrize(
    ("made", "width"),
    [
        ("short_address", 390),
        ("board_address", 1280),
        pytest.param("boards_address", 1280, marks=pytest.mark.slow),
        pytest.param("address", 390, marks=pytest.mark.slow),
        pytest.param("address", 1280, marks=pytest.mark.slow),
        pytest.param("shift_address", 390, marks=pytest.mark.slow),
        pytest.param("shift_address", 1280, marks=pytest.mark.slow),
        pytest.param("boards_address", 390, marks=pytest.mark.slow),
    ],
)
def test_it_opens_quietly_and_never_scrolls_sideways(
    browser: Browser, made: str, width: int, request: pytest.FixtureRequest
) -> None:
    """No console message, no request but the file, no horizontal scroll of the page, no objection of axe."""
    from axe_playwright_python.sync_playwright import Axe

    address: str = request.getfixturevalue(made)
    page = browser.new_page(viewport={"width": width, "height": 900})
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert said == []
    assert asked == [address]
    page.evaluate(UNSHADED)
    found = Axe().run(page, options=AXE)
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found.response["violations"]] == []
    page.close()


EDGE = """() => {
  const all = [...document.querySelectorAll("div.scroll")];
  const wide = all.find((each) => each.scrollWidth > each.clientWidth + 20);
  wide.scrollIntoView({block: "center"});
  const box = wide.getBoundingClientRect();
  return {x: box.right - 4, y: box.top + 3, width: 3, height: 3};
}"""
"""Where the first table that goes on beyond the right edge of a phone has no word, at that edge."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_that_goes_on_is_shaded_at_its_edge(
    browser: Browser, board_address: str, scheme: Literal["light", "dark"]
) -> None:
    """Without script, in both themes: where more lies to the right the edge is shaded, at the end it is not."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, java_script_enabled=False, color_scheme=scheme
    )
    page = context.new_page()
    page.goto(board_address)
    for summary in page.locator("summary").all():
        if summary.is_visible():
            summary.click()
    clip = page.evaluate(EDGE)
    more = page.screenshot(clip=clip)
    page.evaluate("() => { for (const each of document.querySelectorAll('div.scroll')) each.scrollLeft = 9999 }")
    end = page.screenshot(clip=clip)
    page.evaluate(UNSHADED)
    bare = page.screenshot(clip=clip)
    assert more != end
    assert end == bare
    context.close()


def test_dark_and_light_differ(browser: Browser, address: str) -> None:
    """The reader's colour scheme changes background and text."""
    seen = set()
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        page.goto(address)
        seen.add(
            page.evaluate(
                "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color"
            )
        )
        page.close()
    assert len(seen) == 2


def test_the_drawings_of_a_study_keep_their_words_to_themselves(browser: Browser, shift_address: str) -> None:
    """As this browser's font draws them, no two words of a figure overlap, and none leaves its drawing."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(shift_address)
    crossed = page.evaluate(
        """() => [...document.querySelectorAll("figure svg")].flatMap((svg) => {
          const frame = svg.getBoundingClientRect();
          const texts = [...svg.querySelectorAll("text")].map((t) => [t.textContent, t.getBoundingClientRect()]);
          const outside = texts.filter(([, r]) => r.left < frame.left - 1 || r.right > frame.right + 1);
          const overlap = texts.flatMap(([a, r], i) => texts.slice(i + 1).filter(([, s]) =>
            r.left < s.right && s.left < r.right && r.top + 3 < s.bottom && s.top + 3 < r.bottom
          ).map(([b]) => [a, b]));
          return [...outside.map(([a]) => a), ...overlap];
        })"""
    )
    assert page.locator("figure svg").count() == 2
    assert crossed == []
    page.close()


READ = """(bottom) => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), words = [];
  for (let node; (node = walk.nextNode());) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const place = range.getBoundingClientRect();
    const seen = node.parentElement.checkVisibility() && place.height;
    if (seen && place.bottom <= bottom) words.push(node.textContent);
  }
  return words.join(" ").replace(/\\s+/g, " ");
}"""
"""What stands above a line of the page, as a reader sees it."""


@pytest.mark.parametrize("script", [True, False])
def test_two_screens_of_a_phone_answer_what_everybody_asks(
    browser: Browser, short_address: str, *, script: bool
) -> None:
    """Who leads, whether that is certain, what it costs and what is next stand there; the rules do not."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=script)
    page = context.new_page()
    page.goto(short_address)
    read = page.evaluate(READ, 2 * 844)
    for answer in (
        *("Of a perfect order", "hybrid reaches 56 %", "dense and recency are behind"),
        *("hybrid and bm25 may each be the best", "10 conversations cannot tell them apart"),
        *("[0.545, 0.579]", "Is it real?", "with 80 % chance"),
        *("What it costs", "812 tokens", "ms a search", "ms a write", "Money"),
        *("What to do next", "memgauge failures runs", "memgauge compare runs", "memgauge try"),
    ):
        assert answer.replace(" ", "") in read.replace(" ", ""), answer
    for rule in ("credit=anchor", "malformed evidence", "conv-1:q7"):
        assert rule not in read
        assert rule in page.content()
    context.close()


def test_four_screens_of_a_desk_come_before_more(browser: Browser, short_address: str) -> None:
    """All that is said first stands above the title that folds the rest."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(short_address)
    more = page.locator("#more")
    box = more.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 4 * 800
    assert not page.locator("#more table").first.is_visible()
    page.click("#more > summary")
    assert page.locator("#more figure").first.is_visible()
    page.close()


@pytest.mark.parametrize("way", ["key", "tap"])
def test_words_are_explained_by_key_and_by_tap(browser: Browser, short_address: str, way: str) -> None:
    """A word opens its meaning, which is nothing but text and goes away again by Escape; hover tells the same."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(short_address)
    word = page.get_by_role("button", name="nDCG@60").first
    meaning = page.locator(f"#{word.get_attribute('popovertarget')}")
    assert not meaning.is_visible()
    if way == "key":
        word.focus()
        page.keyboard.press("Enter")
    else:
        word.tap()
    assert meaning.is_visible()
    assert meaning.inner_text() == word.get_attribute("title") == TERMS["nDCG"]
    box = meaning.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.keyboard.press("Escape")
    assert not meaning.is_visible()
    context.close()


def test_search_and_filters_hide_stories(browser: Browser, address: str) -> None:
    """Words, category and who finds gold narrow the list, and the count follows."""
    page = browser.new_page()
    page.goto(address)
    page.click("#questions-1 > summary")
    visible = page.locator("#questions-1-list .story:visible")
    assert visible.count() == 12
    page.fill("[name=text]", "cornet practise")
    assert visible.count() == 2
    assert page.locator("output").inner_text() == "2 of 12 questions match"
    page.fill("[name=text]", "")
    page.select_option("[name=category]", "temporal")
    assert visible.count() == 3
    page.select_option("[name=category]", "")
    counts = {}
    for choice in ("all", "none", "split", "+0", "-0"):
        page.select_option("[name=found]", choice)
        counts[choice] = visible.count()
    assert counts["all"] + counts["none"] + counts["split"] == 12
    assert counts["+0"] + counts["-0"] == 12
    assert 0 < counts["+0"] < 12
    page.close()


def test_a_link_opens_its_story(browser: Browser, address: str) -> None:
    """An address with a fragment opens that story, and the list that it is in."""
    page = browser.new_page()
    page.goto(f"{address}#story-1-3")
    assert page.locator("#story-1-3 .answers").is_visible()
    page.close()


def test_it_works_without_script(browser: Browser, address: str) -> None:
    """Without script the search is absent, and every story can still be opened."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert not page.locator("form.find").is_visible()
    page.click("#questions-1 > summary")
    page.click("#story-1-1 summary")
    assert page.locator("#story-1-1 .answers").is_visible()
    context.close()
