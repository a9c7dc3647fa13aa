"""Zep's cloud, by its HTTP API: turns are messages, and a model of Zep's draws facts from them in its own time.

Nobody here could reach the cloud. The adapter follows the API's description (v4), and is tested against a server
that plays those shapes; every report says so. An edge names the episodes that it rests on, and a message is an
episode, so that lineage is Zep's own.
"""

from __future__ import annotations

import time
from itertools import groupby
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError, ContractBreach, SystemFault
from memgauge.products.zep.accounts import Accounts
from memgauge.products.zep.api import REQUEST_S, URL, ZepApi
from memgauge.products.zep.shapes import (
    EDGES,
    EPISODES,
    NODES,
    TURN,
    again,
    memory_of,
    message_of,
    uuid_of,
)
from memgauge.records import Change, Hit, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.adapters.product_store import best_first
from memgauge.systems.adapters.services import pause
from memgauge.systems.protocol import Capabilities, Consistency, EventTime

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from memgauge import ranges
    from memgauge.products.zep.accounts import Account
    from memgauge.records import Memory, Scope, Turn

VERSION = "api-v4"
LABEL = "against recorded shapes, never run against the cloud: written from the description of the API"
KINDS = (EPISODES, EDGES, NODES)
MOST = 50
"""The most items that one search of one kind returns."""
QUERY = 400
"""Characters of a query that the API took before v4; its description of v4 names no other limit."""
MESSAGES = 30
"""Messages that one call may add."""
CONTEXT = 50_000
"""Characters of a context that the API gives at most."""


