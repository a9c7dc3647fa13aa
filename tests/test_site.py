"""The documentation's site: it builds without a broken link, and asks nobody outside for anything."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import reference_pages
from support import ROOT
from support.sharing import made_once

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytest.importorskip("mkdocs", reason="needs the group docs of pyproject.toml")
SHOWN = ("index.html", "how-to/ci.html", "reference/cli.html", "reproduction.html", "shift.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site."""

    def make(into: Path) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(into)]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    return made_once(tmp_path_factory, "site", make)


def test_the_site_builds_and_holds_what_is_made_of_the_code(site: Path) -> None:
    """Every page is there, with the generated ones, and nothing of what is said to the test runner."""
    made = {str(path.relative_to(site)) for path in site.rglob("*.html")}
    assert {path.replace(".md", ".html") for path, _ in reference_pages.pages()} <= made
    assert set(SHOWN) <= made
    assert not any("&lt;!--" in path.read_text("utf-8") for path in site.rglob("*.html"))
    assert "decisions" not in "".join(made)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390], ids=["desktop", "phone"])
def test_the_site_stays_here_and_fits(site: Path, browser: Browser, width: int) -> None:
    """No page asks for anything outside its folder, complains, or is wider than the screen; the search finds."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    for shown in SHOWN:
        page.goto((site / shown).as_uri())
        page.wait_for_load_state("networkidle")
        wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wider) <= 0, shown
    page.keyboard.press("f")
    page.keyboard.type("contradiction")
    page.wait_for_selector(".md-search-result__item", state="attached")
    page.close()
    assert [url for url in asked if not url.startswith(("file:", "about:", "data:"))] == []
    assert said == []


@pytest.mark.slow
def test_the_reference_names_every_command_measure_and_column() -> None:
    """What the code has stands in its page: commands with help, measures with a sentence, columns, methods."""
    told = {path: write() for path, write in reference_pages.pages()}
    assert "## memgauge doctor" in told["reference/cli.md"]
    assert "### memgauge study golden run" in told["reference/cli.md"]
    assert "--require" in told["reference/cli.md"]
    assert "| nDCG@k or @tokens | Discount gain" in told["reference/measures.md"]
    assert "**`source`**" in told["reference/measures.md"]
    assert "### hits" in told["reference/schemas.md"]
    assert "| `conversation` | string | required |" in told["reference/schemas.md"]
    assert "def search(self, query: str" in told["reference/protocol.md"]
    assert "| measured |" in told["reproduction.md"]


def test_docs_are_made_by_make() -> None:
    """`make docs` builds the site, with broken links as errors."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "mkdocs build --quiet --strict" in makefile
