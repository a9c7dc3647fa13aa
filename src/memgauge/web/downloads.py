"""Tables and drawings to take away: any table as CSV or JSON, any chart as SVG or PNG."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from memgauge.report.sheet import Cell, Sheet, csv_text, json_text
from memgauge.show import Table, exports
from memgauge.show.assets import asset
from memgauge.show.safety import clean

if TYPE_CHECKING:
    from memgauge.web.view import Chart

TABLES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
DRAWINGS = {"svg": "image/svg+xml", "png": "image/png"}
_PNG_SCALE = 2.0
_LIGHT = {"currentColor": "#1d2126"}


@dataclass(frozen=True)
class File:
    """Something to take away."""

    name: str
    media: str
    content: bytes


def table(sheet: Sheet | Table, kind: str) -> File:
    """Write a table."""
    if isinstance(sheet, Table):
        text = exports.csv_text(sheet) if kind == "csv" else exports.json_text(sheet)
    else:
        text = csv_text(sheet) if kind == "csv" else json_text(sheet)
    return File(f"{sheet.key}.{kind}", TABLES[kind], text.encode("utf-8", "replace"))


def drawing(key: str, svg: str, kind: str) -> File:
    """Write a drawing that stands alone, in the reader's light or dark; as PNG on white."""
    svg = clean(svg)
    if kind == "svg":
        return File(f"{key}.svg", DRAWINGS[kind], themed(svg).encode())
    import vl_convert

    plain = re.sub(r"var\(--[\w-]+,\s*(#[0-9a-fA-F]+)\)", r"\1", svg)
    for name, colour in _LIGHT.items():
        plain = plain.replace(name, colour)
    made: bytes = vl_convert.svg_to_png(plain, scale=_PNG_SCALE)
    return File(f"{key}.png", DRAWINGS[kind], made)


def chart_svg(chart: Chart) -> str:
    """Draw a chart; one of nothing says so."""
    figure = chart.draw()
    if figure is not None:
        return figure.svg
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 670 60" width="670" height="60" role="img" '
        'font-family="system-ui, sans-serif"><title>Nothing to draw</title>'
        '<text x="12" y="34" font-size="13" fill="currentColor">'
        "There is nothing to draw: no value is defined.</text></svg>"
    )


def themed(svg: str) -> str:
    """Give a drawing the page's colours, in light and dark."""
    return re.sub(r"(<svg\b[^>]*>)", lambda found: found[1] + f"<style>{_theme()}</style>", svg, count=1)


@cache
def _theme() -> str:
    """Take the colours of the page's own style, and let the drawing's text follow its ink."""
    css = asset("style.css")
    light = re.search(r":root \{\n.*?\n\}", css, re.DOTALL)
    dark = re.search(r"@media \(prefers-color-scheme: dark\) \{\n.*?\n\}", css, re.DOTALL)
    return "".join(found[0] for found in (light, dark) if found) + ":root{color:var(--ink);background:transparent}"


class _Tables(HTMLParser):
    """Reads the tables of a page that our own templates wrote."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[Cell]]] = []
        self._cell: list[str] | None = None
        self._small: list[str] = []
        self._in_small = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the parser's
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self._cell, self._small = [], []
        elif tag == "small" and self._cell is not None:
            self._in_small += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"} and self._cell is not None and self.tables and self.tables[-1]:
            under = " ".join("".join(self._small).split())
            self.tables[-1][-1].append(Cell(" ".join("".join(self._cell).split()), under))
            self._cell = None
        elif tag == "small" and self._in_small:
            self._in_small -= 1

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            (self._small if self._in_small else self._cell).append(data)


_LABEL = re.compile(r'<div class="scroll"[^>]*aria-label="([^"]*)"[^>]*>\s*<table')


def tables_of(html: str) -> tuple[Sheet, ...]:
    """Read every table of a page of the reports, in order; its first row names the columns."""
    from html import unescape

    reader = _Tables()
    reader.feed(html)
    labels = [unescape(label) for label in _LABEL.findall(html)]
    named = (
        labels if len(labels) == len(reader.tables) else [f"Table {n}" for n in range(1, len(reader.tables) + 1)]
    )
    made = []
    for number, (title, rows) in enumerate(zip(named, reader.tables, strict=True), 1):
        heads, *body = rows or [[]]
        width = max(map(len, rows), default=0)
        names = [one.text or f"column {place}" for place, one in enumerate(heads, 1)]
        names += [f"column {place}" for place in range(len(names) + 1, width + 1)]
        padded = [(*row, *[Cell("")] * (width - len(row))) for row in body]
        made.append(Sheet(f"table-{number}", title, tuple(names), tuple(padded)))
    return tuple(made)


def drawings_of(html: str) -> tuple[str, ...]:
    """Take every figure of a page of the reports, in order."""
    return tuple(re.findall(r'<svg xmlns="http://www\.w3\.org/2000/svg".*?</svg>', html, re.DOTALL))
