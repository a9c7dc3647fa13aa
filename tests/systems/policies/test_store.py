"""What all built-in memories share."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from memgauge.records import Form, Operation, Scope, Turn
from memgauge.systems import open_system, supported
from memgauge.systems.policies.lexical import Bm25Policy

NOON = datetime(2024, 5, 1, 12)  # noqa: DTZ001 - turns carry naive local times
ADA, BOB = Scope("ada"), Scope("bob")


def said(name: str, text: str) -> Turn:
    """Make one turn."""
    return Turn(name, "Ada", text, "s1", NOON)


def found(system: Bm25Policy, query: str, scope: Scope = ADA, as_of: datetime | None = None) -> list[str]:
    """Return the texts found."""
    return [hit.memory.text for hit in system.search(query, scope, 10, as_of).hits]


def test_turns_become_raw_memories_under_their_own_ids() -> None:
    """Id, source, time and text are those of the turn; the speaker is added on request."""
    system = Bm25Policy(speaker=True)
    receipt = system.ingest([said("t1", "the beans came up")], ADA)
    assert [(c.op, c.memory) for c in receipt.changes or ()] == [(Operation.ADD, "t1")]
    (memory,) = system.dump(ADA)
    assert (memory.text, memory.form, memory.sources) == ("Ada: the beans came up", Form.RAW, ("t1",))
    assert memory.event_at == NOON


def test_a_turn_that_comes_again_replaces_its_text_in_place() -> None:
    """The same text is no change; another one is a new version that the index follows."""
    system = Bm25Policy(as_heard=False)
    system.ingest([said("t1", "beans"), said("t2", "gate")], ADA)
    assert found(system, "beans") == ["beans"]
    again = system.ingest([said("t1", "beans"), said("t2", "peas")], ADA)
    assert [c.op for c in again.changes or ()] == [Operation.NOOP, Operation.UPDATE]
    assert [(m.id, m.version) for m in system.dump(ADA)] == [("t1", 1), ("t2", 2)]
    assert (found(system, "gate"), found(system, "peas")) == ([], ["peas"])


def test_memories_can_be_changed_and_removed() -> None:
    """An update is no longer raw; history keeps operations and drops deleted texts."""
    system = Bm25Policy(as_heard=False)
    system.ingest([said("t1", "beans")], ADA)
    system.update("t1", "peas", ADA)
    assert next(iter(system.dump(ADA))).form is Form.UNKNOWN
    assert [entry.text for entry in system.history("t1", ADA)] == ["beans", "peas"]
    assert system.delete(["t1", "t1", "t9"], ADA) == 1
    assert found(system, "peas") == []
    operations = [(entry.op, entry.text) for entry in system.history("t1", ADA)]
    assert operations == [(Operation.ADD, None), (Operation.UPDATE, None), (Operation.DELETE, None)]
    assert system.history("t9", ADA) == ()


def test_an_unknown_memory_is_not_updated() -> None:
    """The receipt says that nothing happened."""
    changes = Bm25Policy(as_heard=False).update("t9", "x", ADA).changes or ()
    assert [(c.op, c.memory) for c in changes] == [(Operation.NOOP, "t9")]


def test_expired_memories_are_hidden_then_swept() -> None:
    """From its end on a memory is not found, and takes no place among the k hits; a sweep removes it."""
    system = Bm25Policy(as_heard=False)
    system.ingest_expiring(said("t1", "beans"), ADA, NOON + timedelta(hours=1))
    system.ingest([said("t2", "beans and gate")], ADA)
    assert found(system, "beans") == ["beans", "beans and gate"]
    late = NOON + timedelta(hours=1)
    assert [hit.memory.id for hit in system.search("beans", ADA, 1, late).hits] == ["t2"]
    system.sweep(NOON)
    assert len(list(system.dump(ADA))) == 2
    system.sweep(late)
    assert [m.id for m in system.dump(ADA)] == ["t2"]
    assert system.history("t1", ADA)[-1].at == late


def test_scopes_do_not_meet_and_are_erased_alone() -> None:
    """The same turn ids in two scopes are two memories; erasing one leaves the other."""
    system = Bm25Policy(as_heard=False)
    system.ingest([said("t1", "beans")], ADA)
    system.ingest([said("t1", "gate")], BOB)
    assert (found(system, "beans gate"), found(system, "beans gate", BOB)) == (["beans"], ["gate"])
    system.erase(ADA)
    assert (found(system, "beans"), found(system, "gate", BOB)) == ([], ["gate"])
    system.ingest([said("t1", "peas")], ADA)
    assert found(system, "peas beans") == ["peas"]
    system.reset()
    assert found(system, "gate", BOB) == []


def test_no_hits_are_asked_for() -> None:
    """Asking for none returns nothing, and an empty scope has no memories."""
    system = Bm25Policy(as_heard=False)
    system.ingest([said("t1", "beans")], ADA)
    assert system.search("beans", ADA, 0).hits == ()
    assert list(system.dump(BOB)) == []
    system.flush(BOB, 1)


@pytest.mark.parametrize("ref", ["none", "bm25", "oracle"])
def test_optional_protocols_are_found(ref: str) -> None:
    """All policies are mutable, erasable, expiring and auditable."""
    assert supported(open_system(ref)) == ("mutable", "erasable", "expiring", "auditable")
