"""Known failures of products are found on cards that show them, and on no other."""

from __future__ import annotations

import pytest

from memgauge.systems.conformance.known import KNOWN, failures
from memgauge.systems.conformance.shipped import shipped_cards
from support import cards as made


def found(*cards: object) -> set[int]:
    """Return the numbers of the failures that are found."""
    return {one.number for one in failures(cards) if one.found}  # type: ignore[arg-type]


def test_there_are_eleven_each_with_a_number_of_its_own() -> None:
    """They are counted as the reference counts them."""
    assert [one.number for one in KNOWN] == list(range(1, 12))


@pytest.mark.parametrize(
    ("number", "card"),
    [
        (1, made.card("cognee", golden=made.golden(CROSS_USER_LEAK=("isolation.x",)))),
        (2, made.card("memoryos", "unknown scope is empty")),
        (3, made.card("a-mem", "other scopes change nothing")),
        (4, made.card("langgraph", "expiry (expiring)")),
        (5, made.card("mem0", golden=made.golden(RESIDUE=("erasure.x",)))),
        (6, made.card("memoryos", golden=made.golden(OMISSION=("x",)))),
        (7, made.card("graphiti", "delete (mutable)")),
        (8, made.card("mem0-1", "memories name sources")),
        (9, made.card("mem0", golden=made.golden(MIXED_VERSIONS=("currency.x",)))),
        (10, made.card("memoryos", consistency=made.consistency(files_changed=1))),
        (11, made.card("a-mem", golden=made.golden(GARBAGE_READ=("x",)))),
    ],
)
def test_each_is_found_where_its_product_shows_it(number: int, card: object) -> None:
    """The one card shows the one failure."""
    assert found(card) == {number}


def test_a_product_without_the_failure_is_not_accused() -> None:
    """Clean cards and cards of other products show nothing."""
    clean = [
        made.card(name, golden=made.golden(), consistency=made.consistency())
        for one in KNOWN
        for name in one.products
    ]
    assert found(*clean) == set()
    again = made.golden(
        RESIDUE=("erasure.x", "erasure.told.y"), RESURRECTION=("erasure.x",), ERASED_READ=("erasure.told.y",)
    )
    assert found(made.card("langgraph", golden=again)) == set()
    assert found(made.card("other", "expiry (expiring)", golden=made.golden(RESIDUE=("erasure.x",)))) == set()


def test_most_of_the_eleven_are_found_on_the_shipped_cards() -> None:
    """At least eight, as the cards show and nothing else says."""
    assert len(found(*shipped_cards())) >= 8