class Zep:
    """Keeps turns as messages of a user of Zep, and searches what Zep makes of them."""

    name = "zep"
    version = VERSION

    def __init__(
        self,
        *,
        find: str = "edges+episodes",
        store: str = "",
        longest: ranges.Count = 2500,
        poll: ranges.Pause = 1.0,
    ) -> None:
        """Take the address and the key from the environment, and see that they are good.

        Args:
            find: What searches return: ``edges``, ``episodes``, ``nodes``, joined by ``+``.
            store: A name under which what is stored is kept; without one it is deleted at the end.
            longest: Characters of a message; a paid plan allows more than a free one.
            poll: Seconds between two questions whether something is done.

        Raises:
            ConfigError: There is no key, it is refused, nobody answers, or a parameter does not fit.
        """
        self._kinds = tuple(dict.fromkeys(find.split("+")))
        unknown = [kind for kind in self._kinds if kind not in KINDS]
        if unknown:
            raise ConfigError(f"zep cannot find {unknown[0]!r}.", f"There are: {', '.join(KINDS)}.")
        self._longest, self._poll = longest, poll
        self._api = ZepApi.from_environment()
        self._knock()
        self._accounts = Accounts(self._api, store)
        self._turns: dict[str, str] = {}
        """The turn of every episode that is known."""
        self._pending: dict[Scope, dict[str, str]] = {}
        """Of every scope, the episodes that may not be processed yet, with their tasks."""

    def _knock(self) -> None:
        """Ask for something small: a wrong key or address is told before anything is written."""
        try:
            self._api.request("GET", "tasks", page_size=1)
        except SystemFault as fault:
            remedy = f"Check {URL}; without it the cloud is asked."
            raise ConfigError(f"zep cannot be asked: {fault}.", remedy) from fault
        finally:
            self._api.close()  # whoever is refused has nothing left to close

    def capabilities(self) -> Capabilities:
        """Declare what the description of the API promises, and what the adapter adds."""
        host = self._api.elsewhere
        return Capabilities(
            consistency=Consistency.FLUSH,
            event_time=EventTime.USED,
            score_kind=ScoreKind.FUSED,
            declares_sources=True,
            k_cap=MOST * len(self._kinds),
            needs=("network",),
            interventions=(
                LABEL,
                *([f"asked at {host}, in the place of the cloud"] if host else []),
                "a user of Zep a scope, a thread a session; ids of turns travel as metadata of messages",
                f"every search asks for {MOST} {' and '.join(self._kinds)} each and is cut to k",
                "what is found is merged by score, then by kind and id",
                f"queries are cut after {QUERY} characters, messages after {self._longest}",
                "an episode cannot be changed: an update removes it and adds the new text",
                "asks again after HTTP 429 and 5xx",
            ),
        )

    def offers(self) -> tuple[str, ...]:
        """Name what the API allows."""
        return ("mutable", "erasable", "durable", "assembling")

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Add turns as messages, a thread a session; the receipt names episodes, and not what is drawn later."""
        ticket, added = None, list[str]()
        for session, own in groupby(turns, key=lambda turn: turn.session):
            messages = [message_of(turn, self._longest) for turn in own]
            for start in range(0, len(messages), MESSAGES):
                thread = self._accounts.thread(scope, session)
                names, ticket = self._add(scope, thread, messages[start : start + MESSAGES])
                added += names
        return Receipt(tuple(Change(Operation.ADD, name) for name in added), ticket)

    def _add(self, scope: Scope, thread: str, messages: list[dict[str, Any]]) -> tuple[list[str], str]:
        """Add messages to a thread; return their ids, which are those of their episodes, and the task."""
        answer = self._api.request("POST", f"threads/{thread}/messages", {"messages": messages})
        names = [uuid_of(message, "a message") for message in answer.get("messages") or ()]
        if len(names) != len(messages):
            raise ContractBreach(f"Zep added {len(names)} of {len(messages)} messages")
        task = str((answer.get("task") or {}).get("uuid", ""))
        for name, message in zip(names, messages, strict=True):
            self._learn({"uuid": name, **message})
            self._pending.setdefault(scope, {})[name] = task
        return names, task

    def _learn(self, episode: dict[str, Any]) -> None:
        turn = (episode.get("metadata") or {}).get(TURN)
        if turn is not None:
            self._turns[uuid_of(episode, "an episode")] = str(turn)

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Wait until Zep has processed every message of *scope*.

        Raises:
            CallTimeout: It has not in time.
            CallFailed: It says that it failed.
        """
        pending, until = self._pending.get(scope, {}), time.monotonic() + timeout_s
        while pending:
            name, task = next(iter(pending.items()))
            if self._is_processed(scope, name, until):
                del pending[name]
                continue
            if task:
                self._api.is_done(task, until=until)  # raises where it failed
            pause(self._poll, until, f"Zep has not processed {len(pending)} messages after {timeout_s:g} s")

    def _is_processed(self, scope: Scope, name: str, until: float) -> bool:
        episode = self._api.request(
            "GET", f"graphs/{self._accounts.made(scope).graph}/episodes/{name}", until=until
        )
        return bool(episode.get("processed"))

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - validity comes with every edge
        """Search each kind by Zep's own ranking, and merge by its scores."""
        account = self._accounts.found(scope)
        if k < 1 or account is None:
            return Ranking((), ScoreKind.FUSED)
        items = [(kind, item) for kind in self._kinds for item in self._found(account, kind, query[:QUERY])]
        self._know(account, [item for kind, item in items if kind != EPISODES])
        hits = [Hit(memory_of(kind, item, self._turns), float(item.get("score") or 0)) for kind, item in items]
        notes = [f"{' and '.join(self._kinds)} merged by score, then by kind and id"]
        notes += [f"the query was cut after {QUERY} characters"] if len(query) > QUERY else []
        return Ranking(tuple(best_first(hits)[:k]), ScoreKind.FUSED, tuple(notes))

    def _found(self, account: Account, kind: str, query: str) -> list[dict[str, Any]]:
        path = f"graphs/{account.graph}/search/{kind}"
        answer = self._api.request("POST", path, {"query": query}, page_size=MOST)
        return self._taken(kind, answer.get("items") or ())

    def _know(self, account: Account, derived: Sequence[dict[str, Any]]) -> None:
        """See that the turn of every episode is known on which something rests, also of an earlier process."""
        if any(name not in self._turns for item in derived for name in item.get("episode_uuids") or ()):
            self._listed(account, EPISODES)

    def _listed(self, account: Account, kind: str) -> list[dict[str, Any]]:
        return self._taken(kind, self._api.items(f"graphs/{account.graph}/{kind}/list", {}))

    def _taken(self, kind: str, items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Learn from episodes, and leave out links between episodes and names: edges too, they state no fact."""
        items = list(items)
        for episode in items if kind == EPISODES else ():
            self._learn(episode)
        return [item for item in items if kind != EDGES or item.get("fact")]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """List episodes and edges, and nodes where searches return them."""
        account = self._accounts.found(scope)
        if account is None:
            return iter(())
        kinds = [kind for kind in KINDS if kind != NODES or NODES in self._kinds]
        listed = [(kind, item) for kind in kinds for item in self._listed(account, kind)]
        return iter([memory_of(kind, item, self._turns) for kind, item in listed])

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the fact of an edge, or an episode by another one; an unknown id changes nothing."""
        account = self._accounts.found(scope)
        kind = next((stored.channel for stored in self.dump(scope) if stored.id == memory), "")
        if account is None or kind not in {EDGES, EPISODES}:
            return Receipt((Change(Operation.NOOP, memory),))
        path = f"graphs/{account.graph}/{kind}/{memory}"
        if kind == EDGES:
            self._api.request("PATCH", path, {"fact": text})
            return Receipt((Change(Operation.UPDATE, memory),))
        episode = self._api.request("GET", path)
        self._api.remove(path, poll=self._poll)
        thread = str(episode.get("thread_uuid") or self._accounts.thread(scope, "updates"))
        (name,), ticket = self._add(scope, thread, [again(episode, text[: self._longest])])
        return Receipt((Change(Operation.DELETE, memory), Change(Operation.ADD, name)), ticket)

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove memories by id, with what Zep removes along with an episode; count those that were there."""
        account = self._accounts.found(scope)
        if account is None:
            return 0
        kinds = {memory.id: memory.channel for memory in self.dump(scope)}
        gone = [name for name in dict.fromkeys(memories) if name in kinds]
        for name in gone:
            self._api.remove(f"graphs/{account.graph}/{kinds[name]}/{name}", poll=self._poll)
            self._pending.get(scope, {}).pop(name, None)
        return len(gone)

    def erase(self, scope: Scope) -> None:
        """Delete the user of a scope, whose threads and graph go along."""
        account = self._accounts.found(scope)
        if account is not None:
            self._api.remove(f"users/{account.uuid}", poll=self._poll)
        self._accounts.drop(scope)
        self._pending.pop(scope, None)

    def context(self, query: str, scope: Scope, budget: int) -> str:
        """Let Zep assemble a text of at most *budget* characters."""
        account = self._accounts.found(scope)
        if account is None:
            return ""
        asked = {"query": query[:QUERY], "max_characters": min(budget, CONTEXT)}
        return str(self._api.request("POST", f"graphs/{account.graph}/context", asked).get("context") or "")

    def reopen(self) -> None:
        """Drop all that is known here, and learn it again from the API; what is still pending stays so."""
        self._api.close()
        self._turns.clear()
        self._accounts.forget()

    def storage_paths(self) -> Sequence[Path]:
        """Name nothing: what is stored lies elsewhere."""
        return ()

    def reset(self) -> None:
        """Delete every user of this store."""
        tasks = self._accounts.doomed()
        self._turns.clear()
        self._pending.clear()
        self._accounts.forget()
        until = time.monotonic() + REQUEST_S
        for task in tasks:
            self._api.finished(task, until=until, poll=self._poll)

    def close(self) -> None:
        """Hang up; what was stored without a name is deleted."""
        if not self._accounts.is_kept:
            self._accounts.doomed()
        self._api.close()
