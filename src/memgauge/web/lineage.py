"""The lineage of one memory as a drawing: from turns over versions to questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from memgauge.show.drawing import ACCENT, INK, QUIET, inline, layered, short, specification
from memgauge.show.figures import Drawing

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST = 24
"""Nodes drawn in each column; the tables have all of them."""
_LABELS: tuple[tuple[Literal["left", "center", "right"], int, int], ...] = (
    ("right", -9, 0),
    ("center", 0, -12),
    ("left", 9, 0),
)
_HEIGHT, _WIDTH, _STEP = 60, 520, 26


@dataclass(frozen=True)
class LineageTree:
    """What is drawn."""

    versions: tuple[Mapping[str, Any], ...]
    sources: tuple[str, ...]
    retrievals: tuple[Mapping[str, Any], ...]


def drawn(lineage: LineageTree) -> Drawing | None:
    """Draw turns, versions and questions in three columns, with a line for every descent and retrieval."""
    import altair as alt

    columns: tuple[list[str], ...] = (
        list(lineage.sources)[:MOST],
        [str(version["version"]) for version in lineage.versions][:MOST],
        list(dict.fromkeys(str(hit["question"]) for hit in lineage.retrievals))[:MOST],
    )
    tallest = max(map(len, columns))
    if not tallest:
        return None
    at = {
        (column, name): (column, (place + 0.5) / len(names))
        for column, names in enumerate(columns)
        for place, name in enumerate(names)
    }
    nodes = [
        {"x": x, "y": y, "name": short(f"version {name}" if column == 1 else name), "column": column}
        for (column, name), (x, y) in at.items()
    ]
    pairs = [
        ((0, turn), (1, str(version["version"]))) for version in lineage.versions for turn in version["sources"]
    ]
    pairs += [((1, str(hit["version"])), (2, str(hit["question"]))) for hit in lineage.retrievals]
    lines = [
        {"x": at[a][0], "y": at[a][1], "x2": at[b][0], "y2": at[b][1]}
        for a, b in dict.fromkeys(pairs)
        if a in at and b in at
    ]
    x = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, 2], nice=False))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[1, 0], nice=False))
    base = alt.Chart(inline(nodes))
    layers = layered(
        alt.Chart(inline(lines or [{"x": 0, "y": 0, "x2": 0, "y2": 0}]))
        .mark_rule(color=QUIET, opacity=0.7)
        .encode(x=x, y=y, x2=alt.X2("x2:Q"), y2=alt.Y2("y2:Q")),
        base.mark_point(filled=True, size=60, opacity=1, color=ACCENT).encode(x=x, y=y),
        *(
            base.transform_filter(f"datum.column == {column}")
            .mark_text(fontSize=12, color=INK, align=align, dx=dx, dy=dy)
            .encode(x=x, y=y, text=alt.Text("name:N"))
            for column, (align, dx, dy) in enumerate(_LABELS)
        ),
    )
    spoken = f"{len(lineage.sources)} turns, {len(lineage.versions)} versions, {len(columns[2])} questions"
    return Drawing(
        specification(layers, height=_HEIGHT + _STEP * tallest, width=_WIDTH, left=190, right=190, top=24),
        f"{spoken}. The tables below name all of them.",
    )
