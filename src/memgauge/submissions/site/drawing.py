"""Files of the site as bytes: each follows from a value and our code alone, so it is kept by both."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, partial
from importlib.metadata import version
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Protocol

from pydantic_core import PydanticSerializationError, to_json

from memgauge.submissions.rows.keeping import code_digest, keep, kept
from memgauge.submissions.site.drawers import ALONE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from memgauge.submissions.site.drawers import Drawers


class SiteFile(Protocol):
    """A page or a feed: a frozen value that knows what it is written as."""

    @property
    def place(self) -> str:
        """Return where it lies, below the root."""

    @property
    def content(self) -> bytes:
        """Write it."""


FOLDER: Final = "pages"
"""Beside the rows that are kept: one file a place, which the next one of that place replaces."""
ROOMS: Final = ("records", "text", "stats", "scoring", "show", "report", "submissions", "results.py")
"""Rooms whose code decides what a document or a feed looks like."""
PACKAGES: Final = ("altair", "jinja2", "markupsafe", "vl-convert-python")
_CONTENT: Final = attrgetter("content")


def drawn_files(
    made: Iterable[SiteFile], rows: Path | None = None, drawers: Drawers = ALONE
) -> Iterator[tuple[str, bytes]]:
    """Yield place and bytes of every file, those that were kept first.

    Files are kept beside the folder *rows*; without it every one is drawn anew. *drawers* change no byte.
    """
    left: list[tuple[SiteFile, str, Callable[[], bytes]]] = []
    for each in made:
        key = file_key(each)
        content = kept(_place(rows, each), key) if rows is not None and key else None
        if content is None:
            left.append((each, key, drawers.begun(_CONTENT, each) if key else partial(_CONTENT, each)))
        else:
            yield each.place, content
    # The others began at the first file: from the last one on, this process meets them on its way.
    for each, key, drawn in reversed(left):
        content = drawn()
        if rows is not None and key:
            keep(_place(rows, each), key, content)
        yield each.place, content


def file_key(made: SiteFile) -> str:
    """Hash what a file follows from; empty where it holds a function that is no value."""
    try:
        written = to_json(made, fallback=_values)
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


def _place(rows: Path, made: SiteFile) -> Path:
    return rows / FOLDER / hashlib.sha256(made.place.encode()).hexdigest()
