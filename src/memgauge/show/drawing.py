"""What all drawings of the reports share: colours that follow the page, fixed sizes, labels that keep apart."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.show.abridging import abridged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Theme variables of the page with a fallback in mid-tone for a drawing that stands alone.
# Safe for colour blindness: the hues of Okabe and Ito, made to read on white and on near-black.
SERIES = (
    "var(--s1,#2a7fc9)",
    "var(--s2,#d0641f)",
    "var(--s3,#1f9673)",
    "var(--s4,#b565a7)",
    "var(--s5,#a8810f)",
    "var(--s6,#5b8fa8)",
)
ACCENT = "var(--s1,#2a7fc9)"
QUIET = "var(--quiet,#808894)"
INK = "currentColor"
LEFT, WIDTH = 176, 470
_MARGIN = 25
"""Letters of a name that the margin holds."""
_SHORT = "length(datum.label) > 25 ? slice(datum.label, 0, 12) + '…' + slice(datum.label, -12) : datum.label"


@dataclass(frozen=True)
class Layers:
    """Marks over one another, the first at the bottom."""

    marks: tuple[Any, ...]
    independent: str = ""
    """The channel, if any, whose scale every mark has for itself."""

    def to_dict(self) -> dict[str, Any]:
        """Write what altair's layers would.

        Those copy each mark nine times, to move up what ours never have; that takes longer than to draw them.
        """
        layers = [mark.to_dict(validate=False) for mark in self.marks]
        chart: dict[str, Any] = {"layer": layers, "datasets": {}}
        for layer in layers:
            layer.pop("config", None)
            chart["$schema"] = layer.pop("$schema")
            chart["datasets"] |= layer.pop("datasets", {})
        if all(mark.data is self.marks[0].data for mark in self.marks):
            for layer in layers:
                chart["data"] = layer.pop("data")
        if self.independent:
            chart["resolve"] = {"scale": {self.independent: "independent"}}
        return chart


def layered(*marks: Any, independent: str = "") -> Layers:
    """Lay marks over one another."""
    return Layers(marks, independent)


def heat(base: Any, shade: Any) -> Layers:
    """Shade the cells of *base* by its ``value``, under what its ``figure`` says."""
    import altair as alt

    cells = base.mark_rect(color=ACCENT, cornerRadius=3, xOffset=1, x2Offset=-1, yOffset=1, y2Offset=-1)
    figures = base.mark_text(fontSize=12, color=INK).encode(text=alt.Text("figure:N"))
    return layered(cells.encode(opacity=shade), figures, independent="opacity")


def specification(
    chart: Layers,
    *,
    height: int,
    width: int = WIDTH,
    left: int = LEFT,
    right: int = 24,
    top: int = 12,
    bottom: int | None = None,
) -> dict[str, Any]:
    """Fix every size, so that no font of this machine is measured; an axis is below, unless one is above."""
    axis = {
        "domain": False,
        "ticks": False,
        "labelColor": INK,
        "titleColor": INK,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 12,
        "labelLimit": 1000,
        "labelOverlap": False,
        "labelFlush": False,
        "gridColor": INK,
        "gridOpacity": 0.13,
    }
    bottom = bottom or (12 if top > 12 else 44)
    sizes = {
        "width": width,
        "height": height,
        "autosize": "none",
        "padding": {"left": left, "right": right, "top": top, "bottom": bottom},
    }
    # Checking a drawing of ours against the schema takes longer than to draw it; the tests do, for all of them.
    return chart.to_dict() | sizes | {"config": {"background": None, "view": {"stroke": None}, "axis": axis}}


def inline(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Hand rows over to a drawing.

    As a tuple they pass through; lists are copied, row by row, for every mark that shows them.
    """
    import altair as alt

    return alt.InlineData(values=tuple(rows))


def short(name: str) -> str:
    """Cut a name in its middle to what the margin holds."""
    return name if len(name) <= _MARGIN else f"{name[:12]}…{name[-12:]}"


def shorts(names: Iterable[str]) -> Mapping[str, str]:
    """Cut names to what the margin holds, none so that it reads as another."""
    return abridged(names, _MARGIN, short)


def labels(names: Iterable[str]) -> str:
    """Return the expression that writes each name of an axis as :func:`shorts` does."""
    short_names = shorts(names)
    if all(text == short(name) for name, text in short_names.items()):
        return _SHORT
    return f"({json.dumps(short_names, ensure_ascii=False)})[datum.label]"


def apart(wanted: Sequence[float], gap: float, low: float = -math.inf, high: float = math.inf) -> list[float]:
    """Move label positions at least *gap* apart, keeping their order, moving each as little as the others allow.

    Labels that collide become a block around the mean of what they want (isotonic regression of the positions
    less their place times *gap*), and blocks stay between *low* and *high* as long as all labels fit there.
    """
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], -i))
    blocks: list[tuple[float, int]] = []
    for place, i in enumerate(order):
        mean, size = wanted[i] - place * gap, 1
        while blocks and blocks[-1][0] >= mean:
            mean_before, n = blocks.pop()
            mean, size = (mean_before * n + mean * size) / (n + size), n + size
        blocks.append((mean, size))
    starts = [mean for mean, size in blocks for _ in range(size)]
    places = [0.0] * len(wanted)
    for place, (i, start) in enumerate(zip(order, starts, strict=True)):
        places[i] = max(low, min(start, high - (len(wanted) - 1) * gap)) + place * gap
    return places
