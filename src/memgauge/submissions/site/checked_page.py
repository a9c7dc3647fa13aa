"""Tables of what cards say: pass and fail, counts by family, and failures by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.show import Cell, Column, Kind, Table
from memgauge.submissions.site.places import submission_place
from memgauge.submissions.site.words import level_cell, plain_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.show import Block
    from memgauge.submissions.boards.board import CheckedRow, ResultsBoard

_SIGNS: Final = {"kept": "✓ pass", "broken": "✗ FAIL"}
_LONGEST: Final = 160


def checked_blocks(board: ResultsBoard) -> Iterator[Block]:
    """Yield the tables of a board of checks."""
    if not board.checked:
        return
    yield _golden(board) if board.kind == "golden" else _states(board)
    if board.kind == "golden":
        yield named_failures(board.checked)


def _system(row: CheckedRow) -> Cell:
    head = row.head
    place = submission_place(head.submission, head.product, head.version)
    return Cell(head.title, head.version, leads=place, badges=("our own",) if head.own else ())


def _states(board: ResultsBoard) -> Table:
    names = tuple(dict.fromkeys(name for row in board.checked for name in row.states))
    columns = (
        Column("system", Kind.TEXT),
        *(Column(name, Kind.PROSE) for name in names),
        Column("verified", Kind.TEXT),
    )
    rows = [(_system(row), *(_state(row, name) for name in names), level_cell(row.head)) for row in board.checked]
    note = "Not offered: the product does not promise it. Not looked at: nothing was shown, which is no pass."
    return Table.of("rows", "Who passes", columns, rows, note)


def _state(row: CheckedRow, name: str) -> Cell:
    state, reason = row.states.get(name, "not looked at"), row.said.get(name, "")
    shown = reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}…"
    return Cell(
        _SIGNS.get(state, state),
        shown if shown not in {"yes", "none found"} else "",
        state,
        mark="warn" if state == "broken" else "text",
    )


def _golden(board: ResultsBoard) -> Table:
    families = sorted({family for row in board.checked for family in row.failed})
    columns = (
        Column("system", Kind.TEXT),
        *Column.each(Kind.COUNT, "passed", "failed", "not supported"),
        *Column.each(Kind.TEXT, "played", "verified"),
        *(Column(family, Kind.COUNT, aside=True) for family in families),
    )
    rows = [
        (
            _system(row),
            row.verdicts.get("pass", 0),
            row.verdicts.get("fail", 0) + row.verdicts.get("error", 0),
            row.verdicts.get("unsupported", 0),
            Cell(f"{row.played:,}", f"of {row.of:,}", row.played),
            level_cell(row.head),
            *(row.failed.get(family, 0) if row.played else None for family in families),
        )
        for row in board.checked
    ]
    note = (
        "By family, the scenarios that show an anomaly. Counts compare only where as many were played; nobody is "
        "ranked, because one failure of some kinds is one too many."
    )
    return Table.of("rows", "What went wrong, counted", columns, rows, note)


def named_failures(rows: Sequence[CheckedRow]) -> Table:
    """Name what went wrong, by product and family."""
    cells = [
        (_system(row), family, row.failed.get(family, 0), ", ".join(map(plain_name, anomalies)))
        for row in rows
        for family, anomalies in sorted(row.named.items())
    ]
    columns = (Column("system"), Column("family"), Column("scenarios", Kind.COUNT), Column("what", Kind.PROSE))
    return Table.of("named", "What went wrong, by name", columns, cells)
