"""EverOS (1.5, API v2) in the shapes of its sources: episodes that its model writes of turns.

A scope is a project and a user, a turn a session of one message: an episode names its session, and so its turn.
What is written reaches the index later, and the server says how much has not. No call changes or deletes a memory.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from memgauge.errors import ConfigError
from memgauge.records import Form, Hit, Memory, Ranking, Receipt, ScoreKind
from memgauge.systems.adapters.product_store import hashed
from memgauge.systems.adapters.services import Service, ServiceNames, moment_of, pause
from memgauge.systems.protocol import Capabilities, Consistency, EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge import ranges
    from memgauge.records import Scope, Turn

LABEL = "against recorded shapes: written from the sources of the server, never run against one"
NAMES = ServiceNames("EverOS", "EVEROS_URL", "EVEROS_API_KEY")
METHODS = ("keyword", "vector", "hybrid")
PAGE = MOST = 100
"""What the API takes: memories of a page, and results of a search."""
BEGINNING = datetime(1970, 1, 2)  # noqa: DTZ001 - turns are naive
"""When a turn was said of which nobody knows; the API wants a moment."""


class EverOS:
    """Lets EverOS read turns, and returns its episodes."""

    name = "everos"
    version = "1.5.1"

    def __init__(self, *, method: str = "keyword", poll: ranges.Pause = 0.5) -> None:
        """Open an empty store at ``EVEROS_URL``.

        Args:
            method: How it searches: ``keyword`` wants nothing, ``vector`` and ``hybrid`` a model of vectors there.
            poll: Seconds between two questions whether something is done.

        Raises:
            ConfigError: There is no such method, or no address is named.
        """
        if method not in METHODS:
            raise ConfigError(f"{self.name} has no method {method!r}.", f"Take one of {', '.join(METHODS)}.")
        self._method, self._poll = method, poll
        self._service = Service(NAMES)
        self._turns: dict[str, str] = {}
        """Turns by the sessions that they are."""
        self.reset()

    def capabilities(self) -> Capabilities:
        """Declare what the sources promise, and what the adapter adds."""
        return Capabilities(
            consistency=Consistency.FLUSH,
            event_time=EventTime.STORED,
            score_kind=ScoreKind.FUSED,
            declares_sources=True,
            k_cap=MOST,
            needs=("network",),
            interventions=(
                LABEL,
                f"asked at {self._service.host}, by {self._method}",
                "a project and a user a scope, a session a turn, which is flushed at once; every role is the user",
                "nothing is deleted: a reset takes names that are new to the server",
            ),
        )

    def offers(self) -> tuple[str, ...]:
        """Name what the API allows beyond writing and searching."""
        return ()

    def _place(self, scope: Scope) -> dict[str, str]:
        return {"app_id": self._store, "project_id": hashed(scope)}

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add each turn as a session, and let it be read."""
        for turn in turns:
            session = f"t{sha256(turn.id.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
            self._turns[session] = turn.id
            named = {"session_id": session, **self._place(scope)}
            self._service.request("POST", "api/v2/memory/add", {**named, "messages": [_message(turn, scope)]})
            self._service.request("POST", "api/v2/memory/flush", named)
        return Receipt(None)

    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: ARG002 - the server counts for all of them
        """Wait until nothing waits to be read or indexed.

        Raises:
            CallTimeout: Something still does after *timeout_s*.
        """
        until = time.monotonic() + timeout_s
        while left := self._waiting():
            pause(self._poll, until, f"EverOS has {left} writes left after {timeout_s:g} s")

    def _waiting(self) -> int:
        health = self._service.request("GET", "health")
        return sum(int((health.get(part) or {}).get("pending", 0)) for part in ("cascade", "memorize_queue"))

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - no search takes one
        """Search episodes by EverOS's own ranking."""
        if k < 1 or not query:
            return Ranking((), ScoreKind.FUSED)
        asked = {"user_id": hashed(scope), **self._place(scope), "query": query, "method": self._method}
        answer = self._service.request("POST", "api/v2/memory/search", {**asked, "top_k": min(k, MOST)})
        hits = [Hit(self._memory(each), float(each["score"])) for each in answer["data"]["episodes"]]
        return Ranking(tuple(hits[:k]), ScoreKind.FUSED)

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List every episode of a scope, oldest first."""
        asked = {"user_id": hashed(scope), **self._place(scope), "memory_type": "episode", "sort_order": "asc"}
        page, seen, total = 1, 0, 1
        while seen < total:
            data = self._service.request("POST", "api/v2/memory/get", {**asked, "page": page, "page_size": PAGE})[
                "data"
            ]
            if not data["episodes"]:
                return
            yield from map(self._memory, data["episodes"])
            page, seen, total = page + 1, seen + len(data["episodes"]), int(data["total_count"])

    def _memory(self, episode: dict[str, Any]) -> Memory:
        """Show an episode; one that was merged of others names no session."""
        turn = self._turns.get(str(episode.get("session_id")))
        sources = () if turn is None else (turn,)
        at = moment_of(str(episode["timestamp"]), NAMES.called)
        return Memory(str(episode["id"]), str(episode["episode"]), Form.UNKNOWN, sources, event_at=at)

    def reset(self) -> None:
        """Take a name that is new to the server: nothing of the old one can be deleted."""
        self._store = f"memgauge-{uuid4().hex[:12]}"
        self._turns.clear()

    def close(self) -> None:
        """Hang up."""
        self._service.close()


def _message(turn: Turn, scope: Scope) -> dict[str, Any]:
    at = (turn.at or BEGINNING).replace(tzinfo=UTC)
    message = {"sender_id": hashed(scope), "sender_name": turn.speaker, "role": "user", "content": turn.text}
    return message | {"timestamp": int(at.timestamp() * 1000)}
