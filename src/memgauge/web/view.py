"""What a page shows: values, tables and drawings, before anybody writes them as HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.report.sheet import Sheet
    from memgauge.report.svg import Figure
    from memgauge.show import Document
    from memgauge.web.address import Address
    from memgauge.web.library import Library

    Page = Callable[[Library, Address], "View"]


@dataclass(frozen=True)
class Chart:
    """A drawing that is made when somebody looks at it."""

    key: str
    title: str
    caption: str
    draw: Callable[[], Figure | None]


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

    document: Document | None = None
    """What the page says."""
    template: str = ""
    """Of a page that has blocks of its own besides."""
    title: str = ""
    lead: str = ""
    """What the page says in one sentence."""
    warnings: tuple[str, ...] = ()
    """What makes numbers of the page worthless, above everything else."""
    facts: tuple[str, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    charts: tuple[Chart, ...] = ()
    notes: tuple[str, ...] = ()
    noted: str = "Before you quote these numbers"
    """What stands above the notes."""
    trail: tuple[tuple[str, Address], ...] = ()
    """Where the reader came from, outermost first."""
    more: tuple[tuple[str, Address], ...] = ()
    """Where to go on."""
    form: tuple[Choice, ...] = ()
    identity: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    """What the page's own template shows besides."""
