"""The picture of a board: what is found against what it takes, one dot a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.report.fronts import CAPTION, DrawnDot, FrontPicture
from memgauge.scoring.fronts import FrontStanding
from memgauge.show import Figure
from memgauge.submissions.site.words import names_of, ranked

if TYPE_CHECKING:
    from memgauge.submissions.boards.board import ResultsBoard


def front_figure(board: ResultsBoard) -> Figure | None:
    """Return the picture of a board; ``None`` where fewer than two rows can be drawn."""
    rows = [row for row in ranked(board) if row.cost is not None and row.value is not None]
    if len(rows) < 2:
        return None
    names = names_of(board.rows)
    dots = tuple(
        DrawnDot(
            names[row.head.submission],
            row.cost or 0.0,
            row.value or 0.0,
            row.value or 0.0 if row.low is None else row.low,
            row.value or 0.0 if row.high is None else row.high,
            row.front is not None and row.front.standing is FrontStanding.FRONT,
        )
        for row in rows
    )
    picture = FrontPicture(board.measure, board.against, dots)
    what = "What is answered rightly" if board.judge else "What is found"
    return Figure("front", f"{what}, against {board.against}", CAPTION, picture)
