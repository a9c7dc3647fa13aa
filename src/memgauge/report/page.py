"""The frame of every page: self-contained, with a policy that allows its own style and script and nothing else."""

from __future__ import annotations

from base64 import b64encode
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memgauge.report.templating import environment
from memgauge.show.assets import asset, safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from markupsafe import Markup

    from memgauge.report.svg import Figure


@dataclass(frozen=True)
class Drawn:
    """A figure as a page shows it."""

    title: str
    caption: str
    svg: Markup

    @classmethod
    def of(cls, figure: Figure, caption: str) -> Drawn:
        """Caption a drawing, whose markup is this package's own."""
        return cls(figure.title, caption, safe(figure.svg))


@dataclass(frozen=True)
class Framed:
    """A page that somebody else puts into a frame of his own: the template's blocks, and what they show."""

    template: str
    title: str
    identity: Mapping[str, str]
    content: Mapping[str, Any]


_FRAMED: ContextVar[list[Framed] | None] = ContextVar("framed", default=None)


@contextmanager
def framed() -> Iterator[list[Framed]]:
    """Collect what is rendered meanwhile instead of writing files of it."""
    collected: list[Framed] = []
    token = _FRAMED.set(collected)
    try:
        yield collected
    finally:
        _FRAMED.reset(token)


def render(template: str, *, title: str, identity: Mapping[str, str], script: str = "", **content: object) -> str:
    """Render *template*, which extends ``base.html.j2``, as one file.

    Args:
        template: Name within ``templates``.
        title: Of the page.
        identity: What a reader needs to make the page again, shown at its foot.
        script: Name of a script within ``templates``; without one the page allows none.
        content: What the template's blocks show.
    """
    if (collected := _FRAMED.get()) is not None:
        collected.append(Framed(template, title, identity, content))
        return ""
    css, code = asset("style.css"), asset(script) if script else ""
    allowed = [f"style-src '{_hash(css)}'", *([f"script-src '{_hash(code)}'"] if code else [])]
    return (
        environment()
        .get_template(template)
        .render(
            title=title,
            identity=identity,
            css=safe(css),
            script=safe(code),
            policy="; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"]),
            **content,
        )
    )


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
