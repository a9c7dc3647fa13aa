"""Pages as bytes: a page follows from its document and our code alone, so what was drawn once is kept by both."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from pydantic_core import PydanticSerializationError, to_json

from memgauge.submissions.rows.keeping import code_digest, write_whole
from memgauge.submissions.site.drawers import ALONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from memgauge.submissions.site.drawers import Drawers
    from memgauge.submissions.site.frame import SitePage

FOLDER: Final = "pages"
"""Beside the rows that are kept: one file a page, which the next one of its place replaces."""
ROOMS: Final = ("records", "text", "stats", "scoring", "show", "report", "submissions")
"""Rooms whose code decides what a document looks like."""
PACKAGES: Final = ("altair", "jinja2", "markupsafe", "vl-convert-python")


def drawn_pages(
    pages: Iterable[SitePage], rows: Path | None = None, drawers: Drawers = ALONE
) -> Iterator[tuple[str, bytes]]:
    """Yield place and bytes of every page, those that were kept first.

    Args:
        pages: What is drawn.
        rows: Folder of rows, beside which pages are kept; without it every page is drawn anew.
        drawers: Processes that draw too; they change no byte.
    """
    left: list[tuple[SitePage, str, Callable[[], bytes]]] = []
    for page in pages:
        key = page_key(page)
        content = None if rows is None else _read(_file(rows, page), key)
        if content is None:
            left.append((page, key, drawers.begun(_bytes, page) if key else partial(_bytes, page)))
        else:
            yield page.place, content
    # The others began at the first page: from the last one on, this process meets them on its way.
    for page, key, drawn in reversed(left):
        content = drawn()
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


def _bytes(page: SitePage) -> bytes:
    return page.html.encode("utf-8", "replace")
