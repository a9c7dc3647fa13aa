"""Addresses of pages: everything that can be looked at has one, and it can be kept and shared."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import quote, unquote, urlencode

from memgauge.text.halves import encodable

if TYPE_CHECKING:
    from collections.abc import Iterable

HOME = "home"


@dataclass(frozen=True, order=True)
class Address:
    """A page, what it is about, and what was asked of it. Foreign texts stand only in what was asked."""

    page: str
    parts: tuple[str, ...] = ()
    asked: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, page: str, *parts: str, **asked: object) -> Self:
        """Make an address; what is ``None`` or empty was not asked."""
        pairs = sorted((name, str(value)) for name, value in asked.items() if value not in {None, ""})
        return cls(page, parts, tuple(pairs))

    @classmethod
    def read(cls, path: str, query: Iterable[tuple[str, str]] = ()) -> Self:
        """Read an address from the path and the pairs of a URL; of a name that comes twice the last counts."""
        page, *parts = [unquote(part) for part in path.strip("/").split("/")]
        parameters = {name: value for name, value in query if value}
        return cls(page or HOME, tuple(parts), tuple(sorted(parameters.items())))

    @property
    def path(self) -> str:
        """Return the path of its URL."""
        if self.page == HOME and not self.parts:
            return "/"
        return "/" + "/".join(quote(part, safe="~") for part in (self.page, *self.parts))

    @property
    def url(self) -> str:
        """Return its URL on the server."""
        if not self.asked:
            return self.path
        return f"{self.path}?{urlencode([(name, encodable(value)) for name, value in self.asked])}"

    @property
    def file(self) -> str:
        """Return the name of its file in an export: readable, and unique through a hash of what was asked."""
        if self.page == HOME and not self.parts and not self.asked:
            return "index.html"
        name = "-".join([self.page, *self.parts])
        slug = re.sub(r"[^A-Za-z0-9._~-]+", "-", name)[:100]
        if slug == name and not self.asked:
            return f"{slug}.html"
        return f"{slug}-{hashlib.sha256(self.url.encode()).hexdigest()[:12]}.html"

    def get(self, name: str, default: str = "") -> str:
        """Return what was asked under a name."""
        return dict(self.asked).get(name, default)

    def whole(self, name: str, default: int, least: int = 1, most: int = 1_000_000) -> int:
        """Return a whole number that was asked, within bounds; the default where it is none."""
        text = self.get(name)
        return min(max(int(text), least), most) if re.fullmatch(r"\d{1,9}", text) else default

    def but(self, **asked: object) -> Self:
        """Return the same page with something else asked; ``None`` asks it no more."""
        pairs = dict(self.asked) | {name: str(value) for name, value in asked.items() if value not in {None, ""}}
        for name, value in asked.items():
            if value in {None, ""}:
                pairs.pop(name, None)
        return type(self)(self.page, self.parts, tuple(sorted(pairs.items())))
