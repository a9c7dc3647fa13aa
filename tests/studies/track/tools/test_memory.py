"""The tools of a memory, over real memory systems."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.records import Scope
from memgauge.studies.track.tools.memory import MemoryTools
from memgauge.studies.track.tools.router import ToolFailed, ToolRouter
from memgauge.studies.track.tools.table import router
from memgauge.studies.track.world.state import World
from memgauge.systems.catalogue import open_system
from support.timeline import lamp

if TYPE_CHECKING:
    from memgauge.systems.protocol import MemorySystem


def memory(system: MemorySystem | None = None, **options: Any) -> MemoryTools:
    """Put tools on a memory."""
    return MemoryTools(
        system or open_system("bm25:as_heard=false"),
        Scope("lamp"),
        lambda: datetime(2025, 3, 1, tzinfo=UTC),
        **options,
    )


@pytest.fixture
def tools() -> ToolRouter:
    """Make the whole table with a memory."""
    return router(World(lamp()), memory=memory())


def test_what_is_stored_is_found(tools: ToolRouter) -> None:
    """Best first, with the ids of the memories; metadata is kept with the text."""
    tools.call("store_memory", {"content": "The buffer is in buffer.c."})
    tools.call("store_memory", {"content": "Omar leads.", "metadata": {"ticket": 1, "a": "b"}})
    found = tools.call("search_memory", {"query": "who leads", "limit": 1})
    assert "Omar leads." in found.text
    assert '(metadata: {"a": "b", "ticket": 1})' in found.text
    assert len(found.touched) == 1
    assert found.events == ()


def test_the_last_memories_come_first(tools: ToolRouter) -> None:
    """Newest first, up to a limit."""
    for n in range(3):
        tools.call("store_memory", {"content": f"note number {n}", "metadata": None})
    lines = tools.call("get_memories", {"limit": 2}).text.splitlines()
    assert [line.partition("] ")[2] for line in lines] == ["note number 2", "note number 1"]


def test_an_empty_memory_says_so(tools: ToolRouter) -> None:
    """Nothing found and nothing stored are results; nothing to store is a failed call."""
    assert tools.call("search_memory", {"query": "x"}).text == "Nothing was found."
    assert tools.call("get_memories", {}).text == "Nothing is stored."
    with pytest.raises(ToolFailed, match="the content is empty"):
        tools.call("store_memory", {"content": " "})


def test_a_memory_that_breaks_is_a_failed_call() -> None:
    """Whatever a foreign system raises, or when it never returns, the agent goes on."""
    for work, reason in ((lambda: time.sleep(5), "did not return within 0.1 s"), ({}.popitem, "raised KeyError")):
        system = open_system("bm25")
        system.search = lambda *_args, work=work: work()  # type: ignore[method-assign]
        with pytest.raises(ToolFailed, match=reason) as caught:
            memory(system, timeout_s=0.1).search_memory({"query": "x"})
        assert caught.value.code == "memory_failed"


@pytest.mark.parametrize(
    ("method", "returned", "tool", "said"),
    [
        ("search", None, "search_memory", "search returned None"),
        ("search", [1], "search_memory", "search returned a list"),
        ("dump", [None], "get_memories", "dump returned None"),
        ("ingest", "stored", "store_memory", "ingest returned a str"),
    ],
)
def test_a_return_against_the_protocol_is_a_failed_call(
    method: str, returned: object, tool: str, said: str
) -> None:
    """It is named, as in runs and studies, and is no error of ours."""
    system = open_system("bm25")
    setattr(system, method, lambda *_args, **_named: returned)
    arguments = {"store_memory": {"content": "x"}, "search_memory": {"query": "x"}}.get(tool, {})
    with pytest.raises(ToolFailed, match=said):
        getattr(memory(system), tool)(arguments)


def test_what_is_stored_is_a_turn_of_simulated_time(tools: ToolRouter) -> None:
    """Under ids that count up."""
    stored = [tools.call("store_memory", {"content": text}).touched for text in ("a", "b")]
    assert stored == [("memory:m0001",), ("memory:m0002",)]
