"""From an address to what is sent: the page's function is asked, and its template written."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from memgauge.errors import RunNotFoundError
from memgauge.runs.record.seal import how_altered
from memgauge.show import Document
from memgauge.show.assets import asset
from memgauge.show.assets import environment as shared
from memgauge.show.figures import drawn
from memgauge.show.html import contents
from memgauge.text.shell import typed
from memgauge.web.address import Address
from memgauge.web.downloads import DRAWINGS, TABLES, File, drawing, taken
from memgauge.web.framing import ViewerFrame
from memgauge.web.recent import RecentCache
from memgauge.web.view import View

if TYPE_CHECKING:
    from jinja2 import Environment

    from memgauge.show import Figure
    from memgauge.web.library import Library
    from memgauge.web.view import Page

PAGES = {
    "home": ("home:page", 0),
    "runs": ("runs:page", 0),
    "run": ("run:page", 1),
    "board": ("board:page", None),
    "multiverse": ("multiverse:page", 1),
    "compare": ("compare:page", 0),
    "questions": ("questions:page", 1),
    "failures": ("failures:page", 1),
    "question": ("question:page", 1),
    "memories": ("memories:page", 1),
    "memory": ("memories:memory", 1),
    "studies": ("studies:index", 0),
    "study": ("studies:page", 1),
}
"""Every page: its function, and how many parts its address has."""
ASSETS = {
    "view.css": "text/css; charset=utf-8",
    "view.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_MENU = (
    ("Home", Address.of("home")),
    ("Runs", Address.of("runs")),
    ("Boards", Address.of("board")),
    ("Compare", Address.of("compare")),
    ("Studies", Address.of("studies")),
)


class Links(Protocol):
    """Where pages lie for whoever reads them."""

    @property
    def live(self) -> bool:
        """Whether forms and progress work: there is somebody to answer."""
        ...

    @property
    def policy(self) -> str:
        """Return what is written into a page where nobody can send it as a header."""
        ...

    def page(self, address: Address) -> str:
        """Return what a link to a page says; nothing where the page will not be there."""
        ...

    def file(self, address: Address, name: str) -> str:
        """Return what a link to a table or a drawing says."""
        ...

    def asset(self, name: str) -> str:
        """Return what a link to a style, script or icon says."""
        ...


@dataclass(frozen=True)
class Served:
    """Links of the server."""

    live: bool = True
    policy: str = ""

    def page(self, address: Address) -> str:
        """Return the URL."""
        return address.url

    def file(self, address: Address, name: str) -> str:  # noqa: ARG002 - the server knows it by its address
        """Return the URL."""
        return address.url

    def asset(self, name: str) -> str:
        """Return the URL."""
        return f"/static/{name}"


@dataclass(eq=False)
class Site:
    """All pages over one library."""

    library: Library
    links: Links = field(default_factory=Served)
    _drawn: RecentCache = field(default_factory=lambda: RecentCache(64))
    _last: RecentCache = field(default_factory=lambda: RecentCache(1))

    def view(self, address: Address) -> View:
        """Ask a page's function.

        Raises:
            RunNotFoundError: There is no such page, or nothing of this name on it.
            UserError: What was asked makes no sense.
        """
        target, parts = PAGES.get(address.page, ("", 0))
        if not target or (parts is not None and len(address.parts) != parts) or len(address.parts) > 1:
            raise RunNotFoundError(f"There is no page {address.path}.", "Begin with the list of runs.")
        module, _, name = target.partition(":")
        page: Page = getattr(import_module(f"memgauge.web.pages.{module}"), name)
        current_items = self.library.watch()
        view = page(self.library, address)
        altered = [(item, files) for item in current_items() if (files := self.library.altered(item, read=True))]
        warnings = tuple(
            f"{item.key} is not as it was sealed ({how_altered(item.folder, files)}): believe no number of it. "
            f"Look at it with `memgauge runs verify {typed(item.folder)}`."
            for item, files in altered
        )
        return replace(view, warnings=warnings) if warnings else view

    def html(self, address: Address) -> str:
        """Write a page."""
        view = self.view(address) if self.links.live else self._last.get(address, lambda: self.view(address))
        return self._rendered(view, address)

    def problem(self, error: Exception, address: Address) -> str:
        """Write a page that says what went wrong and what to do."""
        remedy = getattr(error, "remedy", "") or ""
        message = getattr(error, "what", "") or str(error)
        view = View(document=Document("This cannot be shown", lead=message, facts=(remedy,) if remedy else ()))
        return self._rendered(view, address)

    def file(self, address: Address) -> File:
        """Write the table or the drawing that an address asks for under ``as`` and ``of``.

        Raises:
            RunNotFoundError: The page has none of this name, or not as this kind of file.
        """
        format_name, key = address.get("as"), address.get("of")
        page = address.but(**{"as": None, "of": None})
        # An export takes all files of one page, whose runs do not change meanwhile.
        view = self.view(page) if self.links.live else self._last.get(page, lambda: self.view(page))
        if format_name in TABLES:
            for table in view.document.tables:
                if table.key == key:
                    return taken(table, format_name)
        elif format_name in DRAWINGS:
            for figure in view.document.figures:
                if figure.key == key:
                    return drawing(key, self._svg(view.document, figure, page), format_name)
        raise RunNotFoundError(
            f"This page has no {key!r} as {format_name}.", "Take a link below a table or a chart."
        )

    def _svg(self, document: Document, figure: Figure, page: Address) -> str:
        """Draw a figure, which takes longer than a page: it is kept while what it shows does not change."""
        state = hash((document.lead, *(row for table in document.tables for row in table.rows)))
        return self._drawn.get((page, figure.key, state), lambda: drawn(figure))

    def _rendered(self, view: View, address: Address) -> str:
        from memgauge.version import __version__

        return (
            environment()
            .get_template(view.template)
            .render(
                **view.values,
                view=view,
                title=view.document.title,
                identity={**view.document.identity, "memgauge": __version__},
                here=address,
                menu=[(name, self.links.page(leads), leads.page == address.page) for name, leads in _MENU],
                url=self.links.page,
                to=lambda page, *parts, **asked: self.links.page(Address.of(page, *parts, **asked)),
                frame=ViewerFrame(self.links, address),
                asset=self.links.asset,
                live=self.links.live,
                policy=self.links.policy,
            )
        )


@cache
def environment() -> Environment:
    """Make the environment of the viewer: the templates of documents, in a frame of its own."""
    from jinja2 import ChoiceLoader, PackageLoader

    base = shared()
    loader = ChoiceLoader([PackageLoader("memgauge.web"), PackageLoader("memgauge.show")])
    overlay = base.overlay(loader=loader)
    overlay.filters = base.filters | {"contents": lambda document: tuple(contents(document))}
    return overlay


def static(name: str) -> bytes:
    """Return a style, script or icon.

    Raises:
        RunNotFoundError: There is none of this name.
    """
    from importlib.resources import files

    if name not in ASSETS:
        raise RunNotFoundError(f"There is no file {name!r}.", "Begin with the list of runs.")
    stylesheet = (files("memgauge.web") / "static" / name).read_text("utf-8")
    return (asset("style.css") + asset("site.css") + stylesheet if name == "view.css" else stylesheet).encode()
