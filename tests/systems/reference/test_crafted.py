"""Crafted memories do what they are crafted for: a board that does not fall for them proves something."""

from __future__ import annotations

import pytest

from memgauge.errors import UnknownNameError
from memgauge.records import Operation, Scope, Turn
from memgauge.systems.catalogue import open_system
from memgauge.systems.reference.crafted import CRAFTED, crafted

SCOPE = Scope("u")
TURNS = tuple(
    Turn(f"t{i}", "Ada" if i % 2 else "Bo", text, f"s{i // 3}")
    for i, text in enumerate(
        (
            "The cat is called Marzipan and sleeps on the piano.",
            "Mine is called Pepper.",
            "I moved to Lisbon in March 2021.",
            "The piano was tuned by Mr Osterby.",
            "I like the cat.",
            "We meet on Tuesday at the harbour.",
        )
    )
)


@pytest.mark.parametrize("name", CRAFTED)
def test_every_crafted_memory_works(name: str) -> None:
    """It stores, searches, lists and forgets as any memory does; a few refuse to answer where they are unsure."""
    memory = open_system(f"crafted:{name}")
    memory.reset()
    for turn in TURNS:
        memory.ingest([turn], SCOPE)
    assert list(memory.dump(SCOPE))
    if name == "unsure":
        with pytest.raises(RuntimeError):
            memory.search("the", SCOPE, 5)
    else:
        assert list(memory.search("Where is the piano?", SCOPE, 5).hits)
    memory.reset()
    assert not list(memory.dump(SCOPE))


def test_few_memories_claim_many_turns_by_receipts() -> None:
    """The memory "ok" is updated by every write, so that its lineage is exact and its text bears nothing."""
    memory = crafted("ok")
    receipts = [memory.ingest([turn], SCOPE) for turn in TURNS]
    assert all(change.op is Operation.UPDATE for receipt in receipts for change in receipt.changes or ())
    assert [m.text for m in memory.dump(SCOPE)] == ["ok"]


def test_claims_outrun_texts() -> None:
    """An echo claims every turn and says what was asked; a fingerprint keeps three words of a turn."""
    echo = crafted("echo")
    echo.ingest(TURNS, SCOPE)
    (hit,) = echo.search("Where?", SCOPE, 5).hits
    assert (hit.memory.text, len(hit.memory.sources)) == ("Where?", len(TURNS))
    kept = crafted("fingerprint")
    kept.ingest(TURNS, SCOPE)
    assert all(len(memory.text.split()) <= 3 for memory in kept.dump(SCOPE))


def test_answers_depend_on_what_is_no_memorys_business() -> None:
    """Asked again, one answers the other way round."""
    fading = crafted("fading")
    fading.ingest(TURNS, SCOPE)
    first, second = ([hit.memory.id for hit in fading.search("cat piano", SCOPE, 5).hits] for _ in range(2))
    assert first == second[::-1] != second


def test_an_unknown_one_is_named() -> None:
    """A crafted memory that does not exist is refused with those that do."""
    with pytest.raises(UnknownNameError, match="everything"):
        crafted("honest")
