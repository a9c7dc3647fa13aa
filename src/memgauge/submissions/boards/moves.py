"""Did a row vanish or move that nobody touched? Two builds beside each other, as plain data (check S14).

A board is what its feed ``boards/<name>.json`` holds. What a build adds explains some moves of others: places
behind what is new, and sets of places that are wider because more was compared. What follows from a submission
alone never moves while nobody touches it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    Board = Mapping[str, Any]

OWN = ("value", "low", "high", "cost", "states", "failed")
"""What of a row follows from its own submission alone: its measure, its cost, and what its card says."""


@dataclass(frozen=True)
class MovedRow:
    """A row that is not where the build before had it, and that nothing which was touched explains."""

    board: str
    submission: str
    product: str
    what: str
    """``vanished``, ``value changed`` and the like, or how its places moved."""
    before: str = ""
    now: str = ""

    def __str__(self) -> str:
        change = f": {self.before} before, {self.now} now" if self.now else ""
        return f"{self.board}: row of {self.product} ({self.submission}) {self.what}{change}"


def moved_rows(
    previous: Mapping[str, Board], current: Mapping[str, Board], touched: Collection[str]
) -> tuple[MovedRow, ...]:
    """List the rows that vanished or moved by more than what was touched explains, by board and submission.

    Args:
        previous: Boards of the build before, by name, as their feeds hold them.
        current: Boards of this build.
        touched: Products, or ids of submissions, that the change is about; their own rows may do anything.
    """
    return tuple(
        move
        for name in sorted(previous)
        for move in _on_board(name, previous[name], current.get(name, {"rows": ()}), frozenset(touched))
    )


def _on_board(name: str, before: Board, now: Board, touched: frozenset[str]) -> Iterator[MovedRow]:
    was, here = _rows(before), _rows(now)
    ranked = [{key for key, row in rows.items() if row.get("rank_low") is not None} for rows in (was, here)]
    added, removed = len(ranked[1] - ranked[0]), len(ranked[0] - ranked[1])
    for key in sorted(was):
        row = was[key]
        if touched & {key, row["product"]}:
            continue
        if key not in here:
            yield MovedRow(name, key, row["product"], "vanished")
            continue
        for what, old, new in (*_changed(row, here[key]), *_places(row, here[key], added, removed)):
            yield MovedRow(name, key, row["product"], what, old, new)


def _rows(board: Board) -> dict[str, Board]:
    """Return the rows of a board by submission, whether or not its feed's kind and version stand around it."""
    value = board.get("value", board)
    flat = ({**row.get("head", {}), **row} for row in (*value["rows"], *value.get("checked", ())))
    return {row["submission"]: row for row in flat}


def _changed(row: Board, now: Board) -> Iterator[tuple[str, str, str]]:
    """Compare what no other row can change."""
    for field in OWN:
        if row.get(field) != now.get(field):
            yield f"{field} changed", str(row.get(field)), str(now.get(field))


def _places(row: Board, now: Board, added: int, removed: int) -> Iterator[tuple[str, str, str]]:
    """Compare the places that a row may have with those that the new rows leave it.

    With rows added alone, no more of the old ones can be shown to be better, or worse: the correction is for more
    pairs. Where some left, it is for fewer, and sets may narrow; then only who is ranked at all is compared.
    """
    old, new = _ends(row), _ends(now)
    if (old[0] is None) != (new[0] is None):
        yield "is ranked no more" if new[0] is None else "is ranked now", _span(old), _span(new)
    elif old[0] is not None and new[0] is not None and not removed:
        beyond = new[0] > old[0] + added or (new[1] or 0) < (old[1] or 0)
        if beyond or (not added and old != new):
            yield "moved", _span(old), _span(new)


def _ends(row: Board) -> tuple[int | None, int | None]:
    return row.get("rank_low"), row.get("rank_high")


def _span(places: tuple[int | None, int | None]) -> str:
    low, high = places
    if low is None:
        return "no place"
    return str(low) if low == high else f"{low}-{high}"
