"""What a page of the viewer is: a document, and the way around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.show import Document
    from memgauge.web.address import Address
    from memgauge.web.library import Library

    Page = Callable[[Library, Address], "View"]


@dataclass(frozen=True)
class Choice:
    """One control of a form: a list to choose from, or a field to write in."""

    name: str
    label: str
    chosen: str
    options: tuple[tuple[str, str], ...] = ()
    """Values with what they are called; none for a field."""


@dataclass(frozen=True)
class View:
    """One page."""

    document: Document
    """What the page says."""
    template: str = "page.html.j2"
    """Another one where a page has blocks that no document has."""
    warnings: tuple[str, ...] = ()
    """What makes numbers of the page worthless, above everything else."""
    trail: tuple[tuple[str, Address], ...] = ()
    """Where the reader came from, outermost first."""
    more: tuple[tuple[str, Address], ...] = ()
    """Where to go on."""
    form: tuple[Choice, ...] = ()
    folded: str = ""
    """The title that the form is behind, below what the page says first; always shown where it is empty."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """What the page's own template shows besides."""
