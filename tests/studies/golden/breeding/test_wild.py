"""Wild play: calls drawn over the whole contract, each of which can be made."""

from __future__ import annotations

from inspect import signature
from random import Random

import pytest

from memgauge.records import Scope
from memgauge.studies.golden.breeding.wild import MOVES, SHAPES, WildStory
from memgauge.systems.reference.shared import ReferenceMemory


def story(stored: tuple[str, ...] = ("m1",)) -> WildStory:
    """Begin a story of a memory in which everybody has the same ids."""
    return WildStory(Random(1), SHAPES["everyday"], lambda _: list(stored))  # noqa: S311 - play


@pytest.mark.parametrize("move", MOVES)
def test_every_call_has_what_its_method_asks_for(move: str) -> None:
    """A call that no memory takes would show no difference between two."""
    told = story()
    calls = [MOVES[move](told) for _ in range(200)]
    for method, given in calls:
        if hasattr(ReferenceMemory, method):
            taken = signature(getattr(ReferenceMemory, method)).bind(None, **given)
            assert given.items() <= taken.arguments.items()
    assert all(method for method, _ in calls)


def test_ids_that_are_gone_or_of_others_are_tried_too() -> None:
    """Where nothing is stored, a memory is asked for what was seen elsewhere, and for what never was."""
    told = story(())
    assert told.memory(Scope("ada")) == "nowhere"
    told.ids += ["gone"]
    assert {told.memory(Scope("ada")) for _ in range(50)} == {"gone"}
