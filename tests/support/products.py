"""Products in environments of their own, for tests that run where they are installed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from memgauge.llm.served import ModelServer
from memgauge.records import Receipt, Scope, Turn
from memgauge.systems.catalogue import open_system
from memgauge.systems.environments.places import environment_of
from memgauge.systems.environments.products import product
from memgauge.systems.protocol import Closing, Erasable, implements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.systems.protocol import MemorySystem

ALICE, BOB = Scope("alice"), Scope("bob")


def turn(key: str, text: str, role: str = "user") -> Turn:
    """Make a turn whose speaker is its role."""
    from datetime import datetime

    return Turn(key, role, text, "s1", datetime(2023, 5, 8, 10), role)  # noqa: DTZ001 - turns are naive


def told(system: MemorySystem, *texts: str, scope: Scope = ALICE) -> list[Receipt]:
    """Write turns ``t0``, ``t1`` and so on, and wait until they can be found."""
    receipts = [system.ingest([turn(f"t{place}", text)], scope) or Receipt() for place, text in enumerate(texts)]
    system.flush(scope, 120)
    return receipts


def recalls_and_forgets(system: MemorySystem) -> None:
    """Find each of two turns by a question about it, and nothing once their scope is erased.

    Raises:
        AssertionError: Something else is found.
    """
    told(system, "I keep bees.", "I play chess.")
    for query, source in (("Who keeps bees?", "t0"), ("Who plays chess?", "t1")):
        assert system.search(query, ALICE, 1).hits[0].memory.sources == (source,)
    erasable: object = system
    assert implements(erasable, Erasable)
    erasable.erase(ALICE)
    assert not system.search("bees", ALICE, 5).hits


@contextmanager
def opened(ref: str) -> Iterator[MemorySystem]:
    """Open a product beside a scripted model, or skip where it is not installed."""
    name = ref.partition(":")[0]
    if environment_of(product(name)) is None:
        pytest.skip(f"{name} is not installed here: memgauge systems install {name}")
    with ModelServer() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.url)
        patch.setenv("OPENAI_API_KEY", "unused")
        system = open_system(ref)
        try:
            yield system
        finally:
            if implements(system, Closing):
                system.close()
