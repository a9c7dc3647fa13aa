"""A memory behind MCP tools: the description says what is called, and where the server is."""

from __future__ import annotations

import time
from contextlib import ExitStack, suppress
from copy import copy
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed, CallTimeout, ContractBreach, SystemFault, UserError
from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, Scope, ScoreKind
from memgauge.systems.adapters.words import BY_WORDS, ranked_by_words
from memgauge.systems.mcp.description import description_file, read_description
from memgauge.systems.mcp.hosting import ScopedServers, SharedServer
from memgauge.systems.mcp.offers import require_fit
from memgauge.systems.mcp.refusing import failure_in
from memgauge.systems.mcp.templates import at, fill, list_paths
from memgauge.systems.protocol import Capabilities, Consistency, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Turn
    from memgauge.systems.mcp.description import ToolStep
    from memgauge.systems.mcp.session import McpClient

    Heard = Callable[[str, Mapping[str, Any], Any], None]
    """Is told of a tool, its arguments and its result."""
    Shows = Callable[[str | None], bool]
    """Whether the text under which a memory is listed, ``None`` for none, is what a write was to bring about."""

PAUSE_S = 0.05
SETTLED_S = 2.0
"""After which a server that writes later than it says has written, or leaves what is there as it is."""
PAGES = 1_000
DEPTH = 1_000
"""How many rows are asked for each word, so that a short ranking begins a long one."""


