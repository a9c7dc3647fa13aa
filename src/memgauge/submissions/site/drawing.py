"""Pages as bytes: a page follows from its document and our code alone, so what was drawn once is kept by both."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib.metadata import version
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

from pydantic_core import PydanticSerializationError, to_json

from memgauge.submissions.rows.keeping import code_digest, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from memgauge.submissions.site.frame import SitePage

FOLDER: Final = "pages"
"""Beside the rows that are kept: one file a page, which the next one of its place replaces."""
MANY: Final = 64
"""Pages that are drawn before a second process is worth its start."""
ROOMS: Final = ("records", "text", "stats", "scoring", "show", "report", "submissions")
"""Rooms whose code decides what a document looks like."""
PACKAGES: Final = ("altair", "jinja2", "markupsafe", "vl-convert-python")


def drawn_pages(pages: Iterable[SitePage], rows: Path | None = None, jobs: int = 1) -> Iterator[tuple[str, bytes]]:
    """Yield place and bytes of every page.

    Args:
        pages: What is drawn.
        rows: Folder of rows, beside which pages are kept; without it every page is drawn anew.
        jobs: Processes that draw; how many changes no byte.
    """
    left: list[tuple[SitePage, str]] = []
    for page in pages:
        key = "" if rows is None else page_key(page)
        content = None if rows is None else _read(_file(rows, page), key)
        if content is None:
            left.append((page, key))
        else:
            yield page.place, content
    for (page, key), content in zip(left, _drawn([page for page, _ in left], jobs), strict=True):
        if rows is not None and key:
            _file(rows, page).parent.mkdir(parents=True, exist_ok=True)
            write_whole(_file(rows, page), f"{_sum(key, content)}\n".encode() + content)
        yield page.place, content


def page_key(page: SitePage) -> str:
    """Hash what a page follows from; empty where it holds a function that is no value."""
    try:
        written = to_json(page, fallback=_values)
    except (PydanticSerializationError, TypeError, ValueError):
        return ""
    return hashlib.sha256(_renderer().encode() + written).hexdigest()


def _values(content: object) -> object:
    """Give what JSON has no word for as one that it has.

    Raises:
        TypeError: It is no value.
    """
    if isinstance(content, Mapping):
        return dict(content)
    raise TypeError(type(content).__name__)


@cache
def _renderer() -> str:
    """Name the code that draws: ours, and that of the packages it draws with."""
    return " ".join([code_digest(ROOMS), *(f"{package}={version(package)}" for package in PACKAGES)])


def _file(rows: Path, page: SitePage) -> Path:
    return rows / FOLDER / f"{hashlib.sha256(page.place.encode()).hexdigest()}.html"


def _read(path: Path, key: str) -> bytes | None:
    """Read a page that was drawn of *key*; ``None`` where there is none, or not as it was written."""
    try:
        written, _, content = path.read_bytes().partition(b"\n")
    except OSError:
        return None
    return content if key and written.decode("ascii", "replace") == _sum(key, content) else None


def _sum(key: str, content: bytes) -> str:
    return hashlib.sha256(key.encode() + content).hexdigest()


def _drawn(pages: list[SitePage], jobs: int) -> Iterator[bytes]:
    if jobs < 2 or len(pages) < MANY or not all(map(page_key, pages)):
        yield from map(_bytes, pages)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(_bytes, pages, chunksize=8)


def _bytes(page: SitePage) -> bytes:
    return page.html.encode("utf-8", "replace")
