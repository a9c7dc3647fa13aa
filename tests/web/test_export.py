"""The same pages as files."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.web.export import export

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.web.library import Library

LINK = re.compile(r'(?:href|src)="([^"]*)"')


def test_every_link_leads_to_a_file(written: Path) -> None:
    """No page links to what is not there, and none to anything outside the folder."""
    for page in written.glob("*.html"):
        for link in map(unescape, LINK.findall(page.read_text("utf-8"))):
            name = link.partition("#")[0]
            assert not name or (written / name).is_file(), (page.name, link)
            assert not link.startswith(("/", "http", ".."))


def test_questions_and_memories_are_as_many_as_were_asked_for(written: Path) -> None:
    """Three questions in two runs, four memories; what is left out is named without a link."""
    assert len(list(written.glob("question-*.html"))) == 6
    assert {page.name.partition("-synthetic")[0] for page in written.glob("question-*.html")} == {"question"}
    assert len(list(written.glob("memory-*.html"))) == 4


def test_pages_bring_their_policy_and_no_forms(written: Path) -> None:
    """Where nobody can send a header the page says it itself; nothing asks for an answer."""
    page = (written / "index.html").read_text("utf-8")
    assert 'http-equiv="Content-Security-Policy"' in page
    assert "<form" not in page
    assert "data-live" not in page


def test_tables_and_charts_lie_beside(written: Path) -> None:
    """Every table is there as CSV and JSON, every chart as SVG and PNG."""
    kinds = {path.suffix for path in (written / "files").iterdir()}
    assert kinds == {".csv", ".json", ".svg", ".png"}


def test_a_folder_with_something_in_it_is_refused(tmp_path: Path, library: Library) -> None:
    """Nothing of anybody's is overwritten."""
    (tmp_path / "mine").touch()
    with pytest.raises(ConfigError, match="not empty"):
        export(library, tmp_path)
