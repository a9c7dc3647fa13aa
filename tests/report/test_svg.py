"""Drawings made from specifications."""

from __future__ import annotations

import re

from memgauge.report.svg import draw


def test_ids_and_references_carry_the_prefix() -> None:
    """A drawing that clips its marks keeps its own clip, whatever else the page draws."""
    spec = {
        "data": {"values": [{"x": 1, "y": 2}, {"x": 2, "y": 3}]},
        "mark": {"type": "line", "clip": True},
        "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}},
    }
    figure = draw(spec, uid="mine", title="A line", description="It rises.")
    used = re.findall(r"url\(#([^)]+)\)", figure.svg)
    ids = re.findall(r' id="([^"]+)"', figure.svg)
    assert used
    assert set(used) < set(ids)
    assert all(i.startswith("mine-") for i in ids)
