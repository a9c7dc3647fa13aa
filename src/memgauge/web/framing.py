"""The viewer around the blocks of a document: links lead to its pages, tables and figures can be taken away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.show.assets import environment, safe
from memgauge.show.html import Frame

if TYPE_CHECKING:
    from markupsafe import Markup

    from memgauge.show import Figure
    from memgauge.web.address import Address
    from memgauge.web.site import Links

_PICTURE = (
    '<img class="chart" src="{{ source }}" alt="{{ title|shorten }}; its numbers are in the tables of this page" '
    'loading="lazy">'
)


@dataclass(frozen=True)
class ViewerFrame(Frame):
    """A page of the viewer."""

    links: Links
    address: Address

    @property
    def takes(self) -> bool:
        """Say that tables and figures can be taken away from here."""
        return True

    def link(self, leads: Any) -> str:
        """Return the address of a page; nothing where it will not be there."""
        return self.links.page(leads)

    def download(self, key: str, kind: str) -> str:
        """Return the address of a table or figure as a file."""
        return self.links.file(self.address.but(**{"as": kind, "of": key}), f"{key}.{kind}")

    def picture(self, figure: Figure) -> Markup:
        """Show a figure as a picture of its own, drawn when it is looked at."""
        source = self.download(figure.key, "svg")
        return safe(environment().from_string(_PICTURE).render(source=source, title=figure.title))
