"""What an attempt had stored when it asked: the ledger of a record equals a replay of its writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.records import Change, Memory, Operation, Receipt, Turn
from memgauge.runs.record.lineage import LineageLedger
from memgauge.runs.record.searches import RankedMemory, StoredState
from memgauge.scoring.why.attempts import stored_by

if TYPE_CHECKING:
    from memgauge.runs.record.searches import StoredMemory

ACTS = st.lists(
    st.tuples(st.sampled_from(["write", "fail", "flush", "search"]), st.integers(0, 3)), min_size=1, max_size=14
)
"""What happens, and which memory it is about."""


@dataclass
class World:
    """A memory that writes or overwrites one of four memories, its record, and what was true at every moment."""

    ledger: LineageLedger = field(default_factory=LineageLedger)
    store: dict[str, str] = field(default_factory=dict)
    wrote: dict[str, str] = field(default_factory=dict)
    writes: list[dict[str, Any]] = field(default_factory=list)
    moments: list[tuple[int, dict[str, str], dict[str, str]]] = field(default_factory=list)

    def act(self, what: str, number: int) -> None:
        """Do one thing."""
        event, memory = len(self.writes), f"m{number}"
        turn = Turn(f"t{event}", "Ada", f"text {event}", "s1")
        if what == "search":
            if memory in self.store:
                self.ledger.keep(Memory(memory, self.store[memory]))
            self.moments.append((event, dict(self.store), dict(self.wrote)))
        elif what == "write":
            change = Change(Operation.UPDATE if memory in self.store else Operation.ADD, memory)
            self.store[memory], self.wrote[memory] = turn.text, f"the write of {turn.id}"
            self.ledger.wrote([turn], Receipt((change,)))
            self.write("write", "ok", [turn.id], [memory])
        else:
            self.write("write" if what == "fail" else "flush", "error", [turn.id] if what == "fail" else [], None)

    def write(self, kind: str, outcome: str, turns: list[str], changed: list[str] | None) -> None:
        """Add a row of the table of writes."""
        row = {"event": len(self.writes), "kind": kind, "turns": turns, "outcome": outcome, "reason": ""}
        self.writes.append(row | {"changed": changed})

    def versions(self) -> list[dict[str, Any]]:
        """List what is stored at the end, and return the table of memories."""
        for memory, text in self.store.items():
            self.ledger.keep(Memory(memory, text))
        return [
            {"row": each.row, "memory": each.memory.id, "version": each.version, "text": each.memory.text}
            | {"form": str(each.form), "sources": list(each.sources), "channel": ""}
            for each in self.ledger.rows()
        ]


@settings(deadline=None)
@given(ACTS)
def test_the_ledger_equals_a_replay_of_the_writes(acts: list[tuple[str, int]]) -> None:
    """At every search the stored memories are those of the replay; a version is named where it was seen."""
    world = World()
    for what, number in acts:
        world.act(what, number)
    versions = world.versions()
    for event, store, wrote in world.moments:
        ledger = {each.memory: each for each in stored_by(versions, world.writes, event)}
        assert {name for name, each in ledger.items() if each.state is StoredState.STORED} == set(store)
        assert {name for name, each in ledger.items() if each.state is StoredState.LATER} == set(ledger) - set(
            store
        )
        for name, text in store.items():
            assert ledger[name].by == wrote[name]
            assert ledger[name].text in {text, None}
            seen = [each["version"] for each in versions if (each["memory"], each["text"]) == (name, text)]
            assert ledger[name].version == (seen[0] if seen else None)


def rows(*pairs: tuple[str, list[str]]) -> list[dict[str, Any]]:
    """Spell memory versions of (memory, turns), each the next version of its memory."""
    return [
        {"row": row, "memory": memory, "version": row + 1, "text": f"text {row}", "form": "raw"}
        | {"sources": turns, "channel": "notes"}
        for row, (memory, turns) in enumerate(pairs)
    ]


def wrote(*turns: str, changed: str = "m") -> list[dict[str, Any]]:
    """Spell one write for every turn."""
    return [
        {"event": event, "kind": "write", "turns": [turn], "outcome": "ok", "reason": "", "changed": [changed]}
        for event, turn in enumerate(turns)
    ]


def of(memories: tuple[StoredMemory, ...]) -> StoredMemory:
    """Return the one memory."""
    (only,) = memories
    return only


def test_a_version_ends_where_the_next_write_lies() -> None:
    """Asked between two writes the first version is stored and the later write named; behind both, the second."""
    versions, writes = rows(("m", ["t1"]), ("m", ["t1", "t2"])), wrote("t1", "t2")
    first, second = (of(stored_by(versions, writes, before)) for before in (1, 2))
    assert (first.version, first.text, first.later) == (1, "text 0", "the write of t2")
    assert (second.version, second.by, second.later) == (2, "the write of t2", "")
    assert of(stored_by(versions, writes, 0)).state is StoredState.LATER


def test_what_nobody_saw_is_not_made_up() -> None:
    """A version that was overwritten unseen has no text; a memory that only a receipt names was seen by nobody."""
    unseen = of(stored_by(rows(("m", ["t1", "t2"])), wrote("t1", "t2"), 1))
    assert (unseen.state, unseen.version, unseen.text) == (StoredState.STORED, None, None)
    reported = of(stored_by([], wrote("t1"), 1))
    assert (reported.state, reported.sources, reported.live) == (StoredState.UNSEEN, ("t1",), False)


def test_what_came_back_was_there() -> None:
    """Whatever writes say, a memory that the search returned was stored in that version."""
    versions = rows(("m", []), ("m", []))
    assert of(stored_by(versions, [], 0)).state is StoredState.UNDATED
    hit = RankedMemory(1, "m", 2, row=1)
    stored = of(stored_by(versions, [], 0, [hit]))
    assert (stored.state, stored.version, stored.text) == (StoredState.STORED, 2, "text 1")


def test_without_an_order_nothing_is_dated() -> None:
    """Where the journal is not here, no write is before the question or after it."""
    stored = of(stored_by(rows(("m", ["t1"])), wrote("t1"), None))
    assert (stored.state, stored.by) == (StoredState.UNDATED, "")
