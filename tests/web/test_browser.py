"""The viewer in a real browser: quiet, accessible, on desk and phone, light and dark, with and without script."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.web.groups import groups
from memgauge.web.library import Library
from memgauge.web.studies import found
from support import real_data
from support.browser import AXE, UNSHADED
from support.web import said

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext

    from memgauge.web.library import Item

FEW = slice(0, 11, 4)
"""Of all pages: the first, a comparison, a memory."""
MORE = slice(0, 11, 2)
"""And a board, a question, failures."""
pytestmark = pytest.mark.browser


def served(library: Library) -> Iterator[str]:
    """Serve a library on a free port of this machine."""
    import uvicorn

    from memgauge.web.app import application
    from memgauge.web.security import Door

    app = application(library, Door.of("127.0.0.1", ""))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def base(library: Library) -> Iterator[str]:
    """Serve the shelf."""
    yield from served(library)


def paths(library: Library) -> list[str]:
    """Name a page of every kind."""
    own = max(groups(library), key=lambda one: len(one.items))
    item = next(one for one in own.items if one.label == "bm25")
    run = library.run(item)
    question = str(run.questions["question"][1])
    hit = run.hits_of([question], 1)[question][0]
    home = run.questions["conversation"][1]
    return [
        "/",
        f"/questions/{own.key}",
        f"/board/{own.key}",
        f"/multiverse/{own.key}",
        f"/compare?a={own.items[0].key}&b={own.items[1].key}",
        f"/run/{item.key}",
        f"/question/{item.key}?id={question}",
        f"/memories/{item.key}",
        f"/memory/{item.key}?conversation={home}&memory={hit['memory']}",
        "/runs",
        f"/failures/{own.key}",
        "/board",
        "/studies",
        *(f"/study/{one.key}" for one in found(library)),
        "/no-such-page",
    ]


def walk(context: BrowserContext, base: str, path: str, *, script: bool) -> list[Any]:
    """Open one page and return everything that is wrong with it."""
    from axe_playwright_python.sync_playwright import Axe

    page = context.new_page()
    wrong: list[Any] = []
    page.on("console", lambda message: wrong.append(message.text) if "404" not in message.text else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: wrong.append(asked.url) if not asked.url.startswith(base) else None)
    page.goto(base + path)
    if script:
        page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append("scrolls sideways")
        page.evaluate(UNSHADED)
        found = Axe().run(page, options=AXE)
        wrong += [(one["id"], one["nodes"][0]["html"][:200]) for one in found.response["violations"]]
    else:
        assert page.locator("h1").inner_text()
    page.close()
    return [path, *wrong] if wrong else []


@pytest.mark.parametrize(
    "chosen", [pytest.param(FEW, id="few"), pytest.param(slice(None), id="all", marks=pytest.mark.slow)]
)
def test_pages_are_quiet_accessible_and_fit(browser: Browser, base: str, library: Library, chosen: slice) -> None:
    """On a phone in the dark, no page has an error, a violation, an outside request or a horizontal scroll."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    assert [wrong for path in paths(library)[chosen] if (wrong := walk(context, base, path, script=True))] == []
    context.close()


@pytest.mark.slow
def test_pages_work_without_script(browser: Browser, base: str, library: Library, bm25: Item) -> None:
    """Pages show themselves, and a form narrows a list, with script switched off."""
    context = browser.new_context(java_script_enabled=False)
    assert [wrong for path in paths(library)[MORE] if (wrong := walk(context, base, path, script=False))] == []
    page = context.new_page()
    page.goto(f"{base}/runs")
    page.get_by_label("Words in name, data or system").fill("bm25")
    page.get_by_role("button", name="Show").click()
    assert page.locator("#runs tbody tr").count() == 1
    page.get_by_role("link", name=bm25.key).click()
    assert page.locator("h1").inner_text() == "bm25"
    context.close()


