"""From an address to what is sent: the page's function is asked, and its template written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from memgauge.errors import RunNotFoundError
from memgauge.report.templating import environment as shared
from memgauge.show.assets import asset
from memgauge.show.figures import drawn
from memgauge.show.html import contents
from memgauge.web.address import Address
from memgauge.web.downloads import DRAWINGS, TABLES, File, chart_svg, drawing, drawings_of, table, tables_of
from memgauge.web.framing import ViewerFrame
from memgauge.web.library import Kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from jinja2 import Environment

    from memgauge.report.sheet import Sheet
    from memgauge.show import Table
    from memgauge.web.library import Library
    from memgauge.web.view import Page, View

PAGES = {
    "runs": ("runs:page", 0),
    "run": ("run:page", 1),
    "board": ("board:page", None),
    "multiverse": ("multiverse:page", 1),
    "compare": ("compare:page", 0),
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
    ("Runs", Address.of("runs")),
    ("Boards", Address.of("board")),
    ("Compare", Address.of("compare")),
    ("Studies", Address.of("studies")),
)
_TABLE_END, _FIGURE_END = re.compile(r"</table>\s*</div>"), re.compile(r"</svg></div>")


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
    _drawn: Kept = field(default_factory=lambda: Kept(64))
    _last: Kept = field(default_factory=lambda: Kept(1))

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
        opened = self.library.watch()
        view = page(self.library, address)
        altered = [(item, files) for item in opened() if (files := self.library.altered(item))]
        warnings = tuple(
            f"{item.key} is not as it was sealed ({', '.join(files)} changed): believe no number of it. "
            f"Look at it with `memgauge verify {item.folder}`."
            for item, files in altered
        )
        return replace(view, warnings=warnings) if warnings else view

    def html(self, address: Address) -> str:
        """Write a page."""
        view = self.view(address) if self.links.live else self._last.get(address, lambda: self.view(address))
        return self._with_links(self._rendered(view, address), view, address)

    def problem(self, error: Exception, address: Address) -> str:
        """Write a page that says what went wrong and what to do."""
        from memgauge.show import Document
        from memgauge.web.view import View

        remedy = getattr(error, "remedy", "") or ""
        what = getattr(error, "what", "") or str(error)
        view = View(document=Document("This cannot be shown", lead=what, facts=(remedy,) if remedy else ()))
        return self._rendered(view, address)

    def file(self, address: Address) -> File:
        """Write the table or the drawing that an address asks for under ``as`` and ``of``.

        Raises:
            RunNotFoundError: The page has none of this name, or not as this kind of file.
        """
        kind, key = address.get("as"), address.get("of")
        page = address.but(**{"as": None, "of": None})
        # An export takes all files of one page, whose runs do not change meanwhile.
        view = self.view(page) if self.links.live else self._last.get(page, lambda: self.view(page))
        if kind in TABLES:
            for one in self._sheets(view, page):
                if one.key == key:
                    return table(one, kind)
        elif kind in DRAWINGS and (svg := self._svg(view, page, key)):
            return drawing(key, svg, kind)
        raise RunNotFoundError(f"This page has no {key!r} as {kind}.", "Take a link below a table or a chart.")

    def _sheets(self, view: View, page: Address) -> tuple[Sheet | Table, ...]:
        if view.document is not None:
            return tuple(view.document.tables)
        return tables_of(self._rendered(view, page)) if _foreign(view) else view.sheets

    def _svg(self, view: View, page: Address, key: str) -> str:
        if view.document is not None:
            figure = next((figure for figure in view.document.figures if figure.key == key), None)
            if figure is None:
                return ""
            # Drawing takes longer than a page: what is drawn is kept while what it shows does not change.
            state = hash((view.document.lead, *(row for table in view.document.tables for row in table.rows)))
            return self._drawn.get((page, key, state), lambda: drawn(figure))
        if _foreign(view):
            found = drawings_of(self._rendered(view, page))
            place = int(key.rpartition("-")[2]) - 1 if re.fullmatch(r"figure-\d{1,3}", key) else -1
            return found[place] if 0 <= place < len(found) else ""
        chart = next((one for one in view.charts if one.key == key), None)
        if chart is None:
            return ""
        # Drawing takes longer than a page: what is drawn is kept as long as what it shows does not change.
        state = hash((view.lead, *(row for sheet in view.sheets for row in sheet.rows)))
        return self._drawn.get((page, key, state), lambda: chart_svg(chart))

    def _rendered(self, view: View, address: Address) -> str:
        from memgauge.version import __version__

        document = view.document
        title, identity = (document.title, document.identity) if document else (view.title, view.identity)
        template = view.template or ("page.html.j2" if document else "sheets.html.j2")
        return (
            environment()
            .get_template(template)
            .render(
                **view.values,
                view=view,
                title=title,
                identity={**identity, "memgauge": __version__},
                here=address,
                menu=[(name, self.links.page(leads), leads.page == address.page) for name, leads in _MENU],
                url=self.links.page,
                to=lambda page, *parts, **asked: self.links.page(Address.of(page, *parts, **asked)),
                download=self._download(address),
                frame=ViewerFrame(self.links, address),
                asset=self.links.asset,
                live=self.links.live,
                policy=self.links.policy,
            )
        )

    def _download(self, address: Address) -> Callable[[str, str], str]:
        def link(key: str, kind: str) -> str:
            return self.links.file(address.but(**{"as": kind, "of": key}), f"{key}.{kind}")

        return link

    def _with_links(self, html: str, view: View, address: Address) -> str:
        """Offer the tables and figures of a page of the reports, which know nothing of downloads."""
        if not _foreign(view):
            return html
        link, names = self._download(address), [one.title for one in tables_of(html)]

        def after(kinds: tuple[str, ...], prefix: str) -> Callable[[re.Match[str]], str]:
            number = iter(range(1, 10_000))

            def write(found: re.Match[str]) -> str:
                key = f"{prefix}-{next(number)}"
                what = names[int(key.rpartition("-")[2]) - 1] if prefix == "table" else f"figure {key[7:]}"
                return found[0] + _takeaway(link, key, kinds, what)

            return write

        html = _TABLE_END.sub(after(("csv", "json"), "table"), html)
        return _FIGURE_END.sub(after(("svg", "png"), "figure"), html)


def _takeaway(link: Callable[[str, str], str], key: str, kinds: tuple[str, ...], what: str) -> str:
    template = environment().from_string(
        '<p class="take">{% for kind in kinds %}<a href="{{ link(key, kind) }}" download '
        'aria-label="{{ what }} as {{ kind|upper }}">{{ kind|upper }}</a>{% endfor %}</p>'
    )
    return template.render(link=link, key=key, kinds=kinds, what=what)


def _foreign(view: View) -> bool:
    """Whether the page is one of the reports', in the viewer's frame."""
    return view.document is None and bool(view.template)


@cache
def environment() -> Environment:
    """Make the environment of the viewer: the reports' filters and templates, in a frame of its own."""
    from jinja2 import ChoiceLoader, PackageLoader

    base = shared()
    loader = ChoiceLoader(
        [PackageLoader("memgauge.web"), PackageLoader("memgauge.report"), PackageLoader("memgauge.show")]
    )
    made = base.overlay(loader=loader)
    made.filters = base.filters | {"contents": lambda document: tuple(contents(document))}
    return made


def static(name: str) -> bytes:
    """Return a style, script or icon.

    Raises:
        RunNotFoundError: There is none of this name.
    """
    from importlib.resources import files

    if name not in ASSETS:
        raise RunNotFoundError(f"There is no file {name!r}.", "Begin with the list of runs.")
    own = (files("memgauge.web") / "static" / name).read_text("utf-8")
    return (asset("style.css") + own if name == "view.css" else own).encode()
