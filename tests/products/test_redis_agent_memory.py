"""Redis agent memory server against recorded shapes, played by a server on this machine."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import CallTimeout, ConfigError
from memgauge.products.redis_agent_memory.adapter import LABEL, RedisAgentMemory
from memgauge.records import Operation, Verdict
from memgauge.systems.conformance import check
from memgauge.systems.protocol import supported
from support.products import ALICE, BOB, told, turn
from support.services import RedisMemoryDouble, served

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def double() -> Iterator[RedisMemoryDouble]:
    """Play the server's API on this machine."""
    made = RedisMemoryDouble()
    with served(made, "REDIS_AGENT_MEMORY_URL", "REDIS_AGENT_MEMORY_TOKEN"):
        yield made


@pytest.fixture
def memory(double: RedisMemoryDouble) -> Iterator[RedisAgentMemory]:
    """Open an empty store."""
    with closing(RedisAgentMemory(poll=0)) as system:
        yield system


def test_the_protocol_is_kept_in_the_recorded_shapes(double: RedisMemoryDouble) -> None:
    """Every probe that applies passes, also where records come late, and no record is left behind."""
    double.lag = 2
    checks = check(lambda: RedisAgentMemory(poll=0)).checks
    assert [probe for probe in checks if probe.verdict not in {Verdict.PASS, Verdict.UNSUPPORTED}] == []
    assert double.records == {}


def test_what_was_never_run_says_so(memory: RedisAgentMemory) -> None:
    """The label comes first, then who was asked."""
    declared = memory.capabilities()
    assert declared.interventions[:2] == (LABEL, "asked at 127.0.0.1")
    assert "never run" in LABEL
    assert supported(memory) == ("mutable", "erasable")


def test_a_scope_is_a_user_and_no_namespace(memory: RedisAgentMemory, double: RedisMemoryDouble) -> None:
    """A search names the user alone: with a namespace the server would look elsewhere where it finds nothing."""
    told(memory, "I keep bees.", "I play chess.")
    (hit,) = memory.search("Who keeps bees?", ALICE, 5).hits
    assert (hit.memory.text, hit.memory.sources, hit.score) == ("I keep bees.", ("t0",), None)
    assert hit.memory.event_at == datetime(2023, 5, 8, 10)  # noqa: DTZ001 - turns are naive
    assert not memory.search("bees", BOB, 5).hits
    asked = [body for _, path, body in double.asked if path.endswith("/search")]
    assert {tuple(sorted(body)) for body in asked} == {("limit", "offset", "text", "user_id")}


def test_a_flush_waits_until_a_record_is_there(memory: RedisAgentMemory, double: RedisMemoryDouble) -> None:
    """The server indexes after it has answered; a flush that takes too long fails."""
    double.lag = 3
    memory.ingest([turn("t0", "I keep bees.")], ALICE)
    assert not list(memory.dump(ALICE))
    with closing(RedisAgentMemory(poll=1)) as slow:
        slow.ingest([turn("t0", "I keep bees.")], ALICE)
        with pytest.raises(CallTimeout, match="does not show 1 records after 0 s"):
            slow.flush(ALICE, 0)
        slow.flush(ALICE, 60)
    memory.flush(ALICE, 10)
    assert [stored.text for stored in memory.dump(ALICE)] == ["I keep bees."]


def test_records_are_changed_and_removed_by_their_owner_alone(memory: RedisAgentMemory) -> None:
    """Ids are global in the server: those of another scope are left alone."""
    told(memory, "I sing.", "I dance.")
    first, second = (stored.id for stored in memory.dump(ALICE))
    told_of = [memory.update(first, "I hum.", scope).changes or () for scope in (BOB, ALICE)]
    assert [change.op for changes in told_of for change in changes] == [Operation.NOOP, Operation.UPDATE]
    assert memory.delete([second], BOB) == 0
    assert memory.delete([second, "absent"], ALICE) == 1
    assert [stored.text for stored in memory.dump(ALICE)] == ["I hum."]


def test_many_records_are_listed_by_pages_and_erased(memory: RedisAgentMemory, double: RedisMemoryDouble) -> None:
    """A hundred at a time; an empty text is not sent, since the server refuses it."""
    receipt = memory.ingest([turn(f"t{n}", f"number {n}" if n else "") for n in range(121)], ALICE)
    assert receipt.changes is not None
    assert len(receipt.changes) == 120
    assert len(list(memory.dump(ALICE))) == 120
    memory.erase(ALICE)
    assert double.records == {}


def test_without_an_address_it_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a service, and nothing of it is installed."""
    monkeypatch.delenv("REDIS_AGENT_MEMORY_URL", raising=False)
    with pytest.raises(ConfigError, match="REDIS_AGENT_MEMORY_URL is not set"):
        RedisAgentMemory()
