"""A server of the contract as a memory system: ``aml:https://HOST,key=VAR``."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memgauge.errors import CallFailed, CallTimeout, ContractBreach
from memgauge.records import Hit, Memory, Ranking, Receipt, ScoreKind
from memgauge.systems.aml.chunks import AddMessage, chunks
from memgauge.systems.aml.client import AmlClient, address_of
from memgauge.systems.aml.contract import TOP_K, Cycle, cycle_of
from memgauge.systems.aml.persisting import persist
from memgauge.systems.aml.replies import echo_problem, listed
from memgauge.systems.protocol import Capabilities, EventTime, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from memgauge import ranges
    from memgauge.records import Scope, Turn
    from memgauge.systems.aml.client import AmlReply

_INTERVENTIONS = (
    "sessions are added as the platform adds them: 20 messages or 2,000 words a request",
    "a speaker that is no role stands before what was said, for the contract has no place for names",
    "no time of asking is told, for the contract has no place for it",
    "nothing is listed, for the contract cannot",
    "a reset is a fresh prefix of user_id: what the server keeps stays there",
)


@dataclass
class AmlSystem:
    """Drives an entrant's server of the Agent Memory Leaderboard as the platform would."""

    client: AmlClient
    cycle: Cycle
    sleep: Callable[[float], None] = time.sleep
    fresh: Callable[[], str] = field(default=lambda: f"memgauge:{secrets.token_hex(6)}")
    """Makes the prefix of every ``user_id`` from one reset to the next."""
    version: str = ""

    def __post_init__(self) -> None:
        self.name = f"aml:{self.client.address.shown.partition('://')[2]}"
        self.version = f"cycle {self.cycle.number}"
        self._prefix = self.fresh()

    def capabilities(self) -> Capabilities:
        """Declare what the contract allows: no change, no deletion, no list."""
        return Capabilities(
            unit=Unit.SESSION,
            event_time=EventTime.STORED,
            score_kind=ScoreKind.NONE,
            k_cap=TOP_K,
            needs=("server",),
            interventions=_INTERVENTIONS,
        )

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add session by session, chunk by chunk; the same turns make the same requests.

        Raises:
            SystemFault: The answer is final, and none that the contract allows.
        """
        user = self._user(scope)
        for session, of_session in groupby(turns, lambda turn: turn.session):
            for chunk in chunks(filter(_is_said, map(_message, of_session))):
                self._add([message.plain() for message in chunk], user, f"{self._prefix}:{session}")
        return Receipt(())  # what a write changed nobody says, and nothing lists it

    def _add(self, messages: list[dict[str, Any]], user: str, session: str) -> None:
        digest = sha256(json.dumps([session, messages]).encode()).hexdigest()[:16]
        sent = {
            "request_id": f"{user}:{digest}",
            "messages": messages,
            "user_id": user,
            "session_id": session,
        }
        reply, tries = persist(lambda: self.client.add(sent), self.cycle.add, self.cycle, self.sleep)
        self._require("Add", reply, tries)
        if problem := echo_problem(reply.value, sent):
            raise ContractBreach(f"Add was answered with {problem}; the platform ends the stage")

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Return at once: an Add that was answered has to be found."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - the contract knows no time of asking
        """Search as the platform does, with at most 100 hits.

        Raises:
            SystemFault: The answer is final, and none that the contract allows.
        """
        if k < 1 or not query.strip():
            return Ranking(())  # the platform asks questions
        top_k = min(k, TOP_K)
        sent = {"query": query, "user_id": self._user(scope), "top_k": top_k}
        reply, tries = persist(lambda: self.client.search(sent), self.cycle.search, self.cycle, self.sleep)
        self._require("Search", reply, tries)
        hits, problem = listed(reply.value)
        if problem:
            raise ContractBreach(f"Search was answered with {problem}; the platform ends the stage")
        if len(hits) > top_k and self.cycle.overflow_fails:
            raise ContractBreach(f"Search returned {len(hits)} hits for top_k {top_k}; the platform takes no more")
        notes = (f"{len(hits) - top_k} hits beyond top_k were not read",) if len(hits) > top_k else ()
        return Ranking(tuple(map(_hit, hits[:top_k])), ScoreKind.NONE, notes)

    def _require(self, operation: str, reply: AmlReply, tries: int) -> None:
        if reply.status == 200:
            return
        after = f" after {tries} attempts" if tries > 1 else ""
        if reply.late:
            raise CallTimeout(f"{operation}: {reply.failure}{after}")
        raise CallFailed(f"{operation}: {self.client.keys.error(reply.shown)}{after}; the platform ends the run")

    def dump(self, scope: Scope) -> Iterable[Memory]:  # noqa: ARG002 - as the protocol has it
        """List nothing: the contract cannot, so what was never stored is not told from what was not found."""
        return ()

    def reset(self) -> None:
        """Go on under names that were never used; nothing is deleted, for the contract cannot."""
        self._prefix = self.fresh()

    def close(self) -> None:
        """Hang up."""
        self.client.close()

    def _user(self, scope: Scope) -> str:
        """Spell a scope; unlike scopes have unlike names."""
        parts = ("*" if part is None else quote(part, safe="") for part in _parts(scope))
        return ":".join((self._prefix, *parts))


def _parts(scope: Scope) -> tuple[str | None, ...]:
    others = (scope.tenant, scope.agent, scope.session)
    return (scope.user,) if others == ("default", None, None) else (scope.user, *others)


def _message(turn: Turn) -> AddMessage:
    named = turn.speaker and turn.speaker.casefold() != turn.role.casefold()
    return AddMessage(turn.role, f"{turn.speaker}: {turn.text}" if named else turn.text, turn.at)


def _is_said(message: AddMessage) -> bool:
    return bool(message.content)  # the contract refuses what is empty


def _hit(row: dict[str, Any]) -> Hit:
    score = row.get("score")
    good = isinstance(score, int | float) and not isinstance(score, bool) and isfinite(score)
    return Hit(Memory(row["id"], row["content"]), float(score) if good and score is not None else None)


def aml(
    *,
    variant: str,
    key: str = "",
    add: str = "/v1/add",
    search: str = "/v1/search",
    health: str = "/health",
    auth: str = "bearer",
    cycle: int = 2,
    timeout: ranges.Pause = 0.0,
) -> AmlSystem:
    """Drive an entrant's server of the Agent Memory Leaderboard.

    Args:
        variant: Its address, as it follows ``aml:`` in a reference.
        key: The name of an environment variable that holds the key.
        add: The path of Add, after the address.
        search: The path of Search.
        health: The path that says whether it is well, on the address's origin.
        auth: How the key is shown: ``token``, ``bearer`` or ``x-api-key``.
        cycle: Whose rules are followed: 1 or 2.
        timeout: Seconds for one call; else what the platform waits, 1,200 or 1,800.

    Raises:
        UserError: The address, the key or a parameter cannot be used.
    """
    rules = cycle_of(cycle)
    address = address_of(variant, key=key, add=add, search=search, health=health, auth=auth)
    return AmlSystem(AmlClient(address, timeout or rules.timeout_s), rules)
