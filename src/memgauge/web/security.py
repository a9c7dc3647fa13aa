"""What every answer carries and every request must bring: this site only shows, to whom it was meant for."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from memgauge.errors import ConfigError
from memgauge.frame.tokens import SHORTEST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Of a drawing, which carries its colours; nothing else happens in it."""
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-cache, private",
}
COOKIE = "memgauge_view"
ENTER = "/enter"
ADMITTED = "admitted"
"""What the state of a request says that came through the door."""
_CLOSED = "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
_COOKIES = 4
"""How many cookies of our name are looked at."""
_LARGEST = 4_096
"""Bytes of the only body that is read."""


@dataclass(frozen=True)
class Door:
    """Who may look: by the name the site is called by, and by a token where others can reach it."""

    host: str
    token: str = ""

    @classmethod
    def of(cls, host: str, token: str) -> Door:
        """Make the door of a server that binds *host*.

        Raises:
            ConfigError: Others could reach it, and no token keeps them out; or it is too short to.
        """
        if token and len(token) < SHORTEST:
            raise ConfigError(f"A token of {len(token)} characters can be guessed.", f"Use {SHORTEST} or more.")
        if not token and not is_loopback(host):
            raise ConfigError(
                f"Whoever reaches {host} could read these runs.",
                "Name a file with a token: --token-file FILE; or leave --host out.",
            )
        return cls(host, token)

    @property
    def pass_(self) -> str:
        """Return what a browser keeps that has shown the token."""
        return hmac.new(self.token.encode(), b"memgauge view", hashlib.sha256).hexdigest()

    def knows(self, host: str) -> bool:
        """Whether a request calls the site by a name of this machine: a foreign page cannot make it its own."""
        if self.token:
            return True  # the token answers for it, and its name is its owner's affair
        return is_loopback(re.sub(r":\d{1,5}$", "", host))

    def admits(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has shown the token."""
        if not self.token:
            return True
        authorization = headers.get("authorization", "")
        if authorization.startswith("Bearer ") and hmac.compare_digest(
            authorization[7:].encode(), self.token.encode()
        ):
            return True
        pairs = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
        passes = [value for name, _, value in pairs if name == COOKIE]
        return any(hmac.compare_digest(value.encode(), self.pass_.encode()) for value in passes[:_COOKIES])

    def opens(self, token: str) -> bool:
        """Whether this is the token."""
        return bool(self.token) and hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class Guard:
    """Stands before the application: turns away what may not come in, and labels what goes out."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        """Guard *app*."""
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._door.knows(headers.get("host", "")):
            await _refuse(send, 421, "This site is not called by this name.")
        elif scope["path"] == ENTER and self._door.token:
            await self._enter(scope, receive, send, headers)
        elif not self._door.admits(headers):
            await _refuse(send, 401, _FORM, "text/html; charset=utf-8")
        elif scope["method"] not in {"GET", "HEAD"}:
            await _refuse(send, 405, "Nothing can be changed here.")
        else:
            scope.setdefault("state", {})[ADMITTED] = True
            await self._app(scope, receive, _labelled(send))

    async def _enter(self, scope: Scope, receive: Receive, send: Send, headers: Mapping[str, str]) -> None:
        body = b""
        if scope["method"] == "POST":
            more_body = True
            while more_body and len(body) <= _LARGEST:
                message = await receive()
                body += message.get("body", b"")
                more_body = message.get("more_body", False)
        form = parse_qs(body.decode("utf-8", "replace"), max_num_fields=4) if len(body) <= _LARGEST else {}
        if not self._door.opens(form.get("token", [""])[0]):
            await _refuse(send, 401, _FORM, "text/html; charset=utf-8")
            return
        secure = "; Secure" if headers.get("x-forwarded-proto") == "https" or scope["scheme"] == "https" else ""
        cookie = f"{COOKIE}={self._door.pass_}; HttpOnly; SameSite=Strict; Path=/{secure}"
        await _refuse(send, 303, "", extra={"location": "/", "set-cookie": cookie})


_FORM = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>memgauge: token</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1"></head><body><main><h1>memgauge</h1>'
    f'<form method="post" action="{ENTER}"><label>Token <input type="password" name="token" required '
    'autocomplete="current-password"></label> <button>Enter</button></form></main></body></html>'
)


def _labelled(send: Send) -> Send:
    async def labelled(message: Message) -> None:
        if message["type"] == "http.response.start":
            given_names = {name.lower() for name, _ in message["headers"]}
            all_headers = HEADERS | {"content-security-policy": POLICY}
            message["headers"] = [
                *message["headers"],
                *((n.encode(), v.encode()) for n, v in all_headers.items() if n.encode() not in given_names),
            ]
        await send(message)

    return labelled


async def _refuse(
    send: Send,
    status: int,
    text: str,
    media: str = "text/plain; charset=utf-8",
    extra: Mapping[str, str] | None = None,
) -> None:
    content = text.encode()
    headers = HEADERS | {
        "content-security-policy": _CLOSED,
        "content-type": media,
        "content-length": str(len(content)),
        **(extra or {}),
    }
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": content})
