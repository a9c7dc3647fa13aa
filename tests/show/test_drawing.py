"""What all drawings share."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.show import Figure
from memgauge.show.drawing import apart, heat, inline, layered, short, specification
from memgauge.show.figures import Drawing, drawn, svg
from support.documents import spec

PLACES = st.lists(st.floats(0, 300), min_size=1, max_size=12)


@given(PLACES)
def test_labels_keep_apart_in_their_order(wanted: list[float]) -> None:
    """Any two are at least the gap apart, in the order of what they want, and the whole does not drift."""
    placed = apart(wanted, 15)
    assert all(b - a >= 15 - 1e-6 for a, b in pairwise(sorted(placed)))
    order = sorted(range(len(wanted)), key=lambda i: placed[i])
    assert [wanted[i] for i in order] == sorted(wanted)
    assert sum(placed) == pytest.approx(sum(wanted), abs=1e-6)


@given(PLACES)
def test_labels_stay_inside_where_they_fit(wanted: list[float]) -> None:
    """Twelve labels of 15 fit into 300, wherever they want to be."""
    placed = apart(wanted, 15, 0, 300)
    assert all(-1e-6 <= p <= 300 + 1e-6 for p in placed)
    assert all(b - a >= 15 - 1e-6 for a, b in pairwise(sorted(placed)))


def test_only_those_in_the_way_are_moved() -> None:
    """A label with room stays where it is, and two that collide part evenly."""
    assert apart([10, 100, 104, 200], 10) == pytest.approx([10, 97, 107, 200])


def test_a_long_name_is_cut_in_its_middle() -> None:
    """Both ends of a name are kept."""
    assert short("a" * 25) == "a" * 25
    assert short("a" * 20 + "b" * 20) == "a" * 12 + "\N{HORIZONTAL ELLIPSIS}" + "b" * 12


def test_a_figure_is_drawn_once_while_somebody_holds_it() -> None:
    """Twice on one page it is the same markup; under another id it is another."""
    calls = []

    def draw() -> Drawing:
        calls.append(1)
        return spec()

    figure = Figure("rise", "Rise", "", draw)
    assert drawn(figure) == drawn(figure) == drawn(figure, "rise")
    assert len(calls) == 1
    assert drawn(figure, "other") != drawn(figure)
    assert len(calls) == 2
    assert drawn(Figure("rise", "Fall", "", draw)) != drawn(figure)


@pytest.mark.parametrize("independent", ["", "opacity"])
@pytest.mark.parametrize("shared", [True, False])
def test_layers_are_those_of_altair(independent: str, *, shared: bool) -> None:
    """The specification is altair's, with rows that all marks show in its head, and others with their mark."""
    import altair as alt

    base = alt.Chart(inline([{"x": 1, "y": 2}, {"x": 2, "y": 3}])).encode(x=alt.X("x:Q"), y=alt.Y("y:Q"))
    other = base if shared else alt.Chart(inline([{"x": 3, "y": 1}])).encode(x="x:Q", y="y:Q")
    marks = (base.mark_line(), base.transform_filter("datum.x > 1").mark_point(), other.mark_text(text="x"))
    theirs = alt.layer(*marks)
    if independent:
        theirs = theirs.resolve_scale(opacity="independent")
    ours = specification(layered(*marks, independent=independent), height=10)
    sizes = {name: ours[name] for name in ("width", "height", "autosize", "padding")}
    assert ours == theirs.properties(**sizes).to_dict(validate=False) | {"config": ours["config"]}
    assert ("data" in ours) is shared


def shaded(row: str) -> str:
    """Draw one cell of a map, in a row of a name."""
    import altair as alt

    base = alt.Chart(inline([{"row": row, "column": "all", "value": 0.5, "figure": "50 %"}])).encode(
        x=alt.X("column:N", title=None), y=alt.Y("row:N", title=None)
    )
    layers = heat(base, alt.Opacity("value:Q", legend=None))
    return svg(Drawing(specification(layers, height=30), ""), uid="map", title="Map")


def test_no_label_is_cut_while_it_is_drawn() -> None:
    """Names are cut before, where that is said; what reaches a drawing stands there whole."""
    name = "W" * 60
    assert name in shaded(name)


def test_figures_of_a_map_are_as_large_as_its_labels() -> None:
    """One size of letters for everything that is read."""
    assert set(re.findall(r'font-size="([^"]+)"', shaded("bm25"))) == {"12px"}


def test_a_cell_of_a_map_leaves_the_same_room_on_every_side() -> None:
    """Neighbours are told apart by two points between them."""
    import altair as alt

    cells = heat(alt.Chart(inline([])), alt.Opacity("value:Q")).to_dict()["layer"][0]["mark"]
    assert cells["xOffset"] == cells["yOffset"] == 1
    assert cells["x2Offset"] == cells["y2Offset"] == -1


def test_a_drawing_of_nothing_is_as_wide_as_others() -> None:
    """A page does not jump where a value is undefined."""
    widths = [
        re.findall(r'width="(\d+)"', markup)[0]
        for markup in (drawn(Figure("none", "None", "", lambda: None)), shaded("bm25"))
    ]
    assert widths[0] == widths[1]


def test_what_is_no_drawing_is_not_drawn_in_any_test() -> None:
    """The product trusts its own charts; every test that draws one holds it against the schema."""
    wrong = dict(spec().specification) | {"mark": {"type": "lyne"}}
    with pytest.raises(Exception, match="lyne"):
        svg(Drawing(wrong, ""), uid="x", title="x")
