"""The two figures of the shift study."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from memgauge.show.figures import svg
from memgauge.stats import Interval
from memgauge.studies.shift.charts import curves_chart, slope_chart
from report.boards import parsed
from support import printed_elsewhere
from support.shift_result import RATES, study

if TYPE_CHECKING:
    from collections.abc import Mapping
    from xml.etree import ElementTree as ET

    from memgauge.show.figures import Drawing
    from memgauge.studies.shift.findings.result import ShiftResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec

PLACE = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)")


def slope(result: ShiftResult, spec: ShiftSpec, burst: int = 100, *, beside: bool = False) -> Drawing:
    """Draw Figure 1."""
    figure = slope_chart(result, spec, burst, beside=beside)
    assert figure is not None
    return figure


def curves(result: ShiftResult, spec: ShiftSpec, burst: int = 100) -> Drawing:
    """Draw Figure 2."""
    figure = curves_chart(result, spec, burst)
    assert figure is not None
    return figure


def markup(figure: Drawing) -> str:
    """Draw it."""
    return svg(figure, uid="f", title="Figure")


def labels(figure: Drawing) -> dict[str, tuple[str, float, float]]:
    """Draw, and return the end labels: side, x and y by text."""
    return labels_in(parsed(markup(figure)))


def labels_in(root: ET.Element) -> dict[str, tuple[str, float, float]]:
    """Return the end labels of what was drawn."""
    placed = {}
    for node in root.iter():
        place = PLACE.match(node.get("transform", ""))
        if place and node.tag.endswith("text") and re.search(r"\b[01]\.\d{3}\b", node.text or ""):
            placed[str(node.text)] = (str(node.get("text-anchor")), float(place[1]), float(place[2]))
    return placed


def lines(figure: Drawing) -> list[dict[str, str]]:
    """Return the attributes of all drawn lines that are no frame and no leader."""
    return [
        dict(node.attrib)
        for node in parsed(markup(figure)).iter()
        if node.tag.endswith("path") and "stroke-width" in node.attrib and node.get("fill") in {None, "none"}
    ]


def test_both_ends_of_every_slope_are_named_with_their_value() -> None:
    """The left label holds overall on the clean stream, the right one Recovery@T after the burst."""
    result, spec = study()
    texts = set(labels(slope(result, spec)))
    for row in result.rows:
        assert f"{row.policy} {row.overall.mean:.3f}" in texts
        assert f"{row.recovery[100].mean:.3f} {row.policy}" in texts


@pytest.mark.parametrize("size", [1, 5, 30])
def test_end_labels_never_overlap(size: int) -> None:
    """Whatever the values, labels of one side are a line apart and inside the drawing."""
    rates = {f"policy-with-a-long-name-{i:02}": (0.5 + i / 900, 0.2 + i / 900) for i in range(size)}
    result, spec = study(rates, (0, 100))
    for figure in (slope(result, spec), curves(result, spec)):
        root = parsed(markup(figure))
        placed = labels_in(root)
        assert len(placed) == 2 * size
        for side in {anchor for anchor, _, _ in placed.values()}:
            heights = sorted(y for anchor, _, y in placed.values() if anchor == side)
            assert all(b - a >= 14 for a, b in pairwise(heights))
        box = root.get("viewBox")
        assert box is not None
        assert max(y for _, _, y in placed.values()) <= float(box.split()[3])


def test_margins_grow_with_the_names() -> None:
    """At 6.5 units a letter, the longest label still ends inside the drawing."""
    result, spec = study({"x" * 25: (0.5, 0.4), "y" * 40: (0.4, 0.5)}, (0, 100))
    for figure in (slope(result, spec), curves(result, spec)):
        root = parsed(markup(figure))
        group = next(PLACE.match(n.get("transform", "")) for n in root.iter() if n.get("transform"))
        width = float(str(root.get("viewBox")).split()[2])
        assert group is not None
        for text, (anchor, x, _) in labels_in(root).items():
            at = float(group[1]) + x
            reach = at + 6.5 * len(text) if anchor == "start" else width - at + 6.5 * len(text)
            assert reach <= width


def test_only_those_who_change_places_stand_out() -> None:
    """A policy with the same place on both sides is thin and grey, one that moves thick and in its hue."""
    figure = slope(*study({"flat": (0.9, 0.1), "hsr": (0.5, 0.5), "gated": (0.3, 0.05)}))
    drawn = [line for line in lines(figure) if line["stroke-width"] in {"2.8", "1.2"}]
    thick = {line["stroke"] for line in drawn if line["stroke-width"] == "2.8"}
    thin = {line["stroke"] for line in drawn if line["stroke-width"] == "1.2"}
    assert len(thick) == 2
    assert {stroke.partition(",")[0] for stroke in thin} == {"var(--quiet"}
    assert "flat and hsr change places" in figure.description
    assert "Nobody changes places" in slope(*study({"flat": (0.9, 0.6), "hsr": (0.5, 0.1)})).description


def test_published_values_are_hollow_marks_only_where_they_belong() -> None:
    """With published values there are two more marks a known policy, none for an unknown one or another burst."""
    result, spec = study({"flat": (0.6, 0.3), "hsr": (0.5, 0.5), "mine": (0.4, 0.4)})

    def hollow(burst: int, *, beside: bool) -> int:
        return sum(line["stroke-width"] == "1.3" for line in lines(slope(result, spec, burst, beside=beside)))

    assert hollow(100, beside=True) == 4
    assert hollow(50, beside=True) == 2
    assert hollow(100, beside=False) == 0


def test_curves_come_with_bands_and_the_clean_stream_dashed() -> None:
    """Every policy has one band, one thick line and one dashed thin line in its hue."""
    result, spec = study()
    drawn = lines(curves(result, spec))
    solid = [line["stroke"] for line in drawn if line["stroke-width"] == "2.4"]
    dashed = [line["stroke"] for line in drawn if line["stroke-width"] == "1.2" and "stroke-dasharray" in line]
    assert len(solid) == len(dashed) == len(RATES)
    assert set(solid) == set(dashed)
    bands = [n for n in parsed(markup(curves(result, spec))).iter() if n.get("opacity") == "0.12"]
    assert len(bands) == len(RATES)


def test_a_hue_that_comes_again_is_told_by_its_points() -> None:
    """The seventh policy has the first one's hue, and a dot at each T."""
    six = {f"p{i}": (0.5, 0.4) for i in range(6)}

    def dots(rates: Mapping[str, tuple[float, float]]) -> list[str | None]:
        paths = [n for n in parsed(markup(curves(*study(rates)))).iter() if n.tag.endswith("path")]
        return [n.get("fill") for n in paths if "A" in (n.get("d") or "")]

    assert dots(six) == []
    assert [str(hue)[:8] for hue in dots(six | {"p6": (0.5, 0.4)})] == ["var(--s1"] * 10


