"""Fronts as they are read: who stands where, what nobody knows has a reason, and pictures have both intervals."""

from __future__ import annotations

from dataclasses import replace

from memgauge.report.board import document
from memgauge.report.fronts import DrawnDot, FrontPicture, fronts_of
from memgauge.scoring.board import Board, CostAxis, CostFront, CostPlace
from memgauge.scoring.fronts import FrontStanding
from memgauge.show import Figure, Table
from memgauge.show.figures import svg
from memgauge.show.html import page
from memgauge.show.terminal import printed
from report.boards import MEASURES, board, parsed

PLACES = (
    CostPlace("hybrid", 0.012, 0.010, 0.014, FrontStanding.FRONT),
    CostPlace("bm25", 0.0, None, None, FrontStanding.FRONT),
    CostPlace("dense", 0.02, 0.01, 0.03, FrontStanding.NEAR, "hybrid", 0.06, -0.01, 0.13),
    CostPlace("recency", None, why="no list price is known of larder"),
)


def with_fronts() -> Board:
    """Make a board with the front of money."""
    return replace(board(), fronts=(CostFront(CostAxis.MONEY, MEASURES[0], PLACES),))


def test_the_table_marks_who_stands_on_the_front() -> None:
    """Undecided is said with who is ahead and by how much; a cost that nobody knows is no number."""
    (section,) = fronts_of(with_fronts())
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    rows = {row[0].text: row[1:] for row in table.rows}
    assert (rows["hybrid"][0].text, rows["hybrid"][0].low, rows["hybrid"][1].text) == ("0.012", 0.010, "front")
    assert (rows["bm25"][0].text, rows["bm25"][0].value) == ("0", 0.0)
    assert (rows["dense"][1].text, rows["dense"][1].under) == ("near", "hybrid +0.060 [-0.010, 0.130]")
    assert (rows["recency"][0].text, rows["recency"][0].value) == ("?", None)
    assert rows["recency"][1].under == "no list price is known of larder"


def test_a_board_says_it_on_every_surface() -> None:
    """On a page behind a title with its picture, on a terminal when everything is asked for."""
    shown = document(with_fronts())
    html = page(shown)
    assert "Who finds more for the same tokens, time and money" in html
    assert "near: undecided" in html
    assert "USD a question" in printed(shown)


def test_a_picture_has_both_intervals() -> None:
    """One line up and down, one across where the cost has an interval; words say what is seen."""
    (section,) = fronts_of(with_fronts())
    (figure,) = (block for block in section.blocks if isinstance(block, Figure))
    picture = figure.draw
    assert isinstance(picture, FrontPicture)
    sure = replace(picture, dots=tuple(replace(dot, least=None, most=None) for dot in picture.dots))
    drawings = [drawing for drawing in (picture(), sure()) if drawing is not None]
    assert "hybrid 0.562 at 0.012" in drawings[0].description
    lines = [svg(drawing, uid="c", title="t").count("<line") for drawing in drawings]
    assert lines[0] == lines[1] + 2
    parsed(svg(drawings[0], uid="c", title="t"))


def test_a_cost_from_nothing_to_much_is_drawn() -> None:
    """An interval that reaches below what a logarithm can show ends at its edge."""
    cheap = DrawnDot("a", 0.001, 0.2, 0.1, 0.3, front=True, least=-0.001, most=0.003)
    dots = (cheap, DrawnDot("b", 5, 0.6, 0.5, 0.7, front=True))
    drawing = FrontPicture("Recall", "USD", dots)()
    assert drawing is not None
    assert "NaN" not in svg(drawing, uid="c", title="t")


def test_nobody_stands_alone() -> None:
    """Of one system there is no front."""
    alone = (CostFront(CostAxis.MONEY, MEASURES[0], (PLACES[0], PLACES[3])),)
    assert list(fronts_of(replace(board(), fronts=alone))) == []
