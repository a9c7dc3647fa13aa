"""A bred fault does what its sentence says, and nothing else."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.records import Hit, Memory, Ranking, Scope
from memgauge.studies.golden.breeding.calls import Passing, Past
from memgauge.studies.golden.breeding.operator import OPERATORS
from memgauge.studies.golden.breeding.operators.identity import KEYS

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.studies.golden.breeding.operator import BredFault

ADA, BOB = Scope("ada"), Scope("bob")


def fault(operator: str, method: str, says: str) -> BredFault:
    """Throw dice until an operator makes the fault that says so."""
    dice = Random(0)  # noqa: S311 - a choice of faults
    made = (OPERATORS[operator].make(dice, method) for _ in range(10_000))
    return next(each for each in made if says in f"{each.says}.")


def done(faulty: BredFault, method: str, go: Callable[..., Any], past: Past | None = None, **given: Any) -> Any:
    """Call a method of a memory with that fault."""
    call = Passing(SimpleNamespace(), method, given, {method: go}, past or Past())  # type: ignore[arg-type] # no memory is asked
    return faulty.advice[method](call)


@pytest.mark.parametrize(
    ("how", "asked", "got"),
    [
        ("k + 1", 30, 31),
        ("k - 1", 30, 29),
        ("k - 1", 1, 1),
        ("2 k", 30, 60),
        ("at most 3", 30, 3),
        ("at most 10", 30, 10),
        ("at most 19", 30, 19),
        ("at most 19", 5, 5),
        ("half of k", 5, 3),
    ],
)
def test_another_number_of_hits_is_asked_for(how: str, asked: int, got: int) -> None:
    """Than somebody asked for."""
    assert done(fault("other-k", "search", f" {how} hits"), "search", lambda k: k, k=asked) == got


@pytest.mark.parametrize(
    ("how", "spent"), [("ignores its budget", 10**9), ("counts words", 600), ("doubles its budget", 200)]
)
def test_a_budget_is_overrun(how: str, spent: int) -> None:
    """By as much as is said."""
    assert done(fault("overrun-budget", "context", how), "context", lambda budget: budget, budget=100) == spent


@pytest.mark.parametrize(
    ("which", "left"),
    [
        ("the first", 1_999),
        ("the last", 1_999),
        ("every second", 1_000),
        ("all but ten", 10),
        ("all but a thousand", 1_000),
    ],
)
def test_what_is_listed_is_cut(which: str, left: int) -> None:
    """Two thousand memories are stored."""
    faulty = fault("drop-hits", "dump", f"returns, {which} is lost.")
    assert len(done(faulty, "dump", lambda: range(2_000))) == left


def test_a_list_that_rotates_loses_nothing() -> None:
    """It begins elsewhere at every call."""
    hits = tuple(Hit(Memory(name, name)) for name in "abcd")
    faulty, past = fault("misorder", "search", "rotating"), Past()
    orders = [
        "".join(hit.memory.id for hit in done(faulty, "search", lambda k: Ranking(hits[:k]), past, k=4).hits)
        for _ in range(3)
    ]
    assert orders == ["bcda", "cdab", "dabc"]


@pytest.mark.parametrize(
    ("how", "one", "alike", "apart"),
    [
        ("in small letters", "Ada", "ada", "adb"),
        ("by their first 8 characters", "12345678a", "12345678b", "02345678a"),
        ("by their first 16 characters", "1234567890123456a", "1234567890123456b", "0234567890123456a"),
        ("without what follows a plus", "ada+x@y", "ada@y", "bob+x@y"),
        ("up to a semicolon", "ada;x", "ada;y", "bob;x"),
        ("without what lies beyond 16 bits", "ada\U00010000", "ada", "bob\U00010000"),
        ("without a prefix", "x:ada", "y:ada", "x:bob"),
        ("as numbers where they are", "007", "7", "seven"),
    ],
)
def test_ids_are_confused_by_what_is_said_alone(how: str, one: str, alike: str, apart: str) -> None:
    """Two that differ in nothing else are one; two that differ elsewhere are not."""
    key = KEYS[how]
    assert key(one) == key(alike) != key(apart)


def test_who_is_alike_is_listed_beside_the_own_and_nobody_else_is() -> None:
    """Tenants stay apart where ids of users alone are confused."""
    faulty = fault("widen-user", "dump", "apart in small letters")
    shouting, elsewhere = Scope("ADA"), Scope("Ada", tenant="other")
    past = Past(scopes=dict.fromkeys((shouting, BOB, elsewhere, ADA)))
    assert done(faulty, "dump", lambda scope: [scope], past, scope=ADA) == [ADA, shouting]


def test_where_everything_is_confused_the_first_who_wrote_has_it_all() -> None:
    """Whoever comes later writes and reads there."""
    faulty = fault("widen-user", "everything", "apart in small letters")
    past = Past(scopes=dict.fromkeys((Scope("ADA"), ADA)))
    assert done(faulty, "dump", lambda scope: scope, past, scope=ADA) == Scope("ADA")
    assert done(faulty, "dump", lambda scope: scope, past, scope=BOB) == BOB