def test_without_a_burst_there_is_one_curve_each() -> None:
    """Nothing is dashed when m=0 is itself the burst that is told."""
    figure = curves(*study(bursts=(0,)), 0)
    assert len(labels(figure)) == len(RATES)
    assert "clean" not in markup(figure)


def test_undefined_points_are_left_out() -> None:
    """A curve begins where it is defined; a policy without a point has no line; without any, no figure."""
    result, spec = study({"flat": (0.6, 0.3), "hsr": (0.5, 0.5)}, (0, 100))
    none = Interval(None, None, None, 0, "no question")
    bare = Interval(0.4, None, None, 1, "one unit")

    holed = {"flat": (none,) * 9 + (bare,), "hsr": (none,) * 10}
    rows = tuple(replace(row, curves=dict.fromkeys((0, 100), holed[row.policy])) for row in result.rows)
    assert set(labels(curves(replace(result, rows=rows), spec))) == {"0.400 flat", "0.400 flat, clean"}
    gone = tuple(replace(r, overall=none, curves=dict.fromkeys((0, 100), holed["hsr"])) for r in result.rows)
    assert curves_chart(replace(result, rows=gone), spec, 100) is None
    assert slope_chart(replace(result, rows=gone), spec, 100, beside=True) is None


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_extremes_can_be_drawn(rate: float) -> None:
    """Scores that are all 0 or all 1 still have an axis."""
    result, spec = study({"flat": (rate, rate), "hsr": (rate, rate)}, (0, 100))
    for figure in (slope(result, spec), curves(result, spec)):
        assert len(labels(figure)) == 4
        assert "NaN" not in markup(figure)


def test_figures_follow_the_theme_and_escape_names() -> None:
    """Text has the page's colour, nothing is black or white, and a name is text however it looks."""
    result, spec = study({"<script>alert(1)</script>": (0.6, 0.3), "a'\"&\\b": (0.5, 0.4)}, (0, 100))
    for figure in (slope(result, spec), curves(result, spec)):
        texts = [node for node in parsed(markup(figure)).iter() if node.tag.endswith("text")]
        assert {node.get("fill") for node in texts} == {"currentColor"}
        assert not re.search(r'"(#000|#fff|black|white)"', markup(figure))
        assert "<script" not in markup(figure)
        assert any("a'\"&\\b" in text for text in labels(figure))


@pytest.mark.slow  # tests/report/test_charts.py draws the charts of a board elsewhere, by the same renderer
def test_drawing_is_deterministic() -> None:
    """Another process with another hash seed and time zone draws the same bytes."""
    script = (
        "from support.shift_result import study; from memgauge.show.figures import svg;"
        "from memgauge.studies.shift.charts import curves_chart, slope_chart;"
        "r, s = study(); c, d = curves_chart(r, s, 100), slope_chart(r, s, 100, beside=True);"
        "print(svg(c, uid='c', title='c'), svg(d, uid='s', title='s'))"
    )
    assert len(printed_elsewhere(script)) == 1
