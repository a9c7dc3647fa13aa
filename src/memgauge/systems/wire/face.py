"""Serve a memory system by HTTP: ``memgauge systems serve REF``; the document of the interface is at its root."""

from __future__ import annotations

import json
import threading
from contextlib import nullcontext
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.serving import BoundedHandler, BoundedServer
from memgauge.systems.wire import messages
from memgauge.systems.wire.answering import WireServer
from memgauge.systems.wire.openapi import document
from memgauge.systems.wire.remote import INSTANCE
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from memgauge.systems.wire.answering import Opening

_STATUS = {messages.NO_METHOD: 404, messages.BAD_PARAMETERS: 400, messages.NO_REQUEST: 409}


class Face(BoundedServer):
    """One system behind a port of this machine."""

    def __init__(
        self, opening: Opening, *, token: str, host: str = "127.0.0.1", port: int = 0, at_once: bool = False
    ) -> None:
        """Listen.

        Every request must show the *token*, and reaches the system after the one before it unless *at_once*;
        *port* 0 takes a free one.
        """
        self.answering = WireServer(opening, takes_turns=not at_once)
        self.turn: AbstractContextManager[object] = nullcontext() if at_once else threading.Lock()
        try:
            super().__init__((host, port), _WireHandler, token)
        except OSError as error:
            raise ConfigError(
                f"Cannot listen on {host}:{port}: {error.strerror}.", "Choose another --port, or 0 for a free one."
            ) from error

    def server_close(self) -> None:
        """Close the port, and the system."""
        super().server_close()
        with self.turn:
            self.answering.close()


class _WireHandler(BoundedHandler):
    """Turns a POST into a request of the wire."""

    largest = messages.LIMIT
    server: Face

    def do_GET(self) -> None:  # noqa: N802 - the library's name
        """Show the document, which is no secret."""
        self.check(token=False)
        if self.path in {"/", "/openapi.json"}:
            self._send(200, document())
        else:
            self._send(404, {"error": messages.fault(messages.NO_METHOD, f"there is nothing at {self.path}")})

    def do_POST(self) -> None:  # noqa: N802 - as above
        """Answer a request."""
        self.check()
        content = self.body() or b"{}"
        try:
            params = json_of(content)
        except ValueError:
            self._send(400, {"error": messages.fault(messages.UNREADABLE, "the body is no JSON")})
            return
        self._answer(self.path.strip("/"), params)

    def _answer(self, method: str, params: object) -> None:
        with self.server.turn:
            meant = self.headers.get(INSTANCE)
            if method == "hello" or meant == self.server.answering.instance:
                good, value = self.server.answering.answer(method, params)
            else:
                what = f"instance {meant!r} is not here; say hello first"
                good, value = False, messages.fault(messages.NO_REQUEST, what)
        self._send(200, value) if good else self._send(_STATUS.get(value["code"], 500), {"error": value})

    def _send(self, status: int, value: dict[str, Any]) -> None:
        instance = {INSTANCE: self.server.answering.instance} if self._admitted else {}
        self.reply(status, json.dumps(value).encode(), {"Content-Type": "application/json", **instance})

    def problem(self, status: int, why: str) -> dict[str, Any]:
        """Spell what is wrong as the wire does."""
        code = messages.RAISED if status == HTTPStatus.INTERNAL_SERVER_ERROR else messages.NO_REQUEST
        return {"error": messages.fault(code, why)}
