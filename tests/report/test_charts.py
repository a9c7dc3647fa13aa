"""Charts that stand inside any page."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.report import charts
from memgauge.show.figures import svg
from report.boards import board, entry, parsed, second, undefined
from support import printed_elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.scoring.board import Board
    from memgauge.show.figures import Drawing


def drawn(drawing: Drawing | None, uid: str = "c") -> str:
    """Draw what must be there."""
    assert drawing is not None
    return svg(drawing, uid=uid, title="A chart")


ALL = (charts.leaderboard_chart, charts.category_chart, charts.k_chart, charts.latency_chart)


@pytest.mark.parametrize("chart", ALL)
def test_a_chart_is_a_labelled_drawing_without_outside_help(chart: Callable[[Board], Drawing | None]) -> None:
    """Each drawing has a title and a description, unique ids, no address, no script, no font of its own."""
    figure = drawn(chart(board()), "c1")
    root = parsed(figure)
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    assert len(ids) == len(set(ids))
    assert all(str(i).startswith("c1-") for i in ids)
    assert root.get("aria-labelledby") == "c1-title c1-desc"
    assert set(re.findall(r"https?://[^\"<]*", figure)) == {"http://www.w3.org/2000/svg"}
    assert "<script" not in figure
    assert "href" not in figure


@pytest.mark.parametrize("chart", ALL)
def test_a_chart_follows_the_theme_of_its_page(chart: Callable[[Board], Drawing | None]) -> None:
    """Text has the page's colour and nothing is painted black or white."""
    figure = drawn(chart(board()), "c1")
    texts = [node for node in parsed(figure).iter() if node.tag.endswith("text")]
    assert {node.get("fill") for node in texts} == {"currentColor"}
    assert not re.search(r'"(#000|#fff|black|white)"', figure)


def test_a_chart_writes_every_name_and_value() -> None:
    """The leaderboard names each entry with its role and its figure."""
    figure = drawn(charts.leaderboard_chart(board()))
    for text in ("hybrid", "0.562", "random (floor)", "oracle (ceiling)"):
        assert f">{text}<" in figure


def test_names_from_data_are_escaped_and_cut() -> None:
    """Labels are text however they look; long ones that begin and end alike keep rows and names of their own."""
    long = tuple(replace(entry("bm25"), label="<script>" + "y" * 20 + middle + "z" * 20) for middle in "ab")
    for chart in (charts.leaderboard_chart, charts.k_chart):
        figure = drawn(chart(replace(board(), entries=long)))
        texts = [node for node in parsed(figure).iter() if (node.text or "").startswith("<script>")]
        assert {node.text for node in texts} == {f"<script>yyyy…zzzzzzzzzzzz{end}" for end in ("", " 2")}
        assert len({node.get("transform") for node in texts}) == 2


def test_nothing_to_draw_gives_no_chart() -> None:
    """Undefined scores, no categories, one k or no entries draw nothing at all."""
    broken = replace(second(), entries=(second().entries[2],))
    assert charts.leaderboard_chart(broken) is None
    assert charts.category_chart(broken) is None
    assert charts.k_chart(broken) is None
    assert charts.latency_chart(replace(broken, entries=())) is None


def test_undefined_cells_are_dashes() -> None:
    """A category without a value is a dash in the heat map, never 0."""
    hollow = replace(entry("bm25"), by_category={"rare": undefined("rare", "nothing to find")})
    figure = drawn(charts.category_chart(replace(board(), entries=(hollow,))))
    assert ">\N{EN DASH}<" in figure


def test_scores_without_intervals_are_drawn() -> None:
    """A score whose intervals are unknown is a bare dot."""
    bare = {
        m: replace(s, low=None, high=None, question_low=None, question_high=None)
        for m, s in entry("bm25").scores.items()
    }
    assert charts.leaderboard_chart(replace(board(), entries=(replace(entry("bm25"), scores=bare),))) is not None


def test_long_category_names_are_broken_into_two_lines() -> None:
    """A heading has two lines of name and one with the number of questions."""
    s = next(iter(entry("bm25").by_category.values()))
    made = replace(entry("bm25"), by_category={"single-session-user": s})
    figure = drawn(charts.category_chart(replace(board(), entries=(made,))))
    assert ">session user<" in figure


def test_drawing_is_deterministic() -> None:
    """Another process with another hash seed draws the same bytes."""
    script = (
        "from report.boards import board; from memgauge.report.charts import k_chart;"
        "from memgauge.show.figures import svg;"
        "print(svg(k_chart(board()), uid='c', title='Recall'))"
    )
    assert len(printed_elsewhere(script)) == 1
