"""Boards of answers: bundles hold no answers, and a judge without a certificate ranks nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.submissions.boards.board import ResultsBoard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.submissions.sheets.registry import BoardSheet, JudgeSheet, LaneSheet


def answers_board(sheet: BoardSheet, lane: LaneSheet, judges: Mapping[str, JudgeSheet]) -> ResultsBoard:
    """Make a board of answers, which says why it ranks nobody."""
    certified = [judge.name for judge in judges.values() if judge.certificate]
    without = [judge.name for judge in judges.values() if not judge.certificate]
    notes = [
        "Bundles without texts leave answers and verdicts behind: nothing can be recomputed, and nobody is ranked."
    ]
    if without:
        notes.append(f"Without a certificate, and so without a rank for anybody: {', '.join(without)}.")
    if certified:
        notes.append(f"With a certificate: {', '.join(certified)}.")
    return ResultsBoard(
        name=sheet.name,
        title=sheet.title,
        kind=sheet.kind,
        contract=sheet.contract,
        dataset=sheet.dataset,
        division=sheet.division,
        lane=sheet.lane,
        superseded_by=sheet.superseded_by,
        means=lane.means,
        plumbing=not lane.shows_quality,
        notes=tuple(notes),
    )
