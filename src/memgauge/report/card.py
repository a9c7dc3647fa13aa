"""The summary of a board that is pasted where people talk: who leads if anybody does, on what, made by what."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.report.board_tables import BoardLinks, leaderboard
from memgauge.report.words import contract_sentence, detectable, verdict
from memgauge.show import Document, Note
from memgauge.show.numbers import plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.scoring.board import Board


def card(board: Board, identity: Mapping[str, str]) -> Document:
    """Sum a board up: the verdict, which claims nothing that is not shown, and the few rows that bear it.

    *identity* is what else a reader needs to make it again, such as versions.
    """
    whole = leaderboard(board, BoardLinks())
    shown = whole.abridged or whole
    rows = [
        [replace(cell, under="") if place == shown.names else cell for place, cell in enumerate(row)]
        for row in shown.rows
    ]
    counts = board.entries[0].scores[board.measures[0]].denominator if board.entries else None
    scored = f"{counts.scored:,} of {counts.total:,} questions" if counts else f"{board.questions:,} questions"
    return Document(
        title=board.dataset.ref,
        beside=f"{scored} in {plural(board.conversations, 'conversation')}, 95 % intervals",
        lead=verdict(board),
        blocks=(replace(shown, rows=tuple(map(tuple, rows))),),
        notes=tuple(
            map(Note, filter(None, (detectable(board), f"{contract_sentence(board.contract).capitalize()}.")))
        ),
        identity={"data": f"sha256 {board.dataset.sha256[:16]}", "contract": str(board.contract), **identity},
        data=board,
    )
