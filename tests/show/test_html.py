"""What a page is called, and what its policy lets it run."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from memgauge.show import Document, Prose, Section
from memgauge.show.html import page


def titled(document: Document) -> str:
    """Return what a reader's tab shows."""
    (title,) = re.findall("<title>(.*?)</title>", page(document))
    return str(title)


@pytest.mark.parametrize(
    ("document", "title"),
    [
        (Document("Mine", blocks=(Section("a", "A", ()),)), "Mine"),
        (
            Document(
                "", blocks=(Section("a", "A", ()), Prose("and"), Section("n", "", ()), Section("b", "B", ()))
            ),
            "A, B",
        ),
        (Document(""), "memgauge"),
    ],
)
def test_every_page_is_called_something(document: Document, title: str) -> None:
    """By its title, else by those of its blocks, else by us: a page is read out by its title."""
    assert titled(document) == title


def test_a_page_runs_its_own_script_and_no_other() -> None:
    """The policy names what the script is; without one it names none, so that nothing runs."""
    document = Document("Mine")
    html = page(document, script="find.js")
    (script,) = re.findall("<script>(.*?)</script>", html, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in html.replace("&#39;", "'")
    assert "script-src" not in page(document)
    assert "<script" not in page(document)
