"""The three tools of a memory: a thin face over any memory system that can be measured."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memgauge.errors import SystemFault
from memgauge.foreign import Raised, call_foreign
from memgauge.records import Scope, Turn
from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import ToolFailed, ToolResult, Toolset, offered
from memgauge.studies.track.tools.schema import integer, mapping, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import TypeVar

    from memgauge.records import Memory
    from memgauge.systems.protocol import MemorySystem

    T = TypeVar("T")

FLUSH_S = 60.0
"""Seconds that a system may take until what was stored can be found."""


def at_once(_: str, work: Callable[[], T]) -> T:
    """Call a memory system where it is."""
    return work()


class MemoryTools(Toolset):
    """What an agent can do with its memory."""

    platform = Platform.MEMORY

    def __init__(
        self,
        system: MemorySystem,
        scope: Scope,
        now: Callable[[], datetime],
        *,
        guard: Callable[[str, Callable[[], Any]], Any] = at_once,
    ) -> None:
        """Put tools on *system*.

        Args:
            system: Any memory; *scope* is the instance that is played.
            scope: Whose memory it is.
            now: Returns the simulated time.
            guard: Calls the system, with a name for the call; a place for clocks against it.
        """
        self._system = system
        self._scope = scope
        self._now = now
        self._guard = guard
        self._stored = 0

    def remember(self, content: str, *, speaker: str = "agent", role: str = "assistant") -> str:
        """Store a text as one turn and wait until it can be found; returns the turn's id.

        Raises:
            ToolFailed: The memory does not work.
        """
        self._stored += 1
        turn = Turn(
            f"m{self._stored:04d}",
            speaker,
            content,
            self._scope.session or "work",
            self._now().replace(tzinfo=None),
            role,
        )
        self._call("ingest", lambda: self._system.ingest([turn], self._scope))
        self._call("flush", lambda: self._system.flush(self._scope, FLUSH_S))
        return turn.id

    def recall(self, query: str, limit: int) -> tuple[Memory, ...]:
        """Return what the memory finds, best first.

        Raises:
            ToolFailed: The memory does not work.
        """
        ranking = self._call("search", lambda: self._system.search(query, self._scope, limit))
        return tuple(hit.memory for hit in ranking.hits[:limit])

    @offered("write", {"content": text()}, {"metadata": mapping("anything that belongs to it")})
    def store_memory(self, given: Mapping[str, Any]) -> ToolResult:
        """Store something that you will need later."""
        content = str(given["content"]).strip()
        if not content:
            raise ToolFailed("invalid_arguments", "store_memory: the content is empty")
        metadata = given.get("metadata")
        if metadata:
            content = f"{content}\n(metadata: {json.dumps(metadata, ensure_ascii=False, sort_keys=True)})"
        stored = self.remember(content)
        return ToolResult(f"Stored as {stored}.", touched=(f"memory:{stored}",))

    @offered("read", {"query": text()}, {"limit": integer(5)})
    def search_memory(self, given: Mapping[str, Any]) -> ToolResult:
        """Search your memory."""
        return _listed(self.recall(given["query"], int(given.get("limit") or 5)), "Nothing was found.")

    @offered("read", optional={"limit": integer(10)})
    def get_memories(self, given: Mapping[str, Any]) -> ToolResult:
        """Read what you stored last, newest first."""
        stored = tuple(self._call("dump", lambda: tuple(self._system.dump(self._scope))))
        limit = int(given.get("limit") or 10)
        return _listed(tuple(reversed(stored[-limit:])), "Nothing is stored.")

    def _call(self, what: str, work: Callable[[], T]) -> T:
        result: T | Raised = call_foreign(lambda: self._guard(what, work))
        if not isinstance(result, Raised):
            return result
        fault = str(result.error) if isinstance(result.error, SystemFault) else f"{what} raised {result}"
        raise ToolFailed("memory_failed", fault) from result.error


def _listed(memories: Sequence[Memory], nothing: str) -> ToolResult:
    lines = [f"[{memory.id}] {memory.text}" for memory in memories]
    return ToolResult("\n".join(lines) or nothing, touched=tuple(f"memory:{memory.id}" for memory in memories))
