"""Styles and scripts that pages share, and the templates' environment: escaping is always on."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from memgauge.show.document import grouped
from memgauge.show.glossary import glossed, meaning
from memgauge.show.numbers import plural
from memgauge.show.safety import clean, shorten

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


def asset(name: str) -> str:
    """Read a style or a script."""
    return (files("memgauge.show") / "templates" / name).read_text("utf-8")


@cache
def environment() -> Environment:
    """Make the environment of every template; what a template shows is cleaned as it is written."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("memgauge.show"),
        autoescape=True,
        finalize=_cleaned,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "shorten": shorten,
        "plural": plural,
        "glossed": glossed,
        "meaning": meaning,
        "grouped": lambda blocks: tuple(grouped(tuple(blocks))),
        "kind_of": lambda block: type(block).__name__,
    }
    return templates


def safe(text: str) -> Markup:
    """Mark *text*, which this package made, as markup."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - only our own templates, style, script and drawings come here


def _cleaned(value: object) -> object:
    """Clean a text that a template shows; markup stays markup."""
    if not isinstance(value, str):
        return value
    return safe(clean(value)) if hasattr(value, "__html__") else clean(value)
