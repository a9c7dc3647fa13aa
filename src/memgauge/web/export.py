"""The same pages as files in one folder, which can be put anywhere: every link leads to a file that is there."""

from __future__ import annotations

import re
import shutil
from collections import Counter, deque
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, MemgaugeError
from memgauge.refusals import naming
from memgauge.scoring.align import align
from memgauge.scoring.score import fitted
from memgauge.scoring.stories import telling
from memgauge.web.address import Address
from memgauge.web.contracts import settings_of
from memgauge.web.groups import groups
from memgauge.web.site import ASSETS, Site, static

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from memgauge.web.library import Library

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'"
)
CAPS = {"compare": 20, "failures": 40, "questions": 60, "memories": 60, "run": 2_000, "board": 400}
"""Pages of a kind that are written at most, the first ones met."""


@dataclass(frozen=True)
class Exported:
    """What was written."""

    pages: int
    files: int
    bytes: int
    problems: tuple[str, ...]
    """Pages that say why they cannot be shown."""


@dataclass(eq=False)
class Files:
    """Links between files of one folder; whatever is linked is written, as long as it is wanted."""

    questions: frozenset[str]
    memories: int
    live: bool = False
    policy: str = POLICY
    waiting: deque[Address] = field(default_factory=deque)
    wanted: dict[str, tuple[Address, str]] = field(default_factory=dict)
    """Tables and drawings by the name of their file."""
    _known: dict[Address, str] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)

    def page(self, address: Address) -> str:
        """Return the name of its file, or nothing where it is left out; a question is told under one contract."""
        if address.page == "question" and not (address.get("turns") or address.get("hits")):
            address = Address.of("question", *address.parts, id=address.get("id"))
        if address not in self._known:
            self._known[address] = address.file if self._admits(address) else ""
            if self._known[address]:
                self.waiting.append(address)
        return self._known[address]

    def file(self, address: Address, name: str) -> str:
        """Return the name of the file of a table or a drawing."""
        page = address.but(**{"as": None, "of": None})
        path = f"files/{page.file.removesuffix('.html')}.{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}"
        self.wanted[path] = (address, name)
        return path

    def asset(self, name: str) -> str:
        """Return the name of its file."""
        return f"static/{name}"

    def _admits(self, address: Address) -> bool:
        if address.page == "question" and (address.get("id") not in self.questions or len(address.asked) > 1):
            return False
        cap = self.memories if address.page == "memory" else CAPS.get(address.page)
        self._counts[address.page] += 1
        return cap is None or self._counts[address.page] <= cap


def export(
    library: Library,
    out: Path,
    *,
    questions: int = 100,
    memories: int = 200,
    on_page: Callable[[int, int], None] = lambda *_: None,
) -> Exported:
    """Write every page that links lead to from the first one.

    *out* is empty, or not there yet. Of each board the most telling *questions* are told; *memories* are shown one
    by one, the first ones met. *on_page* is told how many pages are written, and how many links are known to lead
    to.

    Raises:
        ConfigError: The folder holds something.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ConfigError(f"{out} is not empty.", "Choose a folder that is not there yet.")
    with ExitStack() as undo:  # half an export is of no use, and in the way of the next
        undo.callback(shutil.rmtree, out, ignore_errors=True)
        exported = _written(library, out, questions, memories, on_page)
        undo.pop_all()
    return exported


def _written(
    library: Library, out: Path, questions: int, memories: int, on_page: Callable[[int, int], None]
) -> Exported:
    for subfolder in ("static", "files"):
        (out / subfolder).mkdir(parents=True, exist_ok=True)
    for name in ASSETS:
        _write(out / "static" / name, static(name))
    links = Files(frozenset(_chosen(library, questions)), memories)
    site = Site(library, links)
    problems, pages, size = [], 0, 0
    links.page(Address.of("home"))
    while links.waiting:
        address = links.waiting.popleft()
        try:
            html = site.html(address)
        except MemgaugeError as error:
            html = site.problem(error, address)
            problems.append(f"{address.url}: {error}")
        pages += 1
        size += _write(out / address.file, html.encode("utf-8", "replace"))
        size += _take(site, links, out, problems)
        on_page(pages, pages + len(links.waiting))
    return Exported(pages, sum(1 for _ in (out / "files").iterdir()), size, tuple(problems))


def _take(site: Site, links: Files, out: Path, problems: list[str]) -> int:
    """Write the tables and drawings that were linked since the last time."""
    size = 0
    links_wanted = dict(links.wanted)
    links.wanted.clear()
    for path, (address, _) in links_wanted.items():
        if (out / path).exists():
            continue
        try:
            content = site.file(address).content
        except MemgaugeError as error:
            problems.append(f"{address.url}: {error}")
            continue
        size += _write(out / path, content)
    links.wanted.clear()  # tables of the same page name themselves again
    return size


def _write(path: Path, content: bytes) -> int:
    with naming(path):
        path.write_bytes(content)
    return len(content)


def _chosen(library: Library, limit: int) -> Iterable[str]:
    """Choose the most telling questions of every board."""
    for board in groups(library):
        try:
            gold = library.gold(board.manifest.dataset.ref)
            settings = fitted(settings_of(Address.of("board")), gold)
            judged_runs = [
                align(library.run(item), gold, settings.contract, settings.depth) for item in board.items
            ]
        except MemgaugeError:
            continue  # its data is not here: the run's own page says so
        yield from telling(judged_runs, gold, settings.parsed[0], limit)
