"""Serve a memory system by the leaderboard's contract: ``memgauge systems serve REF --face aml``."""

from __future__ import annotations

import hmac
import json
import threading
from contextlib import contextmanager, nullcontext
from datetime import UTC
from http import HTTPStatus
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError, SystemFault
from memgauge.foreign import Raised, call_foreign
from memgauge.serving import BoundedHandler, BoundedServer, Unfit
from memgauge.systems.aml.journal import RequestJournal, Seen
from memgauge.systems.aml.reading import AddRequest, Refused, SearchRequest, clean, scope_of
from memgauge.systems.protocol import Closing, implements
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from memgauge.records import Hit
    from memgauge.systems.protocol import MemorySystem

MOST: Final = 400
"""Requests at a time; the platform sends at most 64 Adds and 256 Searches."""
FLUSH_S: Final = 600.0
DEEPEST: Final = 10_000
"""Hits that a memory is asked for at most, whatever ``top_k`` is."""
_LANES: Final = 64


class AmlFace(BoundedServer):
    """One memory behind Add and Search."""

    def __init__(
        self,
        system: MemorySystem,
        *,
        key: str,
        host: str = "127.0.0.1",
        port: int = 0,
        at_once: bool = False,
        journal: Path | None = None,
        most: int = MOST,
    ) -> None:
        """Listen; users of whom the memory lists nothing are filled again from the journal.

        The memory is closed with the port, and requests reach it one after the other unless *at_once*. Every
        request but that for health must show the *key*; *port* 0 takes a free one. Adds outlive this process in
        the *journal*; more than *most* requests at a time are 429.

        Raises:
            ConfigError: Nobody can listen there, or the journal is none.
        """
        self.system, self.journal = system, RequestJournal(journal)
        self._turn: AbstractContextManager[object] = nullcontext() if at_once else threading.Lock()
        self._room = threading.BoundedSemaphore(most)
        self._lanes = [threading.Lock() for _ in range(_LANES)]
        self._refill()
        try:
            super().__init__((host, port), _AmlHandler, key)
        except OSError as error:
            self.journal.close()
            raise ConfigError(
                f"Cannot listen on {host}:{port}: {error.strerror}.", "Choose another --port, or 0 for a free one."
            ) from error

    def _refill(self) -> None:
        """Add again what the memory has lost, whatever it promises to outlive."""
        lost: dict[str, bool] = {}
        for add in self.journal.stored():
            scope = scope_of(add.user)
            if add.user not in lost:
                lost[add.user] = next(iter(self.system.dump(scope)), None) is None
            if lost[add.user]:
                self.system.ingest(add.turns, scope)
        for user in filter(lost.__getitem__, lost):
            self.system.flush(scope_of(user), FLUSH_S)

    @contextmanager
    def room(self) -> Iterator[None]:
        """Take one of so many places.

        Raises:
            Unfit: There is none.
        """
        if not self._room.acquire(blocking=False):
            raise Unfit(HTTPStatus.TOO_MANY_REQUESTS, "too many requests at a time")
        try:
            yield
        finally:
            self._room.release()

    def add(self, add: AddRequest) -> Seen:
        """Store what is new; of one user one request after the other, so that a replay waits for its first."""
        with self._lanes[hash(add.user) % _LANES]:
            seen = self.journal.seen(add)
            if seen is Seen.NEW:
                scope = scope_of(add.user)
                with self._turn:
                    self.system.ingest(add.turns, scope)
                    self.system.flush(scope, FLUSH_S)
                self.journal.note(add)
            return seen

    def search(self, asked: SearchRequest) -> list[dict[str, Any]]:
        """Search the memory of one user, of all sessions."""
        with self._turn:
            ranking = self.system.search(clean(asked.query), scope_of(asked.user), min(asked.top_k, DEEPEST))
        return [_row(hit) for hit in ranking.hits[: asked.top_k]]

    def server_close(self) -> None:
        """Close the port, the memory and the journal."""
        super().server_close()
        with self._turn:
            if implements(self.system, Closing):
                self.system.close()
            self.journal.close()


