"""Streams that write in other users' names, and that take back what was written."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from memgauge.records import Outcome
from memgauge.runs.play.engine import run_case
from memgauge.runs.record.manifest import Limits
from memgauge.streams import open_stream
from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.protocol import Mutable, implements
from support.handmade import two_questions
from support.systems import Notebook

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.records import Receipt, Scope, Turn
    from memgauge.runs.record.rows import Row
    from memgauge.systems.protocol import MemorySystem

(CASE,) = two_questions().cases()


def played(protocol: str, system: Callable[[], MemorySystem]) -> list[Row]:
    """Play the handmade conversation under a protocol, and return how its questions ended."""
    rows = run_case(CASE.conversation.id, open_stream(protocol).order(CASE), system, Limits())
    return [row for row in rows if row["t"] == "question"]


class Watched(Bm25Policy):
    """Notes in whose name it is written to and emptied."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[tuple[str, str]] = []

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Note the user."""
        self.log.append(("ingest", scope.user))
        return super().ingest(turns, scope)

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Note the user."""
        self.log.append(("flush", scope.user))
        super().flush(scope, timeout_s)

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Note how many are deleted."""
        self.log.append(("delete", str(len(memories))))
        return super().delete(memories, scope)

    def erase(self, scope: Scope) -> None:
        """Note the user."""
        self.log.append(("erase", scope.user))
        super().erase(scope)


@pytest.mark.parametrize(
    "protocol", ["reset-then-search", "deletion-then-search", "erasure-then-search", "withheld-scope"]
)
def test_what_is_taken_back_or_withheld_is_not_found(protocol: str) -> None:
    """An honest memory answers with nothing, and that is a result."""
    assert {row["outcome"] for row in played(protocol, Bm25Policy)} == {Outcome.EMPTY}


def test_a_memory_is_emptied_in_the_way_that_the_stream_names() -> None:
    """Deletion names every memory that is stored, erasure the scope; both are flushed before anybody asks."""
    deleted, erased = Watched(), Watched()
    played("deletion-then-search", lambda: deleted)
    played("erasure-then-search", lambda: erased)
    assert deleted.log[-2:] == [("delete", "9"), ("flush", "c1")]
    assert erased.log[-2:] == [("erase", "c1"), ("flush", "c1")]


def test_turns_are_written_and_flushed_in_the_name_that_they_bear() -> None:
    """What is said in another's name is flushed there, and the asking user is never written to."""
    system = Watched()
    played("withheld-scope", lambda: system)
    users = Counter(user for call, user in system.log if call == "ingest")
    assert "c1" not in users
    assert len(users) == 3
    assert {user for call, user in system.log if call == "flush"} == set(users)


@pytest.mark.parametrize(
    ("protocol", "reason"),
    [
        ("deletion-then-search", "it offers no way to delete every memory"),
        ("erasure-then-search", "it offers no way to erase the scope"),
    ],
)
def test_a_memory_without_that_way_is_not_asked(protocol: str, reason: str) -> None:
    """What could not be removed is not searched for: every question says why."""
    for row in played(protocol, Notebook):
        assert row["outcome"] == Outcome.ERROR
        assert row["reason"] == f"not asked: {reason}"


def test_who_can_delete_memories_is_not_taken_to_erase_a_scope() -> None:
    """Only what the stream names counts, so that two memories are never emptied in two ways under one name."""

    class Deleting(Notebook):
        def delete(self, memories: Sequence[str], scope: Scope) -> int:
            raise AssertionError("nobody asked for it")

        def update(self, memory: str, text: str, scope: Scope) -> None:
            raise AssertionError("nobody asked for it")

    assert implements(Deleting(), Mutable)
    assert {row["reason"] for row in played("erasure-then-search", Deleting)} == {
        "not asked: it offers no way to erase the scope"
    }


def test_a_deletion_that_raises_ends_the_conversation() -> None:
    """Every question carries what the memory raised."""

    class Stubborn(Bm25Policy):
        def delete(self, memories: Sequence[str], scope: Scope) -> int:
            raise PermissionError("read only")

    assert all("read only" in row["reason"] for row in played("deletion-then-search", Stubborn))
