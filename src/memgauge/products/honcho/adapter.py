"""Honcho (API v3) by its description: messages as they were said, or conclusions that its reasoning draws of them.

A scope is a workspace, a session a session, a speaker a peer. Messages carry the turn's id in their metadata;
conclusions name no message, so that where they come from is not known. Honcho returns no scores, changes no
message and deletes none: only a whole workspace goes.
"""

from __future__ import annotations

import re
import time
from hashlib import sha256
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from memgauge.errors import ConfigError, ContractBreach
from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.adapters.product_store import hashed
from memgauge.systems.adapters.services import (
    CONFLICT,
    REQUEST_S,
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

LABEL = "against recorded shapes: written from the description of the API, never run against a server"
NAMES = ServiceNames("Honcho", "HONCHO_URL", "HONCHO_API_KEY")
LANES = ("raw", "extract")
TURN, ROLE = "turn", "role"
BATCH, LONGEST, MOST = 100, 25_000, 100
"""What the API takes: messages of a request, letters of one, and results of a search."""
_FIT = re.compile(r"[a-zA-Z0-9_-]{1,100}")


class Honcho:
    """Keeps turns as messages of Honcho's peers; in the lane ``extract`` returns what is concluded of them."""

    name = "honcho"
    version = "api-v3"

    def __init__(self, *, lane: str = "raw", poll: ranges.Pause = 0.5) -> None:
        """Open an empty store at ``HONCHO_URL``.

        Args:
            lane: ``raw`` returns messages, with reasoning off; ``extract`` conclusions, which a model draws.
            poll: Seconds between two questions whether something is done.

        Raises:
            ConfigError: There is no such lane, or no address is named.
        """
        if lane not in LANES:
            raise ConfigError(f"{self.name} has no lane {lane!r}.", f"Take {' or '.join(LANES)}.")
        self._draws, self._poll = lane == "extract", poll
        self._service = Service(NAMES)
        self._store = f"memgauge-{uuid4().hex[:12]}"
        self._made: dict[Scope, set[tuple[str, str]]] = {}
        """Of every workspace, which peers its sessions have."""

    def capabilities(self) -> Capabilities:
        """Declare what the description promises, and what the adapter adds."""
        return Capabilities(
            consistency=Consistency.FLUSH,
            event_time=EventTime.NONE if self._draws else EventTime.STORED,
            score_kind=ScoreKind.NONE,
            reports_changes=not self._draws,
            declares_sources=not self._draws,
            k_cap=MOST,
            needs=("network",),
            interventions=(
                LABEL,
                f"asked at {self._service.host}",
                "a workspace a scope, a peer a speaker; ids of turns travel as metadata of messages",
                f"messages are cut after {LONGEST} letters",
                "conclusions of several peers are taken in turn" if self._draws else "reasoning off",
            ),
        )

    def offers(self) -> tuple[str, ...]:
        """Name what the API allows."""
        return ("erasable",)

    def _workspace(self, scope: Scope) -> str:
        return f"workspaces/{self._store}-{hashed(scope)}"

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add turns as messages, a session's in batches."""
        if turns and scope not in self._made:
            named = {
                "id": f"{self._store}-{hashed(scope)}",
                "configuration": {"reasoning": {"enabled": self._draws}},
            }
            self._service.request("POST", "v3/workspaces", named)
            self._made[scope] = set()
        sessions = groupby(turns, lambda turn: _named(turn.session))
        names = [name for session, own in sessions for name in self._added(session, [*own], scope)]
        return Receipt(None if self._draws else tuple(Change(Operation.ADD, name) for name in names))

    def _added(self, session: str, turns: list[Turn], scope: Scope) -> Iterator[str]:
        """Add turns of one session, and yield the ids of their messages."""
        path, known = f"v3/{self._workspace(scope)}/sessions", self._made[scope]
        peers = {(session, _named(turn.speaker)) for turn in turns}
        if not peers <= known:
            joined: dict[str, Any] = {peer: {} for _, peer in sorted(peers)}
            self._service.request("POST", path, {"id": session, "peers": joined})
            known |= peers
        for start in range(0, len(turns), BATCH):
            messages = [_message(turn) for turn in turns[start : start + BATCH]]
            added = self._service.request("POST", f"{path}/{in_path(session)}/messages", {"messages": messages})
            if len(added) != len(messages):
                raise ContractBreach(f"Honcho added {len(added)} of {len(messages)} messages")
            yield from (str(message["id"]) for message in added)

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Wait until nothing of the scope waits to be reasoned about.

        Raises:
            CallTimeout: Something still does after *timeout_s*.
        """
        until = time.monotonic() + timeout_s
        while self._draws and scope in self._made:
            status = self._service.request("GET", f"v3/{self._workspace(scope)}/queue/status")
            left = int(status["pending_work_units"]) + int(status["in_progress_work_units"])
            if not left:
                return
            pause(self._poll, until, f"Honcho has {left} units of work left after {timeout_s:g} s")

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - no search takes one
        """Search messages or conclusions by Honcho's own ranking, which comes without scores."""
        memories = self._searched(query, scope, min(k, MOST)) if k > 0 and scope in self._made else []
        return Ranking(tuple(Hit(memory, None) for memory in memories[:k]), ScoreKind.NONE)

    def _searched(self, query: str, scope: Scope, k: int) -> list[Memory]:
        path = f"v3/{self._workspace(scope)}"
        if not self._draws:
            return [
                _said(each)
                for each in self._service.request("POST", f"{path}/search", {"query": query, "limit": k})
            ]
        peers = sorted({peer for _, peer in self._made[scope]})
        asked = [
            {"query": query, "top_k": k, "filters": {"observer_id": peer, "observed_id": peer}} for peer in peers
        ]
        ranked = [self._service.request("POST", f"{path}/conclusions/query", body) for body in asked]
        return [_concluded(each) for place in zip_longest(*ranked) for each in place if each is not None]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List every message of a scope, or every conclusion."""
        if scope not in self._made:
            return iter(())
        if self._draws:
            listed = self._service.pages(f"v3/{self._workspace(scope)}/conclusions/list", BATCH)
            return iter([_concluded(each) for each in listed])
        paths = [f"{path}/messages/list" for path in self._sessions(scope)]
        return iter([_said(each) for path in paths for each in self._service.pages(path, BATCH)])

    def _sessions(self, scope: Scope) -> list[str]:
        path = f"v3/{self._workspace(scope)}/sessions"
        return [f"{path}/{in_path(str(each['id']))}" for each in self._service.pages(f"{path}/list", BATCH)]

    def erase(self, scope: Scope) -> None:
        """Delete the sessions of a scope, then its workspace, which goes when they have gone in the background.

        Raises:
            CallTimeout: They are still there after two minutes.
        """
        if scope not in self._made:
            return
        until, late = time.monotonic() + REQUEST_S, f"Honcho has not deleted a workspace after {REQUEST_S:g} s"
        for path in self._sessions(scope):
            self._service.request("DELETE", path)
        while self._is_in_use(scope):
            pause(self._poll, until, late)
        del self._made[scope]

    def _is_in_use(self, scope: Scope) -> bool:
        """Ask for a workspace to be deleted; Honcho refuses that while it has sessions."""
        try:
            self._service.request("DELETE", f"v3/{self._workspace(scope)}")
        except ServiceRefused as refused:
            if refused.status != CONFLICT:
                raise
            return True
        return False

    def reset(self) -> None:
        """Erase every scope of this store."""
        for scope in list(self._made):
            self.erase(scope)

    def close(self) -> None:
        """Erase what was stored, and hang up."""
        self.reset()
        self._service.close()


def _named(text: str) -> str:
    """Write a name as Honcho takes it: letters, digits, lines; others get one that is made of theirs."""
    return text if _FIT.fullmatch(text) else f"n{sha256(text.encode('utf-8', 'replace')).hexdigest()[:24]}"


def _message(turn: Turn) -> dict[str, Any]:
    message = {
        "content": turn.text[:LONGEST],
        "peer_id": _named(turn.speaker),
        "metadata": {TURN: turn.id, ROLE: turn.role},
    }
    return message | ({"created_at": f"{turn.at.isoformat()}Z"} if turn.at else {})


def _said(given: dict[str, Any]) -> Memory:
    metadata = given.get("metadata") or {}
    sources = (str(metadata[TURN]),) if TURN in metadata else ()
    at, channel = moment_of(given["created_at"], NAMES.called), str(metadata.get(ROLE, ""))
    return Memory(str(given["id"]), str(given["content"]), Form.UNKNOWN, sources, event_at=at, channel=channel)


def _concluded(given: dict[str, Any]) -> Memory:
    at = moment_of(given["created_at"], NAMES.called)
    channel = f"conclusion: {given.get('level', 'explicit')}"
    return Memory(str(given["id"]), str(given["content"]), Form.UNKNOWN, stored_at=at, channel=channel)
