"""Figures: Vega-Lite specifications drawn to SVG that can stand inside any page, or alone, or as PNG."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary
from xml.etree import ElementTree as ET

from memgauge.show.assets import asset
from memgauge.show.safety import clean
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.show.document import Figure

_NOISE = ("aria-", "role", "pointer-events", "font-family")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_PNG_SCALE: Final = 2.0
_LIGHT: Final = {"currentColor": "#1d2126"}
_NOTHING: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 670 60" width="670" height="60" role="img" '
    'font-family="system-ui, sans-serif"><title>Nothing to draw</title>'
    '<text x="12" y="34" font-size="13" fill="currentColor">'
    "There is nothing to draw: no value is defined.</text></svg>"
)


_WIDE = 1_000
"""From so many points of width on a drawing is not shrunk to a column of the page."""
_DRAWN: WeakKeyDictionary[Figure, dict[str, str]] = WeakKeyDictionary()
"""A report draws its page twice to know what fits."""


@dataclass(frozen=True)
class Drawing:
    """What is drawn: a Vega-Lite specification with every size fixed, and what it says in words."""

    specification: Mapping[str, Any]
    description: str


def drawn(figure: Figure, uid: str = "") -> str:
    """Draw a figure to SVG, once for as long as somebody holds it; one of nothing says so."""
    markups = _DRAWN.setdefault(figure, {})
    uid = uid or figure.key
    if uid not in markups:
        drawing = _composed(figure)
        markups[uid] = _NOTHING if drawing is None else svg(drawing, uid=uid, title=figure.title)
    return markups[uid]


def hold(figure: Figure, markup: str) -> None:
    """Take what another process drew of a figure."""
    _DRAWN.setdefault(figure, {})[figure.key] = markup


def _composed(figure: Figure) -> Drawing | None:
    """Compose a drawing without a check of every part of it against the schema; the tests check the whole."""
    from altair.utils.schemapi import debug_mode

    with debug_mode(arg=False):
        return figure.draw()


def svg(drawing: Drawing, *, uid: str, title: str) -> str:
    """Draw a specification; every id in the drawing begins with *uid*, which must be unique in the page.

    Colours stay as written, so ``currentColor`` and CSS variables follow the page's theme. No address may be
    fetched while drawing, and no font is measured (the specification fixes its own padding), so the bytes depend
    on the specification alone.
    """
    root = ET.fromstring(_rendered(json.dumps(_cleaned(drawing.specification))))  # noqa: S314 - drawn here
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]
        _quieten(node, uid)
    for node in list(root.iter()):
        for child in [c for c in node if _empty(c)]:
            node.remove(child)
    _introduce(root, uid, title, drawing.description)
    return ET.tostring(root, encoding="unicode")


@lru_cache(maxsize=128)  # pages show the same figures
def _rendered(specification: str) -> str:
    import vl_convert

    markup: str = vl_convert.vegalite_to_svg(json_of(specification), allowed_base_urls=[])
    return markup


def alone(markup: str) -> str:
    """Give a drawing that stands alone the page's colours, in light and dark."""
    return re.sub(r"(<svg\b[^>]*>)", lambda start: start[1] + f"<style>{_theme()}</style>", markup, count=1)


def png(markup: str) -> bytes:
    """Draw an SVG on white."""
    import vl_convert

    resolved = re.sub(r"var\(--[\w-]+,\s*(#[0-9a-fA-F]+)\)", r"\1", markup)
    for name, colour in _LIGHT.items():
        resolved = resolved.replace(name, colour)
    image: bytes = vl_convert.svg_to_png(resolved, scale=_PNG_SCALE)
    return image


@cache
def _theme() -> str:
    """Take the colours of the page's own style, and let the drawing's text follow its ink."""
    css = asset("style.css")
    light = re.search(r":root \{\n.*?\n\}", css, re.DOTALL)
    dark = re.search(r"@media \(prefers-color-scheme: dark\) \{\n.*?\n\}", css, re.DOTALL)
    return "".join(rule[0] for rule in (light, dark) if rule) + ":root{color:var(--ink);background:transparent}"


def _cleaned(spec: Any) -> Any:
    """Clean every text of a specification: names come from data, and a lone surrogate would end this process."""
    if isinstance(spec, dict):
        return {_cleaned(key): _cleaned(value) for key, value in spec.items()}
    if isinstance(spec, list | tuple):
        return [_cleaned(value) for value in spec]
    return clean(spec) if isinstance(spec, str) else spec


def _quieten(node: ET.Element, uid: str) -> None:
    """Drop what the page says once for the whole drawing, and make ids unique."""
    for name, value in list(node.attrib.items()):
        if name.startswith(_NOISE) or name == "class":
            del node.attrib[name]
        elif name == "id":
            node.set(name, f"{uid}-{value}")
        elif "url(#" in value:
            node.set(name, _REFERENCE.sub(rf"url(#{uid}-\1)", value))


def _empty(node: ET.Element) -> bool:
    """Tell the renderer's invisible frames from what is drawn."""
    return node.tag == "path" and (node.get("display") == "none" or node.get("d") in {"", "M0,0h0v0h0Z"})


def _introduce(root: ET.Element, uid: str, title: str, description: str) -> None:
    width, height = root.get("width"), root.get("height")
    root.attrib.clear()
    root.attrib |= {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {width} {height}",
        "width": str(width),
        "height": str(height),
        "role": "img",
        "aria-labelledby": f"{uid}-title {uid}-desc",
        "font-family": "system-ui, sans-serif",
    }
    if float(width or 0) > _WIDE:
        root.set("class", "wide")  # scrolled in its frame, where shrinking would leave letters that nobody reads
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        node = ET.Element(tag, {"id": f"{uid}-{tag}"})
        node.text = clean(text)
        root.insert(place, node)