def test_keys_lead_through_a_list_and_can_be_switched_off(browser: Browser, base: str, bm25: Item) -> None:
    """Keys j and Enter open a row, n goes on, g b goes to the boards; unticked, keys do nothing."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{base}/run/{bm25.key}")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url("**/question/**")
    first = page.url
    page.keyboard.press("n")
    page.wait_for_url(lambda url: url != first)
    page.keyboard.press("g")
    page.keyboard.press("b")
    page.wait_for_url("**/board")
    page.get_by_label("Keys", exact=True).uncheck()
    page.locator("h1").click()
    page.keyboard.press("j")
    assert page.locator("tr.at").count() == 0
    page.goto(f"{base}/run/{bm25.key}")
    assert not page.get_by_label("Keys", exact=True).is_checked()
    context.close()


def test_columns_sort_by_keyboard_and_say_so(browser: Browser, base: str, library: Library) -> None:
    """A press sorts figures from the greatest, another one from the least, and the head tells how."""
    (own,) = groups(library)
    page = browser.new_page()
    page.goto(f"{base}/questions/{own.key}")
    head = page.locator("#questions th", has_text="mean")
    for order, wanted in (("descending", True), ("ascending", False)):
        page.get_by_role("button", name="Sort by mean").press("Enter")
        assert head.get_attribute("aria-sort") == order
        shown = page.eval_on_selector_all(
            "#questions tbody tr", "rows => rows.map((row) => Number(row.cells[2].dataset.value ?? NaN))"
        )
        means = [value for value in shown if not math.isnan(value)]
        assert means == sorted(means, reverse=wanted)
        assert len(set(means)) > 1
    page.close()


def test_a_state_is_whole_on_a_phone(browser: Browser, base: str) -> None:
    """At 390 pixels every state of the list of runs stands inside the page without scrolling sideways."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{base}/runs")
    right = page.eval_on_selector_all(
        "#runs tbody tr", "rows => rows.map((row) => row.cells[1].getBoundingClientRect().right)"
    )
    assert right
    assert max(right) <= 390
    page.close()


def test_progress_moves_without_a_reload(browser: Browser, tmp_path: Path, bm25: Item) -> None:
    """A line that is appended to a journal shows on the open page."""
    from playwright.sync_api import expect

    from support.web import make_unfinished

    made = make_unfinished(tmp_path, bm25.folder)
    (made / "journal.jsonl").write_bytes(b"")
    for base in served(Library((tmp_path,))):
        page = browser.new_page()
        page.goto(base, wait_until="domcontentloaded")
        expect(page.locator(".said")).to_contain_text("0 of 2", timeout=20_000)
        with (made / "journal.jsonl").open("ab") as file:
            file.write(b'{"t":"question"}\n{"t":"end","conversation":"x","failed":0}\n')
        expect(page.locator(".said")).to_contain_text("1 of 2", timeout=20_000)
        assert page.locator("progress").evaluate("one => one.value") == 0.5
        page.close()


@pytest.mark.slow
def test_an_export_opens_from_disk(browser: Browser, written: Path, bm25: Item) -> None:
    """Files show themselves with style and charts, without an error, where no server is."""
    page = browser.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.goto((written / "index.html").as_uri())
    page.get_by_role("link", name="Runs", exact=True).click()
    page.get_by_role("link", name=bm25.key).click()
    assert page.locator("h1").inner_text() == "bm25"
    assert page.evaluate("getComputedStyle(document.querySelector('nav.site')).display") == "flex"
    assert wrong == []
    page.close()


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_over_locomo(browser: Browser, locomo: tuple[str, Library], width: int, scheme: Any) -> None:
    """Every page over real LoCoMo runs is quiet, accessible and fits, at both widths and in both themes."""
    base, library = locomo
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert [wrong for path in paths(library) if (wrong := walk(context, base, path, script=True))] == []
    context.close()


@pytest.mark.slow
@pytest.mark.data
def test_pages_over_locomo_without_script(browser: Browser, locomo: tuple[str, Library]) -> None:
    """Every page over real LoCoMo runs shows itself without script, and asks nobody else."""
    base, library = locomo
    context = browser.new_context(java_script_enabled=False)
    assert [wrong for path in paths(library) if (wrong := walk(context, base, path, script=False))] == []
    context.close()


@pytest.fixture(scope="module")
def locomo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Library]]:
    """Serve three runs on LoCoMo, and answers from one of them."""
    real_data("locomo/locomo10.json")
    folder = tmp_path_factory.mktemp("locomo")
    said("run", "-d", "locomo", "-s", "bm25", "-s", "recency", "-s", "pipeline", "--out", folder, "--json")
    library = Library((folder,))
    for base in served(library):
        yield base, library
