"""One search of traffic: what was stored when it began equals a replay of the writes until then."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.exchange.traffic.identity import TrafficIdentity, TrafficLedger
from memgauge.exchange.traffic.moments import memory_written_as, moment_in_traffic
from memgauge.exchange.traffic.reading import Traffic
from memgauge.exchange.traffic.rows import TrafficKind, TrafficOperation, TrafficRecord
from memgauge.exchange.traffic.writer import TrafficWriter
from memgauge.records import Outcome
from memgauge.runs.record.searches import FailedWrite, StoredState

if TYPE_CHECKING:
    from collections.abc import Sequence

Entry = tuple[TrafficOperation, tuple[TrafficRecord, ...]]
Key = tuple[str, str]


def entry(kind: str, end: int, memory: str = "", text: str | None = None, **more: object) -> Entry:
    """Spell an operation that ended at *end*, of one memory or of none; its name is ``t/END``."""
    values: dict[str, object] = {"scope": "ada", "store": "notes", "trace": "t", "span": f"{end}"} | more
    values = {"began_ns": end - 1, "ended_ns": end, "query": "size?"} | values
    operation = TrafficOperation(operation=TrafficKind(kind), **values)  # type: ignore[arg-type]
    hashed = None if text is None else f"hash of {text}"
    return operation, (TrafficRecord(memory, hashed, None if text is None else len(text), text),) if memory else ()


def recorded(folder: Path, entries: Sequence[Entry]) -> Traffic:
    """Write entries and read them again."""
    with TrafficWriter(folder) as writer:
        for operation, records in entries:
            writer.add(operation, records)
        writer.close(TrafficIdentity(recorder="test"), TrafficLedger())
    return Traffic.read(folder)


@dataclass
class Replay:
    """A store of stores, as it is after every operation: text, version and scope of what is there."""

    live: dict[Key, tuple[str, int, str]] = field(default_factory=dict)
    versions: dict[Key, int] = field(default_factory=dict)
    seen: set[Key] = field(default_factory=set)

    def act(self, operation: TrafficOperation, records: Sequence[TrafficRecord]) -> None:
        """Do one operation."""
        for record in records:
            key = operation.store, record.memory
            self.seen.add(key)
            if operation.operation is TrafficKind.DELETE:
                self.live.pop(key, None)
                continue
            text, version, _ = self.live.get(key, (None, self.versions.get(key, 0), ""))
            version += text != record.text
            self.versions[key] = version
            self.live[key] = str(record.text), version, operation.scope
        if operation.operation in {TrafficKind.WIPE, TrafficKind.DROP_STORE}:
            every = operation.operation is TrafficKind.DROP_STORE
            taken = [k for k, (_, _, scope) in self.live.items() if every or scope == operation.scope]
            for key in taken:
                if key[0] == operation.store:
                    del self.live[key]


KINDS = ("add", "update", "upsert", "delete", "wipe", "drop_store", "search")
ACTS = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.sampled_from(["m1", "m2"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["ada", "bob"]),
        st.sampled_from(["notes", "facts"]),
        st.booleans(),
    ),
    max_size=16,
)


@settings(deadline=None, max_examples=8)
@given(ACTS)
def test_the_ledger_equals_a_replay_of_the_writes(acts: list[tuple[str, str, str, str, str, bool]]) -> None:
    """At every search the memories that are stored, their versions, texts and scopes are those of the replay.

    A write that ended when the search began counts; a failed one does not.
    """
    entries = [
        entry(
            kind, 2 * place + 2, "" if kind in {"wipe", "drop_store", "search"} else memory, text,
            scope=scope, store=store, outcome=Outcome.ERROR if failed and kind != "search" else Outcome.OK,
            began_ns=2 * place + (0 if kind == "search" else 1),
        )
        for place, (kind, memory, text, scope, store, failed) in enumerate(acts)
    ]  # fmt: skip
    with TemporaryDirectory() as folder:
        traffic, replay = recorded(Path(folder) / "t", entries), Replay()
        for operation, records in entries:
            if operation.operation is not TrafficKind.SEARCH:
                if operation.outcome is Outcome.OK:
                    replay.act(operation, records)
                continue
            moment = moment_in_traffic(traffic, f"t/{operation.span}", ["m1", "m2"])
            known = {(each.store, each.memory): each for each in moment.stored}
            stored = {key: each for key, each in known.items() if each.state is StoredState.STORED}
            shown = {key: (each.text, each.version, each.scope) for key, each in stored.items()}
            assert shown == replay.live
            removed = {key for key, each in known.items() if each.state is StoredState.REMOVED}
            assert removed == replay.seen - set(replay.live)


def test_a_version_ends_where_the_update_does(tmp_path: Path) -> None:
    """A search that began before the update ended has the old version; the update is named as what came after."""
    traffic = recorded(
        tmp_path / "t",
        [
            entry("add", 10, "m", "a"),
            entry("update", 20, "m", "b"),
            entry("search", 25, "m", "a", began_ns=19),
            entry("search", 26, "m", "a", began_ns=20),
            entry("search", 9, began_ns=8),
        ],
    )
    during, behind, before = (moment_in_traffic(traffic, f"t/{span}", ["m"]) for span in (25, 26, 9))
    (stored,) = during.stored
    assert (stored.version, stored.text, stored.by, stored.later) == (1, "a", "t/10", "t/20")
    assert "Writes that were under way while it ran: 1." in during.untold
    (stored,) = behind.stored
    assert (stored.version, stored.text, stored.by, stored.later) == (2, "b", "t/20", "")
    assert [hit.version for hit in behind.hits] == [1]
    (stored,) = before.stored
    assert (stored.state, stored.by) == (StoredState.LATER, "t/10")


def test_other_scopes_are_looked_at_for_what_is_expected_alone(tmp_path: Path) -> None:
    """The ledger of a search is that of its scope; what it returned or should have is found wherever it lies."""
    traffic = recorded(
        tmp_path / "t",
        [
            entry("add", 1, "mine", "a"),
            entry("add", 2, "theirs", "b", scope="bob"),
            entry("add", 3, "leaked", "c", scope="bob"),
            entry("search", 9, "leaked", "c"),
        ],
    )
    assert [each.memory for each in moment_in_traffic(traffic, "t/9").stored] == ["mine", "leaked"]
    moment = moment_in_traffic(traffic, "t/9", ["theirs"])
    assert moment.state_of("mine") is moment.stored[0]
    apart = {each.memory for each in moment.stored if moment.apart(each)}
    assert apart == {"theirs", "leaked"}


def test_what_cannot_be_known_is_said(tmp_path: Path) -> None:
    """The beginning of the trace, uncaptured content and an unknown scope each have their sentence."""
    entries = [
        entry("add", 1, captured=False, scope=""),
        entry("add", 2, "m", "a", outcome=Outcome.ERROR, reason="full", scope=""),
        entry("search", 9, scope="", captured=False, query=None),
    ]
    moment = moment_in_traffic(recorded(tmp_path / "t", entries), "t/9")
    said = " ".join(moment.untold)
    for words in (
        "The trace began at 1970-01-01T00:00:00.000Z",
        "Whose memory was searched is not known",
        "What the search returned was not captured",
        "The words of the search were not captured",
        "Writes before it whose content was not captured: 1.",
    ):
        assert words in said
    assert (moment.query, moment.captured, moment.failed) == (None, False, (FailedWrite("t/2", "full", ("m",)),))


def test_what_came_back_without_a_write_is_in_the_ledger(tmp_path: Path) -> None:
    """Nobody saw when it was written, and it is said with the words with which it came back."""
    moment = moment_in_traffic(recorded(tmp_path / "t", [entry("search", 9, "old", "a")]), "t/9")
    assert [(each.memory, each.state, each.text) for each in moment.stored] == [("old", StoredState.UNDATED, "a")]


def test_names_lead_to_searches_and_to_what_was_written(tmp_path: Path) -> None:
    """A span alone names a search where it is the only one; a write is none, and a place must exist."""
    entries = [entry("add", 1, "m", "a"), entry("search", 9, "m", "a"), entry("search", 8, span="")]
    traffic = recorded(tmp_path / "t", entries)
    assert moment_in_traffic(traffic, "9").name == "t/9"
    assert moment_in_traffic(traffic, "operation/1").scope == "ada"
    assert memory_written_as(traffic, "t/1/1") == "m"
    with pytest.raises(ConfigError, match="is no search: add"):
        moment_in_traffic(traffic, "t/1")
    for name in ("t/7", "operation/9"):
        with pytest.raises(UnknownNameError, match="no operation"):
            moment_in_traffic(traffic, name)
    for turn in ("t/1/2", "t/9/1", "t/1", "m"):
        with pytest.raises(UnknownNameError):
            memory_written_as(traffic, turn)


def test_a_change_by_id_is_of_the_scope_of_its_memory(tmp_path: Path) -> None:
    """What wipes a scope takes what was changed there by its id, and what was changed for others is theirs."""
    traffic = recorded(
        tmp_path / "t",
        [
            entry("add", 10, "m1", "a", scope="ada"),
            entry("add", 20, "m2", "b", scope="bob"),
            entry("update", 30, "m1", "c", scope=""),
            entry("update", 40, "m2", "d", scope=""),
            entry("update", 45, "m3", "e", scope=""),
            entry("wipe", 50, scope="ada"),
            entry("search", 60, scope="ada"),
        ],
    )
    moment = moment_in_traffic(traffic, "t/60", ["m1", "m2", "m3"])
    stored = {memory.memory: (memory.state, memory.scope) for memory in moment.stored}
    assert stored == {
        "m1": (StoredState.REMOVED, "ada"), "m2": (StoredState.STORED, "bob"), "m3": (StoredState.STORED, ""),
    }  # fmt: skip
