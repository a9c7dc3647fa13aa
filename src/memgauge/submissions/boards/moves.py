"""Did a row vanish or move that nobody touched? Two builds beside each other, as plain data (check S14).

A board is what its feed ``boards/<name>.json`` holds. What a build adds explains some moves of others: places behind
what is new, and sets of places that are wider because more was compared. Numbers of an untouched row never move.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    Board = Mapping[str, Any]

NUMBERS = ("value", "low", "high", "cost")
"""Of a row: its first measure with its interval, and what the board holds against it."""


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
    was = {row["submission"]: row for row in before["rows"]}
    here = {row["submission"]: row for row in now["rows"]}
    ranked = [{key for key, row in rows.items() if row["rank_low"] is not None} for rows in (was, here)]
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


def _changed(row: Board, now: Board) -> Iterator[tuple[str, str, str]]:
    """Compare what no other row can change."""
    for field in NUMBERS:
        if row.get(field) != now.get(field):
            yield f"{field} changed", str(row.get(field)), str(now.get(field))


def _places(row: Board, now: Board, added: int, removed: int) -> Iterator[tuple[str, str, str]]:
    """Compare the places that a row may have with those that the new rows leave it.

    With rows added alone, no more of the old ones can be shown to be better, or worse: the correction is for more
    pairs. Where some left, it is for fewer, and sets may narrow; then only who is ranked at all is compared.
    """
    old, new = (row["rank_low"], row["rank_high"]), (now["rank_low"], now["rank_high"])
    if (old[0] is None) != (new[0] is None):
        yield "is ranked no more" if new[0] is None else "is ranked now", _span(old), _span(new)
    elif old[0] is not None and not removed and (new[0] > old[0] + added or new[1] < old[1]):
        yield "moved", _span(old), _span(new)
    elif old[0] is not None and not removed and not added and old != new:
        yield "moved", _span(old), _span(new)


def _span(places: tuple[int | None, int | None]) -> str:
    low, high = places
    if low is None:
        return "no place"
    return str(low) if low == high else f"{low}-{high}"
