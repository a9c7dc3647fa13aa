"""Memory arms: what the harness writes and reads by itself, over systems that work and systems that fail."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.records import Hit, Memory, Ranking, Receipt, Scope
from memgauge.studies.track.play.arms import Passive, SilentArm, pieces
from memgauge.studies.track.play.instance import Setup, open_memory, opened
from memgauge.studies.track.timeline.models import Platform
from memgauge.systems.catalogue import open_system
from support.track.play import call, failed, timeline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Turn

SCOPE = Scope("tiny")


class Broken:
    """A memory that raises, or sleeps."""

    name, version = "broken", "1"

    def __init__(self, how: str) -> None:
        self.how = how

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Fail, if that is how."""
        if self.how == "write":
            raise RuntimeError("no space")
        return Receipt()

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Return."""

    def search(self, query: str, scope: Scope, k: int, as_of: Any = None) -> Ranking:
        """Sleep, if that is how; else return something too long."""
        if self.how == "search":
            time.sleep(5)
        if self.how == "nothing":
            return None  # type: ignore[return-value] # what a memory may do, and must not
        return Ranking((Hit(Memory("m", "x" * 9_000)),))


def test_without_a_memory_nothing_is_recalled() -> None:
    """The floor writes nothing, recalls nothing and never fails."""
    arm = SilentArm()
    arm.observe(call(0, "list_tickets"))
    assert (arm.recall("?").text, arm.faults()) == ("", ())


def test_results_are_written_and_found_with_the_events_that_they_revealed() -> None:
    """What comes back names its memories and descends from events, failures teach nothing."""
    arm = Passive(open_system("bm25"), SCOPE)
    assert arm.recall("Who handles the cache?").text == ""
    arm.observe(call(0, "get_ticket", {"ticket_id": "7"}, "title: Cache bug\nlead: dana", events=("e3",)))
    arm.observe(call(1, "get_channel_messages", {"channel": "random"}, "Lunch is at noon.", events=("e5",)))
    arm.observe(failed(2, "fly"))
    found = arm.recall("Who has the lead of the cache bug?")
    assert "get_ticket(ticket_id=7)\ntitle: Cache bug\nlead: dana" in found.text
    assert found.text.startswith("From your memory")
    assert "e3" in found.events
    assert found.memories
    assert arm.faults() == ()


def test_a_memory_that_fails_or_hangs_ends_no_question() -> None:
    """Faults are told once, and what does not fit is not shown."""
    writing = Passive(Broken("write"), SCOPE)  # type: ignore[arg-type] # as much of a memory as is called
    writing.observe(call(0, "list_tickets", text="x"))
    assert writing.recall("?").text == ""
    (fault,) = writing.faults()
    assert "write raised RuntimeError: no space" in fault
    assert writing.faults() == ()
    hanging = Passive(Broken("search"), SCOPE, timeout_s=0.05)  # type: ignore[arg-type] # the same
    hanging.observe(call(0, "list_tickets", text="x"))
    assert hanging.recall("?").text == ""
    assert "did not return" in hanging.faults()[0]


@given(st.text(max_size=60), st.integers(1, 12))
def test_pieces_hold_everything_within_their_size(text: str, size: int) -> None:
    """Nothing is lost but the ends of lines, and no piece is too long."""
    found = list(pieces(text, size))
    assert all(len(piece) <= size for piece in found)
    assert "".join("".join(found).split()) == "".join(text.split())


def test_setting_up_gives_the_tools_of_the_arm() -> None:
    """Memory tools are there for the tools arm alone; off leaves files out."""
    tools = {}
    for mode in ("tools", "passive"):
        with opened(timeline(), Setup("bm25", mode, "off")) as setting:
            tools[mode] = set(setting.router.tools)
            assert isinstance(setting.arm, Passive) == (mode == "passive")
            assert setting.now() == "2025-05-15T14:00:00+00:00"
            assert setting.next_question() == ""
    assert tools["tools"] - tools["passive"] == {"store_memory", "search_memory", "get_memories"}
    assert "run_shell_command" not in tools["tools"]
    with opened(timeline(), Setup(memory="none", mode="passive", sandbox="off")) as setting:
        assert isinstance(setting.arm, SilentArm)


def test_a_memory_keeps_what_an_agent_stores() -> None:
    """Any registered system takes the three tools; its calls are those of a memory."""
    with opened(timeline(), Setup("bm25", "tools", "off")) as setting:
        setting.router.call("store_memory", {"content": "dana leads the cache bug"})
        assert "dana leads" in setting.router.call("search_memory", {"query": "cache bug"}).text
        assert setting.router.tools["search_memory"].platform is Platform.MEMORY


def test_ceilings_and_unknown_names_are_refused() -> None:
    """A memory that has to be told the truth is none here."""
    with pytest.raises(ConfigError, match="has to be told"):
        open_memory("oracle", 0)
    with pytest.raises(UnknownNameError):
        open_memory("bm52", 0)


def test_a_search_that_returns_nothing_is_a_fault() -> None:
    """None in place of a ranking is no empty ranking: what came is said."""
    arm = Passive(Broken("nothing"), SCOPE)  # type: ignore[arg-type]  # it returns what it may not
    arm.observe(call(0, "list_tickets", {}, "Cache bug", events=("e1",)))
    assert arm.recall("?").text == ""
    (fault,) = arm.faults()
    assert "search" in fault
    assert "None" in fault
