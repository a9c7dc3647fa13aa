"""Vega-Lite specifications drawn to SVG that can stand inside any page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

from memgauge.report.words import clean

_NOISE = ("aria-", "role", "pointer-events", "font-family")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


@dataclass(frozen=True)
class Figure:
    """A chart: what it shows, what it says, and its drawing."""

    title: str
    description: str
    svg: str


def draw(spec: dict[str, Any], *, uid: str, title: str, description: str) -> Figure:
    """Draw *spec*; every id in the drawing begins with *uid*, which must be unique in the page.

    Colours stay as written, so ``currentColor`` and CSS variables follow the page's theme. No address may be
    fetched while drawing, and no font is measured (the specification fixes its own padding), so the bytes depend
    on the specification alone.
    """
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(_cleaned(spec), allowed_base_urls=[])
    root = ET.fromstring(drawn)  # noqa: S314 - drawn a line above, not foreign
    for node in root.iter():
        node.tag = node.tag.rpartition("}")[2]
        _quieten(node, uid)
    for node in list(root.iter()):
        for child in [c for c in node if _empty(c)]:
            node.remove(child)
    _introduce(root, uid, title, description)
    return Figure(title, description, ET.tostring(root, encoding="unicode"))


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
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        node = ET.Element(tag, {"id": f"{uid}-{tag}"})
        node.text = text
        root.insert(place, node)
