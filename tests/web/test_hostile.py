"""A run full of hostile strings is data on every page: markup, controls, overrides, lines of a megabyte."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from memgauge.show.safety import OBEYED
from memgauge.web.address import Address
from memgauge.web.groups import groups
from memgauge.web.library import Library
from memgauge.web.site import Site
from support.sharing import made_once
from support.web import judge, said

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.web.library import Item

BAD = (
    "<script>window.owned = 1</script>"
    "</title></textarea></svg></pre><img src=x onerror='window.owned = 1'>"
    "\"' onmouseover='window.owned = 1' x='"
    "{{ 7 * 7 }}{% raw %}"
    "\x1b[2J\x1b]8;;https://evil.example\x1b\\ \u202e\u2066gnp.exe\u2069 \ufff9 \u2028 \x00\x7f"
    " javascript:window.owned=1 =cmd|' /C calc'!A0"
)
LONG = f"{BAD} {'word ' * 200_000}{'x' * 50_000}"


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Open what all workers read that was run on hostile data."""
    return Library((made_once(tmp_path_factory, "hostile", _hostile),))


def _hostile(root: Path) -> None:
    """Run two memories on hostile data, answer and judge it, and put hostile results beside them."""
    folder = root / f"runs {BAD[:60].replace('/', '_')}".replace("\x00", "")
    record = {
        "question_id": f"q {BAD}",
        "question_type": "multi-session",
        "question": f"Who? {BAD}",
        "answer": f"Nobody {BAD}",
        "question_date": "2023/06/01 (Thu) 00:58",
        "haystack_dates": ["2023/05/20 (Sat) 08:00", "2023/05/25 (Thu) 20:21"],
        "haystack_session_ids": [f"first {BAD}", f"second {BAD}"],
        "haystack_sessions": [
            [{"role": "user", "content": LONG, "has_answer": True}],
            [{"role": "assistant", "content": f"Who is nobody? {BAD}"}],
        ],
        "answer_session_ids": [f"first {BAD}"],
    }
    path = root / "haystack.json"
    path.write_text(json.dumps([record, record | {"question_id": f"r {BAD}"}]), "utf-8")
    systems = ("-s", "bm25", "-s", "tfidf")
    said(
        "run",
        "-d",
        f"longmemeval:{path}",
        "--allow-unpinned",
        *systems,
        "--executor",
        "inline",
        "--out",
        folder,
        "--json",
    )
    for one in folder.glob("*bm25*"):
        said("models", "answer", one, "--json")
        judge(one, raw=LONG, name=f"judge {BAD}")
    _results(root)
    for manifest in folder.glob("*/manifest.json"):
        data = json.loads(manifest.read_text("utf-8"))
        data["system"]["label"] += f" {BAD}"
        data["environment"]["python"] = BAD
        manifest.write_text(json.dumps(data), "utf-8")


def _results(root: Path) -> None:
    """Write results that only look like results, and one that is data all through."""
    line = {"run": BAD, "case": BAD, "verdict": BAD, "layer": BAD}
    (root / "golden.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    (root / "shift.json").write_text(json.dumps({"kind": "shift", "version": 1, "value": {BAD: BAD}}), "utf-8")
    (root / "matrix.json").write_text(json.dumps({"matrix": [{BAD: BAD, "long": LONG}], BAD: LONG}), "utf-8")
    (root / "deep.json").write_text("[" * 100_000, "utf-8")


def addresses(library: Library, item: Item) -> list[Address]:
    """Name every kind of page over the hostile run."""
    from memgauge.web.studies import found

    run = library.run(item)
    name = str(run.questions["question"][0])
    conversation, memory = str(run.questions["conversation"][0]), str(run.hits_of([name], 1)[name][0]["memory"])
    (own,) = groups(library)
    return [
        Address.of("runs"),
        Address.of("board"),
        Address.of("board", own.key),
        Address.of("multiverse", own.key),
        Address.of("compare", a=own.items[0].key, b=own.items[1].key),
        Address.of("run", item.key, words=BAD),
        Address.of("run", item.key),
        Address.of("question", item.key, id=name, turns="all", hits="all"),
        Address.of("memories", item.key),
        Address.of("memories", item.key, words=BAD, form=BAD),
        Address.of("memory", item.key, conversation=conversation, memory=memory),
        Address.of("studies"),
        *(Address.of("study", one.key) for one in found(library)),
    ]


class _Seen(HTMLParser):
    """Remembers what a browser would take for markup."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.handlers: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag in {"script", "iframe", "object", "embed", "base"}:
            self.scripts.append(str(named.get("src")))
        self.handlers += [name for name in named if name.startswith("on")]
        self.links += [str(named[name]) for name in ("href", "src", "action") if name in named]


def page(site: Site, address: Address) -> str:
    """Write a page, or the page that says why not, as the application does."""
    from memgauge.errors import MemgaugeError

    try:
        return site.html(address)
    except MemgaugeError as error:
        return site.problem(error, address)


def test_no_page_takes_data_for_markup(hostile: Library) -> None:
    """One script, ours; no handler; no link but our own; nothing that a screen obeys; no huge page."""
    site = Site(hostile)
    for address in dict.fromkeys(each for item in hostile.finished() for each in addresses(hostile, item)):
        html = page(site, address)
        seen = _Seen()
        seen.feed(html)
        assert seen.scripts == ["/static/view.js"], address
        assert seen.handlers == [], address
        assert all(link.startswith(("/", "#")) and not link.startswith("//") for link in seen.links), address
        assert not OBEYED.search(html), address
        assert len(html) < 6_000_000, address
        assert "49" not in re.findall(r"\{\{[^}]*\}\}|(?<=x=')\s*(\d+)", html)


def test_no_table_computes(hostile: Library) -> None:
    """A hostile cell of any table is written as text for a spreadsheet."""
    import csv
    import io

    from memgauge.show.exports import csv_text

    site = Site(hostile)
    (item, *_) = hostile.finished()
    for address in addresses(hostile, item)[:9]:
        for table in site.view(address).document.tables:
            csv.field_size_limit(10_000_000)
            for row in csv.reader(io.StringIO(csv_text(table))):
                assert not any(cell.startswith(("=", "@", "|")) for cell in row)


def test_drawings_hold_names_as_text(hostile: Library) -> None:
    """Charts of hostile labels are well-formed and hold no element of theirs."""
    from xml.etree import ElementTree as ET

    site = Site(hostile)
    (own,) = groups(hostile)
    svg = site.file(Address("board", (own.key,), (("as", "svg"), ("of", "scores")))).content.decode()
    root = ET.fromstring(svg)  # noqa: S314 - drawn here
    tags = {node.tag.rpartition("}")[2] for node in root.iter()}
    assert tags <= {
        "svg",
        "style",
        "title",
        "desc",
        "g",
        "path",
        "text",
        "line",
        "rect",
        "defs",
        "clipPath",
        "tspan",
    }
