"""Redis agent memory server (API v1) by its sources: a turn is a long-term memory, as it was said.

A scope is a user. It is not a namespace, because a search that finds nothing in its namespace is repeated without
it, and returns what others stored. Records are indexed after the answer, so that a flush asks for each. What the
server makes of conversations (working memory, extraction) asks a model, and is not driven.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.adapters.product_store import hashed
from memgauge.systems.adapters.services import (
    ABSENT,
    Service,
    ServiceNames,
    ServiceRefused,
    in_path,
    moment_of,
    pause,
)
from memgauge.systems.protocol import Capabilities, Consistency, EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memgauge import ranges
    from memgauge.records import Scope, Turn

LABEL = "against recorded shapes: written from the server's sources, never run against a server"
NAMES = ServiceNames("Redis agent memory server", "REDIS_AGENT_MEMORY_URL", "REDIS_AGENT_MEMORY_TOKEN")
TURN, ROLE = "turn", "role"
RECORDS = "v1/long-term-memory"
BATCH, MOST = 50, 100
"""How many records are written or removed at a time, and the most results of a search."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A record that the server has been given and may not show yet."""

    scope: Scope
    name: str


class RedisAgentMemory:
    """Keeps turns as long-term memories of a user."""

    name = "redis-agent-memory"
    version = "api-v1"

    def __init__(self, *, poll: ranges.Pause = 0.2) -> None:
        """Open an empty store at ``REDIS_AGENT_MEMORY_URL``.

        Args:
            poll: Seconds between two questions whether a record is there.

        Raises:
            ConfigError: No address is named.
        """
        self._poll = poll
        self._service = Service(NAMES)
        self._store = f"memgauge-{uuid4().hex[:12]}"
        self._scopes: set[Scope] = set()
        self._pending: list[_Written] = []

    def capabilities(self) -> Capabilities:
        """Declare what its sources promise, and what the adapter adds."""
        return Capabilities(
            consistency=Consistency.FLUSH,
            event_time=EventTime.STORED,
            score_kind=ScoreKind.NONE,
            reports_changes=True,
            declares_sources=True,
            k_cap=MOST,
            needs=("network",),
            interventions=(
                LABEL,
                f"asked at {self._service.host}",
                "a user a scope: without its namespace a search would reach others",
                "ids of records are made from scopes and turns; a record of a known id takes its place",
                "texts that are alike are all kept (deduplicate off)",
                "an empty text is not sent: the server refuses it",
                "no scores: what it returns is ordered by the age of a memory too",
            ),
        )

    def offers(self) -> tuple[str, ...]:
        """Name what the API allows."""
        return ("mutable", "erasable")

    def _user(self, scope: Scope) -> str:
        return f"{self._store}-{hashed(scope)}"

    def _record_id(self, turn: str, scope: Scope) -> str:
        return f"{self._user(scope)}-{sha256(turn.encode('utf-8', 'replace')).hexdigest()[:24]}"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Write every turn that holds something as a record."""
        records = [self._record(turn, scope) for turn in turns if turn.text]
        for start in range(0, len(records), BATCH):
            part = {"memories": records[start : start + BATCH], "deduplicate": False}
            self._service.request("POST", f"{RECORDS}/", part)
        self._scopes.add(scope)
        self._pending += [_Written(scope, record["id"]) for record in records]
        return Receipt(tuple(Change(Operation.ADD, record["id"]) for record in records))

    def _record(self, turn: Turn, scope: Scope) -> dict[str, Any]:
        record = {
            "id": self._record_id(turn.id, scope),
            "text": turn.text,
            "user_id": self._user(scope),
            "session_id": turn.session,
            "memory_type": "episodic" if turn.at else "semantic",
            "metadata": {TURN: turn.id, ROLE: turn.role},
        }
        return record | ({"event_date": f"{turn.at.isoformat()}Z"} if turn.at else {})

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Wait until every record of the scope is there.

        Raises:
            CallTimeout: One is not in time.
        """
        until = time.monotonic() + timeout_s
        waiting = [written for written in self._pending if written.scope == scope]
        while waiting:
            if self._record_of(waiting[0].name) is not None:
                self._pending.remove(waiting.pop(0))
                continue
            late = f"Redis agent memory server does not show {len(waiting)} records after {timeout_s:g} s"
            pause(self._poll, until, late)

    def _record_of(self, name: str) -> dict[str, Any] | None:
        try:
            record: dict[str, Any] = self._service.request("GET", f"{RECORDS}/{in_path(name)}")
        except ServiceRefused as refused:
            if refused.status == ABSENT:
                return None
            raise
        return record

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - no search takes one
        """Search by meaning, as the server does unless it is told otherwise."""
        answer = self._asked(scope, min(k, MOST), query) if k > 0 and query.strip() else {"memories": []}
        return Ranking(tuple(Hit(_memory(each), None) for each in answer["memories"][:k]), ScoreKind.NONE)

    def _asked(self, scope: Scope, limit: int, text: str = "", offset: int = 0) -> dict[str, Any]:
        """Search among the records of a user; without a text they are listed."""
        body = {"text": text, "user_id": {"eq": self._user(scope)}, "limit": limit, "offset": offset}
        answer: dict[str, Any] = self._service.request("POST", f"{RECORDS}/search", body)
        return answer

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List every record of a user, page by page."""
        return iter(self._listed(scope))

    def _listed(self, scope: Scope) -> list[Memory]:
        memories: dict[str, Memory] = {}
        offset: int | None = 0
        while offset is not None:
            page = self._asked(scope, MOST, offset=offset)
            memories |= {str(each["id"]): _memory(each) for each in page["memories"]}
            offset = page.get("next_offset") if page["memories"] else None
        return list(memories.values())

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Change the text of a record; an unknown id changes nothing."""
        if not self._owns(memory, scope):
            return Receipt((Change(Operation.NOOP, memory),))
        self._service.request("PATCH", f"{RECORDS}/{in_path(memory)}", {"text": text})
        return Receipt((Change(Operation.UPDATE, memory),))

    def _owns(self, memory: str, scope: Scope) -> bool:
        record = self._record_of(memory)
        return record is not None and record.get("user_id") == self._user(scope)

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove records by id, and count those that were there."""
        gone = [name for name in dict.fromkeys(memories) if self._owns(name, scope)]
        for start in range(0, len(gone), BATCH):
            self._service.request("DELETE", RECORDS, memory_ids=gone[start : start + BATCH])
        self._pending = [written for written in self._pending if written.name not in gone]
        return len(gone)

    def erase(self, scope: Scope) -> None:
        """Remove every record of a user: the API has no call for all."""
        while listed := [memory.id for memory in self._listed(scope)]:
            self.delete(listed, scope)
        self._pending = [written for written in self._pending if written.scope != scope]
        self._scopes.discard(scope)

    def reset(self) -> None:
        """Erase every scope of this store."""
        for scope in list(self._scopes):
            self.flush(scope, 60)  # what is written later than it is removed would stay
            self.erase(scope)

    def close(self) -> None:
        """Erase what was stored, and hang up."""
        self.reset()
        self._service.close()


def _memory(record: dict[str, Any]) -> Memory:
    metadata = record.get("metadata") or {}
    sources = (str(metadata[TURN]),) if TURN in metadata else ()
    date, channel = record.get("event_date"), str(metadata.get(ROLE, ""))
    at = moment_of(date, NAMES.called) if date else None
    return Memory(str(record["id"]), str(record["text"]), Form.UNKNOWN, sources, event_at=at, channel=channel)
