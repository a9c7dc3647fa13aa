"""What may move on a board when somebody submits, and what may not."""

from __future__ import annotations

from typing import Any

from memgauge.submissions.boards.moves import moved_rows


def row(name: str, first: int | None = 1, last: int | None = 2, **other: Any) -> dict[str, Any]:
    """Make a row of a product."""
    return {
        "submission": f"{name}-1/20270101-ann-default",
        "product": name,
        "value": 0.5,
        "low": 0.4,
        "high": 0.6,
        "cost": 100.0,
        "rank_low": first,
        "rank_high": last,
    } | other


def board(*rows: dict[str, Any]) -> dict[str, Any]:
    """Make the boards of a build: one."""
    return {"main": {"rows": list(rows)}}


def test_the_same_build_twice_moves_nothing() -> None:
    """Two builds of one registry are silent."""
    same = board(row("larder"), row("attic"))
    assert moved_rows(same, same, ()) == ()


def test_a_row_that_vanishes_is_named() -> None:
    """An untouched product whose row is gone is named with its board."""
    (move,) = moved_rows(board(row("larder"), row("attic")), board(row("attic", 1, 1)), {"attic"})
    assert str(move) == "main: row of larder (larder-1/20270101-ann-default) vanished"


def test_a_board_that_vanishes_takes_its_rows() -> None:
    """A board that is gone is every row of it gone."""
    assert [move.what for move in moved_rows(board(row("larder")), {}, ())] == ["vanished"]


def test_a_touched_row_may_do_anything() -> None:
    """A product, or a submission, that the change is about is not looked at."""
    before = board(row("larder"), row("attic"))
    after = board(row("attic", value=0.1))
    assert moved_rows(before, after, {"larder", "attic-1/20270101-ann-default"}) == ()


def test_a_number_never_moves() -> None:
    """What only its own bundle decides must not change, whoever else came."""
    for field in ("value", "low", "high", "cost"):
        after = board(row("larder", 1, 3, **{field: 0.45}), row("new", 1, 3))
        moves = moved_rows(board(row("larder")), after, {"new"})
        assert [move.what for move in moves] == [f"{field} changed"]


def test_new_rows_explain_places_behind_them_and_no_more() -> None:
    """One new row that is better costs one place; two places are not its doing."""
    before = board(row("larder", 1, 2), row("attic", 1, 2))
    explained = board(row("new", 1, 1), row("larder", 2, 3), row("attic", 2, 3))
    assert moved_rows(before, explained, {"new"}) == ()
    far = board(row("new", 1, 1), row("larder", 3, 3), row("attic", 2, 3))
    (move,) = moved_rows(before, far, {"new"})
    assert (move.product, move.before, move.now) == ("larder", "1-2", "3")


def test_more_comparisons_widen_sets_and_never_narrow_them() -> None:
    """With one more row a set may grow at either end; an end that comes nearer is a move."""
    before = board(row("larder", 2, 3), row("attic", 1, 2))
    wider = board(row("larder", 1, 4), row("attic", 1, 3), row("new", 1, 4))
    assert moved_rows(before, wider, {"new"}) == ()
    narrower = board(row("larder", 2, 2), row("attic", 1, 3), row("new", 3, 4))
    assert [move.product for move in moved_rows(before, narrower, {"new"})] == ["larder"]


def test_places_do_not_move_where_nothing_came() -> None:
    """Without a new row even a wider set is a move."""
    assert moved_rows(board(row("larder", 1, 2)), board(row("larder", 1, 3)), ())


def test_losing_or_gaining_a_rank_is_named() -> None:
    """Who is ranked does not depend on others."""
    (move,) = moved_rows(board(row("larder")), board(row("larder", None, None), row("new")), {"new"})
    assert move.what == "is ranked no more"
    (move,) = moved_rows(board(row("larder", None, None)), board(row("larder")), ())
    assert move.what == "is ranked now"


def test_feeds_are_read_as_they_are_written() -> None:
    """Kind and version around a board, and the head of a row, make no difference."""
    flat = row("larder")
    head = {key: flat.pop(key) for key in ("submission", "product")}
    feed = {
        "main": {"kind": "results board", "version": 1, "value": {"rows": [flat | {"head": head}], "checked": []}}
    }
    assert moved_rows(feed, board(row("larder")), ()) == ()
    assert [move.product for move in moved_rows(feed, board(), ())] == ["larder"]
