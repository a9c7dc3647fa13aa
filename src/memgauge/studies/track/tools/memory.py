"""The three tools of a memory: a thin face over any memory system that can be measured."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from memgauge.errors import SystemFault
from memgauge.records import Turn
from memgauge.runs.play.call import Caller
from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import ToolFailed, ToolResult, Toolset, offered
from memgauge.studies.track.tools.schema import integer, mapping, text
from memgauge.systems.looked_at import MemoryLookedAt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from typing import TypeVar

    from memgauge.records import Memory, Scope
    from memgauge.systems.protocol import MemorySystem

    T = TypeVar("T")

_FLUSH_S = 60.0
"""Seconds that a system may take until what was stored can be found."""


class MemoryTools(Toolset):
    """What an agent can do with its memory."""

    platform = Platform.MEMORY

    def __init__(
        self,
        system: MemorySystem,
        scope: Scope,
        now: Callable[[], datetime],
        timeout_s: float = 60,
        caller: Caller | None = None,
    ) -> None:
        """Put tools on *system*; *now* returns the simulated time, *timeout_s* is what one call may take.

        Where a *caller* has opened the system, it calls it.
        """
        self._memory = MemoryLookedAt(system)
        self._scope = scope
        self._now = now
        self._timeout_s = timeout_s
        self._caller = caller or Caller()
        self._stored = 0

    @offered("write", {"content": text()}, {"metadata": mapping("anything that belongs to it")})
    def store_memory(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Store something that you will need later."""
        content = str(arguments["content"]).strip()
        if not content:
            raise ToolFailed("invalid_arguments", "store_memory: the content is empty")
        metadata = arguments.get("metadata")
        if metadata:
            content = f"{content}\n(metadata: {json.dumps(metadata, ensure_ascii=False, sort_keys=True)})"
        self._stored += 1
        name, session = f"m{self._stored:04d}", self._scope.session or "work"
        turn = Turn(name, "agent", content, session, self._now().replace(tzinfo=None), "assistant")
        self._call("ingest", lambda: self._memory.ingest([turn], self._scope))
        self._call("flush", lambda: self._memory.flush(self._scope, _FLUSH_S))
        return ToolResult(f"Stored as {name}.", touched=(f"memory:{name}",))

    @offered("read", {"query": text()}, {"limit": integer(5)})
    def search_memory(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Search your memory."""
        limit = int(arguments.get("limit") or 5)
        ranking = self._call("search", lambda: self._memory.search(arguments["query"], self._scope, limit))
        return _listed([hit.memory for hit in ranking.hits[:limit]], "Nothing was found.")

    @offered("read", optional={"limit": integer(10)})
    def get_memories(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Read what you stored last, newest first."""
        memories = self._call("dump", lambda: tuple(self._memory.dump(self._scope)))
        limit = int(arguments.get("limit") or 10)
        return _listed(tuple(reversed(memories[-limit:])), "Nothing is stored.")

    def _call(self, operation: str, work: Callable[[], T]) -> T:
        try:
            return self._caller.call(operation, work, self._timeout_s).value
        except SystemFault as fault:
            raise ToolFailed("memory_failed", str(fault)) from fault


def _listed(memories: Sequence[Memory], empty_text: str) -> ToolResult:
    lines = [f"[{memory.id}] {memory.text}" for memory in memories]
    return ToolResult("\n".join(lines) or empty_text, touched=tuple(f"memory:{memory.id}" for memory in memories))
