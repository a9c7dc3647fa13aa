"""The fifteen cells, and what is left of them for readers that cannot be given everything."""

from __future__ import annotations

from collections import Counter

import pytest

from memgauge.studies.attribution.cells import (
    ALL,
    BY_NAME,
    CONFLICTS,
    DESIGNS,
    FIFTEEN,
    JOINT,
    WITHOUT,
    AnswerSource,
    Held,
)

A, B, O, S = Held.ABSENT, Held.BASE, Held.OWN, Held.SHARED  # noqa: E741 - as a table of the design is written


def test_the_fifteen_cells_are_those_of_the_design() -> None:
    """All agree, three swaps, three pairs, all conflict, three alone, none, and three pairs that share a value."""
    assert {cell.held for cell in FIFTEEN} == {
        (B, B, B),
        *((O, B, B), (B, O, B), (B, B, O)),
        *((O, O, B), (O, B, O), (B, O, O)),
        (O, O, O),
        *((O, A, A), (A, O, A), (A, A, O)),
        (A, A, A),
        *((S, S, B), (S, B, S), (B, S, S)),
    }
    assert len(FIFTEEN) == 15


def test_every_cell_has_a_name_and_a_content_of_its_own() -> None:
    """No two cells of all that can be asked are the same."""
    assert len({cell.held for cell in ALL}) == len(BY_NAME) == len(ALL) == 21
    assert {cell.held for cell in WITHOUT} == {(A, B, B), (B, A, B), (B, B, A)}
    assert {cell.held for cell in CONFLICTS} == {(A, O, O), (O, A, O), (O, O, A)}


def test_a_shared_value_is_held_by_exactly_two() -> None:
    """A joint cell sets two sources against the truth of the third."""
    assert all(Counter(cell.held) == {S: 2, B: 1} for cell in JOINT)


def test_designs_have_the_size_that_they_are_known_for() -> None:
    """From the one cell of accuracy to the 27 of a full design."""
    assert [len(cells) for cells in DESIGNS.values()] == [1, 4, 4, 8, 12, 27, 15]


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("agree", set()),
        ("swap-memory", {AnswerSource.MEMORY}),
        ("only-memory", {AnswerSource.MEMORY}),
        ("without-memory", {AnswerSource.MEMORY}),
        ("joint-memory-state", {AnswerSource.MEMORY, AnswerSource.STATE}),
        ("absent", set()),
    ],
)
def test_a_cell_is_about_what_it_changes(name: str, changed: set[AnswerSource]) -> None:
    """A source that is swapped, or taken away while others keep the truth."""
    assert BY_NAME[name].changed == changed


def test_a_reader_of_memory_alone_is_asked_what_is_about_memory() -> None:
    """Cells about other sources are none of its; in the rest other sources hold nothing."""
    left = {cell.name: cell.for_reader(frozenset({AnswerSource.MEMORY})) for cell in ALL}
    assert {name: cell.held for name, cell in left.items() if cell is not None} == {
        "agree": (B, A, A),
        "swap-memory": (O, A, A),
        "only-memory": (O, A, A),
        "absent": (A, A, A),
        "without-memory": (A, A, A),
    }


def test_a_reader_of_everything_is_asked_everything_unchanged() -> None:
    """Nothing is taken away from it."""
    assert [cell.for_reader(frozenset(AnswerSource)) for cell in ALL] == list(ALL)
