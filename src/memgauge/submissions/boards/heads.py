"""What every board says of itself, and every row of whose it is, and why a row is not ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.submissions.boards.board import ResultsBoard, RowHead

if TYPE_CHECKING:
    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.rows.submitted import SubmittedRow
    from memgauge.submissions.sheets.registry import BoardSheet, LaneSheet


def empty_board(sheet: BoardSheet, lane: LaneSheet) -> ResultsBoard:
    """Return what the sheets of a board and its lane say of it, before anybody stands there."""
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
    )


def head_of(entrant: Entrant) -> RowHead:
    """Say whose row it is, and who looked at it."""
    sheet, level = entrant.sheet, entrant.level
    return RowHead(
        submission=entrant.id,
        product=sheet.product,
        title=entrant.product.title,
        label=sheet.label,
        version=sheet.version,
        day=sheet.day,
        division=entrant.division,
        lane=sheet.lane,
        category=sheet.category + (", preview" if sheet.preview else ""),
        baseline=entrant.baseline,
        own=entrant.product.own,
        submitter=sheet.submitter.github,
        relation=sheet.submitter.relation,
        level=int(level.level),
        level_name=level.name,
        caution=level.caution,
        grey=entrant.grey,
        footnotes=tuple(dict.fromkeys((*level.marks, *entrant.footnotes))),
    )


def barred(entrant: Entrant, lane: LaneSheet, row: SubmittedRow, measure: str) -> tuple[str, ...]:
    """Say why a row is not ranked; nothing where it is."""
    reasons = list(row.bars)
    if not lane.shows_quality:
        reasons.append("Its lane is of stand-ins: it shows plumbing, and is never ranked.")
    if entrant.lane.kind == "scripted" and lane.shows_quality:
        reasons.append("It stands on stand-ins.")
    if not row.holds:
        reasons.append("It does not verify: " + "; ".join(row.problems) + ".")
    if row.role != "system":
        reasons.append(f"It is a {row.role}, which is what systems are held against.")
    if row.scores[measure].value is None:
        reasons.append(f"It has no value: {row.scores[measure].reason}.")
    return tuple(dict.fromkeys(reasons))