class Mcp:
    """Keeps turns behind the tools of an MCP server: ``mcp:server-memory``, or ``mcp:./notes.toml``."""

    def __init__(self, variant: str, *, bin: str = "", path: str = "") -> None:  # noqa: A002 - what such a folder is called
        """Read the description of a server; it starts when a scope is first written or read.

        Args:
            variant: A server that is described here, or the path of a TOML file with or without its ending.
            bin: The folder of its program; else that of this environment or the path of the system.
            path: An empty folder, or one that holds a store.

        Raises:
            UserError: The description cannot be used.
        """
        self._about = read_description(variant)
        self.name = self._about.name
        file = description_file(variant)
        self.files = () if file is None else (file, *self._about.programs)
        hosting: type[SharedServer | ScopedServers] = SharedServer if self._about.url else ScopedServers
        self._host = hosting(self._about, bin, path)
        self._clients: dict[Scope, McpClient] = {}
        self._awaited: dict[Scope, dict[str, Shows]] = {}
        self._written: set[Scope] = set()
        self._known: dict[Scope, set[str]] = {}
        """Ids that are listed or were told, of scopes that were written to."""
        self.heard: Heard | None = None
        self.version = self._host.version(self._check)

    def _check(self, client: McpClient) -> None:
        """Refuse a server that the description does not fit."""
        client.heard = self.heard
        with ExitStack() as undo:
            undo.callback(client.close)
            require_fit(self._about, client.offers)
            undo.pop_all()

    def _client(self, scope: Scope) -> McpClient:
        if scope not in self._clients:
            if len(self._clients) >= self._host.most_open:
                self._clients.pop(next(iter(self._clients))).close()  # the oldest; its folder stays
            client = self._host.start(scope)
            self._check(client)
            self._clients[scope] = client
        return self._clients[scope]

    def offers(self) -> tuple[str, ...]:
        """Name what the tools that are described allow."""
        return (*(["mutable"] if self._about.is_mutable else []), *self._host.offers)

    def capabilities(self) -> Capabilities:
        """Declare what the server does, and what was added to it."""
        words = [BY_WORDS] if self._by_word else []
        return Capabilities(
            unit=Unit.TURN,
            consistency=Consistency.FLUSH if self._about.settles else Consistency.IMMEDIATE,
            score_kind=self.score_kind,
            reports_changes=self._about.names_ids,
            declares_sources=self._about.names_ids,
            interventions=(*self._host.interventions, *words, *self._about.interventions),
        )

    @property
    def score_kind(self) -> ScoreKind:
        """What its numbers mean; a rank by words is the adapter's and has none."""
        return ScoreKind.NONE if self._by_word or "score" not in self._about.row else self._about.score_kind

    @property
    def _by_word(self) -> bool:
        return any(step.words for step in self._about.ops["search"])

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Call the tool that adds, once a turn; what became of turns that are told again is seen in the list."""
        texts = {turn.id: turn.text for turn in turns}
        before = self._told_before(texts.keys(), scope) if self._about.names_ids else {}
        for turn in turns:
            at = turn.at.isoformat() if turn.at else ""
            self._do("add", scope, {"id": turn.id, "text": turn.text, "speaker": turn.speaker, "at": at})
            self._written.add(scope)
            self._await(scope, turn.id, _is_listed)
        if not self._about.names_ids:
            return Receipt(None)
        done = dict.fromkeys(texts, Operation.ADD) | dict.fromkeys(before, Operation.NOOP)
        done |= dict.fromkeys(self._changed(before, texts, scope), Operation.UPDATE)
        return Receipt(tuple(Change(operation, name) for name, operation in done.items()))

    def _told_before(self, names: AbstractSet[str], scope: Scope) -> dict[str, str]:
        """Return what is listed under those of *names* that were told before; from here on all of them were."""
        if scope not in self._known:
            self._known[scope] = {memory.id for memory in self.dump(scope)}
        again = names & self._known[scope]
        self._known[scope] |= names
        return {memory.id: memory.text for memory in self.dump(scope) if memory.id in again} if again else {}

    def _changed(self, before: Mapping[str, str], texts: Mapping[str, str], scope: Scope) -> set[str]:
        """Return which memories say something else than before: some servers overwrite, others leave what is."""
        end = time.monotonic() + (SETTLED_S if self._about.settles else 0)
        while before:
            listed = {memory.id: memory.text for memory in self.dump(scope)}
            same = {name for name, text in before.items() if listed.get(name) == text}
            if all(texts[name] == before[name] for name in same) or time.monotonic() >= end:
                return before.keys() - same
            time.sleep(PAUSE_S)
        return set()

    def _await(self, scope: Scope, memory: str, shows: Shows) -> None:
        """Note what the list is to say of a memory, where the server writes later than it says."""
        if self._about.settles:
            self._awaited.setdefault(scope, {})[memory] = shows

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """List until everything written is there, where the server writes later than it says.

        Raises:
            CallTimeout: It is not there in time.
        """
        awaited, end = self._awaited.get(scope, {}), time.monotonic() + timeout_s
        while awaited:
            listed = {memory.id: memory.text for memory in self.dump(scope)}
            for name in [name for name, shows in awaited.items() if shows(listed.get(name))]:
                del awaited[name]
            if awaited and time.monotonic() > end:
                raise CallTimeout(f"{len(awaited)} memories of {self.name} are not listed after {timeout_s:g} s")
            if awaited:
                time.sleep(PAUSE_S)

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - no server knows a time of asking
        """Call the tool that searches, in the order that it gives or by the number of words found."""
        if k < 1 or not self._host.is_there(scope):
            return Ranking((), self.score_kind)
        if self._by_word:
            hits = ranked_by_words(query, lambda word: self._found(word, scope, max(k, DEPTH)))
        else:
            hits = self._found(query, scope, k)
        return Ranking(tuple(hits[:k]), self.score_kind)

    def _found(self, query: str, scope: Scope, k: int) -> list[Hit]:
        rows = self._do("search", scope, {"query": query, "k": k})
        hits = [self._hit(row) for row in rows]
        return list({hit.memory.id: hit for hit in reversed(hits)}.values())[::-1]

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """Call the tool that lists, page by page where it has pages."""
        if not self._host.is_there(scope):
            return iter(())
        return iter([self._hit(row).memory for row in self._listed(scope)])

    def _listed(self, scope: Scope) -> Iterator[Any]:
        has_pages = "{page}" in str([step.arguments for step in self._about.ops["list"]])
        seen: set[str] = set()
        for page in range(1, PAGES if has_pages else 2):
            rows = [row for row in self._do("list", scope, {"page": page}) if self._id(row) not in seen]
            if not rows:
                return
            seen.update(map(self._id, rows))
            yield from rows

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Call the tools that change one memory; an unknown id changes nothing."""
        old = next((stored for stored in self.dump(scope) if stored.id == memory), None)
        if old is None:
            return Receipt((Change(Operation.NOOP, memory),))
        self._do("update", scope, {"id": memory, "text": text, "old": old.text})
        if text != old.text:
            self._await(scope, memory, lambda listed: listed not in {None, old.text})
        return Receipt((Change(Operation.UPDATE, memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Call the tool that deletes, for each memory that is there."""
        known = {memory.id for memory in self.dump(scope)}
        gone = [name for name in dict.fromkeys(memories) if name in known]
        self._written.discard(scope)  # an empty store may be answered with words
        self._known.pop(scope, None)
        for name in gone:
            self._do("delete", scope, {"id": name})
            self._await(scope, name, _is_gone)
        return len(gone)

    def erase(self, scope: Scope) -> None:
        """Remove all of *scope*: by the folder of its server, or else memory by memory."""
        self._stop(scope)
        self._written.discard(scope)
        self._known.pop(scope, None)
        if self._host.forget(scope):
            return
        for memory in list(self.dump(scope)):
            self._do("delete", scope, {"id": memory.id})
            self._await(scope, memory.id, _is_gone)

    def storage_paths(self) -> Sequence[Path]:
        """Name the folder of all scopes, where they have one."""
        return self._host.paths()

    def reopen(self) -> None:
        """End every session; each begins again when its scope is next used."""
        for scope in list(self._clients):
            self._stop(scope)

    def reset(self) -> None:
        """End every session, and begin with nothing."""
        self.reopen()
        self._written.clear()
        self._known.clear()
        self._host.renew()

    def beside(self) -> Mcp:
        """Return the same store through sessions of its own, as a second program has them."""
        other = copy(self)
        other._clients, other._awaited, other._written, other._known = {}, {}, set(), {}  # noqa: SLF001 - it is of this class
        return other

    def hang_up(self) -> None:
        """End the sessions; the store stays."""
        self.reopen()

    def close(self) -> None:
        """End every session; a temporary folder goes, and what can be deleted at an address is."""
        for scope in list(self._clients):
            if not self.storage_paths() and "erasable" in self.offers():
                with suppress(SystemFault, UserError):  # who is gone has been told of
                    self.erase(scope)
        self.reopen()
        self._host.close()

    def _stop(self, scope: Scope) -> None:
        self._awaited.pop(scope, None)
        client = self._clients.pop(scope, None)
        if client is not None:
            client.close()

    def _do(self, operation: str, scope: Scope, values: dict[str, Any]) -> list[Any]:
        """Call the steps of an operation and return the rows of the last one."""
        reply: object = None
        looking = operation in {"search", "list"}
        for step in self._about.ops[operation]:
            reply = self._call(step, scope, values)
            reason = failure_in(reply, looking=looking)
            if reason and not (looking and scope not in self._written):  # an empty store is answered in any words
                scrubbed = self._clients[scope].keys.error(reason)
                raise CallFailed(f"{step.tool} of {self.name} failed: {scrubbed[:300]}")
        rows = at(step.result, reply)
        if isinstance(rows, list):
            return rows
        if looking and scope in self._written and (lists := [*list_paths(reply)]):
            where = f"{self._about.place(operation)}: result {step.result!r}"
            raise ContractBreach(
                f"{where} is no list in the reply of {step.tool}; lists are at {', '.join(lists)}"
            )
        return []

    def _call(self, step: ToolStep, scope: Scope, values: dict[str, Any]) -> Any:
        client = self._client(scope)
        try:
            return client.call(step.tool, fill(step.arguments, {**values, "scope": self._host.name(scope)}))
        except CallTimeout:
            del self._clients[scope]  # it was ended
            raise

    def _id(self, row: Any) -> str:
        return str(self._part("id", row))

    def _part(self, part: str, row: Any) -> Any:
        """Return a part of a row.

        Raises:
            ContractBreach: The row has nothing at the beginning of its path.
        """
        path = self._about.row[part]
        first = path.partition(".")[0]
        if first and not (isinstance(row, list) or (isinstance(row, dict) and first in row)):
            has = ", ".join(map(str, row)) if isinstance(row, dict) else f"no fields: {str(row)[:80]!r}"
            raise ContractBreach(f"{self._about.file}: row.{part} {path!r} is not in a row, which has {has}")
        return at(path, row)

    def _hit(self, row: Any) -> Hit:
        name, paths = self._id(row), self._about.row
        score = at(paths["score"], row) if "score" in paths else None
        text = self._part("text", row)
        sources = (name,) if self._about.names_ids else ()
        memory = Memory(name, "" if text is None else str(text), Form.UNKNOWN, sources)
        return Hit(memory, None if score is None else float(score))


def server_memory(*, bin: str = "", path: str = "") -> Mcp:  # noqa: A002 - as above
    """Keep turns in the official MCP memory server, an entity a turn with its text as the observation."""
    return Mcp("server-memory", bin=bin, path=path)


def basic_memory(*, bin: str = "", path: str = "") -> Mcp:  # noqa: A002 - as above
    """Keep turns in basic-memory, a note a turn; it runs as a process of its own and is never imported."""
    return Mcp("basic-memory", bin=bin, path=path)


def _is_listed(listed: str | None) -> bool:
    return listed is not None


def _is_gone(listed: str | None) -> bool:
    return listed is None
