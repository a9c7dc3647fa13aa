"""A document as a picture to paste: its title, verdict and the rows of its first table, each with its interval."""

from __future__ import annotations

from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from memgauge.show.drawing import ACCENT, INK, QUIET
from memgauge.show.figures import alone
from memgauge.show.safety import clean

if TYPE_CHECKING:
    from memgauge.show.document import Document
    from memgauge.show.table import Cell

WIDTH: Final = 720
EDGE, TRACK, FIGURES = 28, (250, 500), 520
"""Where text begins, between which places the scale lies, and where figures begin."""
LEAD, SMALL, NAME = 80, 112, 26
"""Letters on a line of the verdict and of the small print, and of a name."""
ROW: Final = 30
_PAPER: Final = "var(--card,#ffffff)"


def card_svg(document: Document) -> str:
    """Draw a document alone, in the page's colours, light and dark; no font is measured."""
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "role": "img"})
    ET.SubElement(root, "title").text = clean(f"{document.title}: {document.lead}")
    paper = ET.SubElement(root, "rect", {"width": "100%", "height": "100%", "rx": "12", "fill": _PAPER})
    paper.set("stroke", QUIET)
    at = _text(root, document.title, 46, size=22, weight="700")
    at = _text(root, document.beside, at + 24, size=13, fill=QUIET)
    at += 8
    for line in wrap(document.lead, LEAD):
        at = _text(root, line, at + 22, size=15)
    at = _rows(root, document, at + 20)
    identity = " · ".join(f"{key} {value}" for key, value in document.identity.items())
    at += 8
    for line in wrap(identity, SMALL):
        at = _text(root, line, at + 16, size=11, fill=QUIET)
    root.set("viewBox", f"0 0 {WIDTH} {at + 22}")
    root.attrib |= {"width": str(WIDTH), "height": str(at + 22), "font-family": "system-ui, sans-serif"}
    return alone(ET.tostring(root, encoding="unicode"))


def _rows(root: ET.Element, document: Document, at: int) -> int:
    """Draw who scored what, below each other on one scale; return where that ends."""
    table = next(document.tables, None)
    if table is None or not any(table.spread):
        return at
    score_place, name_place = table.spread.index(True), table.names
    largest = max([1.0, *(row[score_place].high or 0.0 for row in table.rows)])
    _text(root, table.heads[score_place], at + 14, size=12, fill=QUIET, x=FIGURES)
    at += 18
    for place, row in enumerate(table.rows):
        fill = QUIET if place in table.quiet else INK
        badges = "".join(f" ({badge})" for badge in row[name_place].badges)
        rank = row[0].text if name_place else ""
        _text(root, rank, at + 20, size=13, fill=QUIET)
        name = shorten(f"{row[name_place].text}{badges}", NAME, placeholder="…") or row[name_place].text[:NAME]
        _text(root, name, at + 20, size=14, fill=fill, x=EDGE + 36, weight="600")
        _bar(root, row[score_place], at + 15, largest, QUIET if place in table.quiet else ACCENT)
        _text(root, f"{row[score_place].text} {row[score_place].under}", at + 20, size=13, fill=fill, x=FIGURES)
        at += ROW
    return at


def _bar(root: ET.Element, cell: Cell, y: int, largest: float, colour: str) -> None:
    """Draw the scale, the interval on it and the value on that; what is unknown is not drawn."""

    def line(low: float, high: float, width: float, stroke: str, opacity: str = "1") -> None:
        begin, end = TRACK
        places = {f"x{n}": f"{begin + (end - begin) * value / largest:.1f}" for n, value in ((1, low), (2, high))}
        style = {"stroke": stroke, "stroke-width": str(width), "opacity": opacity}
        ET.SubElement(root, "line", {**places, "y1": str(y), "y2": str(y), **style})

    line(0, largest, 1, QUIET, ".5")
    if isinstance(cell.value, int | float):
        if cell.low is not None and cell.high is not None:
            line(cell.low, cell.high, 6, colour, ".6")
        begin, end = TRACK
        dot = {"cx": f"{begin + (end - begin) * cell.value / largest:.1f}", "cy": str(y), "r": "4", "fill": colour}
        ET.SubElement(root, "circle", dot)


def _text(
    root: ET.Element, text: str, at: int, *, size: int, fill: str = INK, x: int = EDGE, weight: str = "400"
) -> int:
    style = {"x": str(x), "y": str(at), "font-size": str(size), "font-weight": weight, "fill": fill}
    ET.SubElement(root, "text", style).text = clean(text)
    return at