class _AmlHandler(BoundedHandler):
    """Turns a request of the platform into a call of the memory; what it brings is written nowhere else."""

    server: AmlFace

    def do_GET(self) -> None:  # noqa: N802 - the library's name
        """Say that the server is there, to whoever asks."""
        known = self.path == "/health"
        self._send(200, {"status": "ok"}) if known else self._refuse(404, f"there is nothing at {self.path}")

    def do_POST(self) -> None:  # noqa: N802 - as above
        """Add or search."""
        try:
            self._let_in()
            content = self.body()
            with self.server.room():
                self._answer(content)
        except Unfit as unfit:
            if unfit.status != HTTPStatus.TOO_MANY_REQUESTS:
                raise
            self._send(unfit.status, self.problem(unfit.status, unfit.why), {"Retry-After": "1"})

    def _let_in(self) -> None:
        """Refuse who shows no key, in any of the three forms.

        Raises:
            Unfit: Nobody who knows it asks.
        """
        scheme, _, shown = self._single("Authorization").partition(" ")
        shown = shown.strip() if scheme.lower() in {"token", "bearer"} else self._single("X-Api-Key")
        if not hmac.compare_digest(shown.encode("utf-8", "replace"), self.server.token.encode()):
            raise Unfit(HTTPStatus.UNAUTHORIZED, "show the key: Authorization: Bearer, Token, or X-Api-Key")
        self._admitted = True
        self.server.admit(self.connection)

    def _answer(self, content: bytes) -> None:
        try:
            body = json_of(content)
        except ValueError:
            self._refuse(400, "the body is no JSON")
            return
        answer = {"/v1/add": self._add, "/v1/search": self._search}.get(self.path)
        if answer is None:
            self._refuse(404, f"there is nothing at {self.path}")
            return
        outcome = call_foreign(lambda: answer(body))
        if not isinstance(outcome, Raised):
            self._send(*outcome)
        elif isinstance(outcome.error, Refused):
            self._send(422, {"detail": {"reason": str(outcome.error), "field": outcome.error.place}})
        else:
            self._failed(outcome.error)

    def _failed(self, error: BaseException) -> None:
        """Say that the memory failed, by the kind of its error alone: what it says may hold what was added."""
        reason = f"the memory failed: {type(error).__name__}"
        status = HTTPStatus.SERVICE_UNAVAILABLE if isinstance(error, SystemFault | TimeoutError) else 500
        self._send(status, {"detail": {"reason": reason}}, {"Retry-After": "5"} if status != 500 else {})

    def _add(self, body: object) -> tuple[int, dict[str, Any]]:
        add = AddRequest.read(body)
        if self.server.add(add) is Seen.CONFLICT:
            return 422, {"detail": {"reason": "request_id was used with another body", "field": "request_id"}}
        return 200, {"success": True, **add.echo}

    def _search(self, body: object) -> tuple[int, dict[str, Any]]:
        return 200, {"data": self.server.search(SearchRequest.read(body))}

    def _refuse(self, status: int, why: str) -> None:
        self._send(status, self.problem(status, why))

    def _send(self, status: int, value: dict[str, Any], heads: dict[str, str] | None = None) -> None:
        self.reply(status, json.dumps(value).encode(), {"Content-Type": "application/json", **(heads or {})})

    def problem(self, status: int, why: str) -> dict[str, Any]:  # noqa: ARG002 - the contract has the reason alone
        """Spell what is wrong as entrants do (●●)."""
        return {"detail": {"reason": why}}


def _row(hit: Hit) -> dict[str, Any]:
    """Spell a hit; a score that is none, and a time that is not known, are left out."""
    memory = hit.memory
    row: dict[str, Any] = {"id": memory.id, "content": memory.text}
    if hit.score is not None and isfinite(hit.score):
        row["score"] = float(hit.score)
    if memory.event_at is not None:
        row["created_at"] = memory.event_at.replace(tzinfo=UTC).isoformat().replace("+00:00", "Z")
    return row
