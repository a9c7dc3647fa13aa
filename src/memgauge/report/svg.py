"""Figures drawn at once, for the pages that are not documents yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memgauge.show.figures import Drawing, svg


@dataclass(frozen=True)
class Figure:
    """A chart: what it shows, what it says, and its drawing."""

    title: str
    description: str
    svg: str


def draw(spec: dict[str, Any], *, uid: str, title: str, description: str) -> Figure:
    """Draw *spec* as a figure."""
    return Figure(title, description, svg(Drawing(spec, description), uid=uid, title=title))
