"""OpenViking (API v1) by its description: a turn is a file of Markdown below a folder of its scope.

Files are found by meaning (``find``, level 2: whole files), read one by one, replaced and removed. What OpenViking
makes of conversations (sessions, commits, memories of kinds) asks a model and is not driven; neither are the
abstracts that it writes of every folder, beyond that a write waits for them.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from memgauge.errors import ContractBreach
from memgauge.records import Change, Form, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.adapters.product_store import hashed
from memgauge.systems.adapters.services import ABSENT, CONFLICT, Service, ServiceNames, ServiceRefused
from memgauge.systems.protocol import Capabilities, EventTime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from memgauge.records import Scope, Turn

LABEL = "against recorded shapes: written from the description of the API, never run against a server"
NAMES = ServiceNames("OpenViking", "OPENVIKING_URL", "OPENVIKING_API_KEY")
MOST = 1_000
"""The most entries that a list gives unasked, and what a search is asked for at most."""


class OpenViking:
    """Keeps turns as files of OpenViking's resources."""

    name = "openviking"
    version = "api-v1"

    def __init__(self) -> None:
        """Open an empty store at ``OPENVIKING_URL``.

        Raises:
            ConfigError: No address is named.
        """
        self._service = Service(NAMES)
        self._root = f"viking://resources/memgauge-{uuid4().hex[:12]}"
        self._turns: dict[str, Turn] = {}
        """The turn of every file: a file has a text and no more."""

    def capabilities(self) -> Capabilities:
        """Declare what the description promises, and what the adapter adds."""
        return Capabilities(
            event_time=EventTime.NONE,
            score_kind=ScoreKind.SIMILARITY,
            reports_changes=True,
            declares_sources=True,
            k_cap=MOST,
            needs=("network",),
            interventions=(
                LABEL,
                f"asked at {self._service.host}",
                "a folder a scope, a file a turn; which turn a file is of is known to the adapter alone",
                "a write waits for what OpenViking makes of it",
                "files alone are searched, not what is written of folders; each is read for its text",
                "a blank text is not sent",
            ),
        )

    def offers(self) -> tuple[str, ...]:
        """Name what the API allows."""
        return ("mutable", "erasable")

    def _folder(self, scope: Scope) -> str:
        return f"{self._root}/{hashed(scope)}"

    def _asked(self, method: str, path: str, body: dict[str, Any] | None = None, **query: Any) -> Any:
        """Send a request, and return what stands in its envelope."""
        answer = self._service.request(method, f"api/v1/{path}", body, **query)
        if not isinstance(answer, dict) or answer.get("status") != "ok":
            raise ContractBreach(f"{method} {path} of OpenViking returned no result: {str(answer)[:200]}")
        return answer.get("result")

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Write every turn that holds something as a file, in the place of one with its id."""
        changes = []
        for turn in turns:
            if turn.text.strip():
                name = f"{self._folder(scope)}/{sha256(turn.id.encode('utf-8', 'replace')).hexdigest()[:24]}.md"
                changes.append(Change(self._written(name, turn.text), name))
                self._turns[name] = turn
        return Receipt(tuple(changes))

    def _written(self, name: str, text: str) -> Operation:
        content = {"uri": name, "content": text, "wait": True}
        try:
            self._asked("POST", "content/write", {**content, "mode": "create"})
        except ServiceRefused as refused:
            if refused.status != CONFLICT:
                raise
            self._asked("POST", "content/write", {**content, "mode": "replace"})
            return Operation.UPDATE
        return Operation.ADD

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Return at once: every write waited until it could be found."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:  # noqa: ARG002 - no search takes one
        """Find files by meaning, as OpenViking ranks them."""
        if k < 1 or not query.strip():
            return Ranking((), ScoreKind.SIMILARITY)
        asked = {"query": query, "target_uri": self._folder(scope), "limit": min(k, MOST), "level": "2"}
        files = self._asked("POST", "search/find", asked)["resources"]
        hits = [Hit(self._memory(str(each["uri"])), float(each["score"])) for each in files[:k]]
        return Ranking(tuple(hits), ScoreKind.SIMILARITY)

    def _memory(self, name: str) -> Memory:
        """Read a file as a memory."""
        text, turn = str(self._asked("GET", "content/read", uri=name, raw="true")), self._turns.get(name)
        sources = () if turn is None else (turn.id,)
        return Memory(name, text, Form.UNKNOWN, sources, channel="" if turn is None else turn.role)

    def dump(self, scope: Scope) -> Iterator[Memory]:
        """Read every file of a scope."""
        return iter([self._memory(name) for name in self._files(scope)])

    def _files(self, scope: Scope) -> list[str]:
        """Name the files of a scope: a list is asked for more until it is not full."""
        limit = MOST
        while True:
            try:
                listed = self._asked("GET", "fs/ls", uri=self._folder(scope), output="original", node_limit=limit)
            except ServiceRefused as refused:
                if refused.status == ABSENT:
                    return []
                raise
            if len(listed) < limit:
                return [str(entry["uri"]) for entry in listed if not entry["isDir"]]
            limit *= 2

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Replace the text of a file; an unknown one changes nothing."""
        if memory not in self._files(scope):
            return Receipt((Change(Operation.NOOP, memory),))
        return Receipt((Change(self._written(memory, text), memory),))

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Remove files, and count those that were there."""
        there = set(self._files(scope))
        gone = [name for name in dict.fromkeys(memories) if name in there]
        for name in gone:
            self._asked("DELETE", "fs", uri=name)
            self._turns.pop(name, None)
        return len(gone)

    def erase(self, scope: Scope) -> None:
        """Remove the folder of a scope."""
        self._remove(self._folder(scope))

    def reset(self) -> None:
        """Remove every folder of this store."""
        self._remove(self._root)

    def _remove(self, folder: str) -> None:
        self._asked("DELETE", "fs", uri=folder, recursive="true")  # what is not there is removed all the same
        self._turns = {name: turn for name, turn in self._turns.items() if not name.startswith(f"{folder}/")}

    def close(self) -> None:
        """Remove what was stored, and hang up."""
        self.reset()
        self._service.close()
