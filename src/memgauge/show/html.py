"""Documents as HTML: a self-contained page that loads nothing, or blocks inside a page of somebody else."""

from __future__ import annotations

import itertools
from base64 import b64encode
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from memgauge.show.assets import asset, environment, safe
from memgauge.show.document import Section
from memgauge.show.figures import drawn
from memgauge.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markupsafe import Markup

    from memgauge.show.document import Document, Figure


@dataclass(frozen=True)
class Frame:
    """What a page has around its blocks; a file has neither links nor anything to take away."""

    _numbers: Iterator[int] = field(
        default_factory=partial(itertools.count, 1), init=False, repr=False, compare=False
    )

    def numbered(self) -> int:
        """Return a number that no other element of this page has."""
        return next(self._numbers)

    @property
    def takes(self) -> bool:
        """Whether tables and figures can be taken away from here."""
        return False

    def link(self, leads: Any) -> str:  # noqa: ARG002 - a file leads nowhere
        """Return what a link says; nothing where it leads nowhere."""
        return ""

    def download(self, key: str, kind: str) -> str:  # noqa: ARG002 - nor does it serve files
        """Return what a link to a table or figure as a file says."""
        return ""

    def picture(self, figure: Figure) -> Markup:
        """Draw a figure in its place."""
        return safe(drawn(figure))


def page(document: Document, *, script: str = "", extra: str = "", headed: Iterable[tuple[str, str]] = ()) -> str:
    """Write a document as one file, with a policy that allows its own style and script and nothing else.

    *script* is one of the assets; without it the page allows none. *extra* is markup of this package that stands
    after the blocks, *headed* key and title of what a reader can jump to in it.
    """
    if not document.title:  # boards of several datasets have none together, and a page is read out by its own
        titles = [block.title for block in document.blocks if isinstance(block, Table | Section)]
        document = replace(document, title=", ".join(filter(None, titles)) or "memgauge")
    css, code = asset("style.css"), asset(script) if script else ""
    directives = [f"style-src '{_hash(css)}'", *([f"script-src '{_hash(code)}'"] if code else [])]
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            document=document,
            frame=Frame(),
            contents=tuple(contents(document, headed)),
            css=safe(css),
            script=safe(code),
            extra=safe(extra),
            policy="; ".join(["default-src 'none'", *directives, "base-uri 'none'", "form-action 'none'"]),
        )
    )


@dataclass(frozen=True)
class Surroundings:
    """What a page of a site of files has around its document."""

    style: str
    """Where the style lies, seen from the page."""
    menu: tuple[tuple[str, str, bool], ...]
    """Name, where it leads, and whether it is this page."""
    trail: tuple[tuple[str, str], ...] = ()
    """Where the reader came from, outermost first."""


STYLES: Final = ("style.css", "site.css")
"""Assets of which a site makes its one style."""
SITE_POLICY: Final = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'"


def site_page(document: Document, frame: Frame, around: Surroundings) -> str:
    """Write a document as one file of a site, which loads the site's own style and runs no script."""
    template = environment().get_template("site.html.j2")
    return template.render(
        document=document, frame=frame, around=around, contents=tuple(contents(document)), policy=SITE_POLICY
    )


def blocks(document: Document, frame: Frame) -> Markup:
    """Write the lead, the blocks and the notes of a document for a page that has its own frame."""
    template = environment().get_template("document.html.j2")
    return safe(template.render(document=document, frame=frame, contents=tuple(contents(document))))


def contents(document: Document, further: Iterable[tuple[str, str]] = ()) -> Iterator[tuple[str, str]]:
    """Yield key and title of what a reader can jump to, where there is more than one."""
    if document.carded:
        return
    own_headings = [(block.key, block.title) for block in document.blocks if isinstance(block, Table | Section)]
    headed = [*own_headings, *further]
    if len(headed) > 1:
        yield from headed


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
