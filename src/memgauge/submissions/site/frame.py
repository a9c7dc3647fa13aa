"""The site around a document: links lead to its files, and figures stand in the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.show.html import Frame, Surroundings, site_page
from memgauge.submissions.site.places import MENU, STYLE, from_page

if TYPE_CHECKING:
    from memgauge.show import Document


@dataclass(frozen=True)
class SiteFrame(Frame):
    """A page of the site."""

    place: str
    """Where it lies, below the root."""

    def link(self, leads: Any) -> str:
        """Spell a link to another page of the site."""
        return from_page(self.place, leads)


@dataclass(frozen=True)
class SitePage:
    """A document with its place."""

    place: str
    document: Document
    trail: tuple[tuple[str, str], ...] = ()
    """Name and place of the pages above it."""

    @property
    def content(self) -> bytes:
        """Write the page."""
        section = self.place.partition("/")[0]
        menu = tuple(
            (name, from_page(self.place, place), _is_here(self.place, place, section)) for name, place in MENU
        )
        trail = tuple((name, from_page(self.place, place)) for name, place in self.trail)
        around = Surroundings(from_page(self.place, STYLE), menu, trail)
        return site_page(self.document, SiteFrame(self.place), around).encode("utf-8", "replace")


def _is_here(page: str, place: str, section: str) -> bool:
    return page == place or ("/" in place and "/" in page and place.partition("/")[0] == section)
