"""The wire by HTTP: ``POST {base}/{method}`` with the parameters as body, the result or the error as reply."""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import TYPE_CHECKING, Any

from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach
from memgauge.systems.wire import messages
from memgauge.systems.wire.client import CALL_S, START_S, WireSystem, connect
from memgauge.systems.wire.connection import Connection
from memgauge.text.jsons import object_of
from memgauge.text.scrubbing import Scrubber, keys_in_url, without_keys

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge import ranges

INSTANCE = "Wire-Instance"
"""The header that names the store, in every request after ``hello`` and in every reply."""


@dataclass
class HttpCarrier:
    """Carries requests to an address; one connection is kept open."""

    url: str
    key: str = ""
    files: tuple[Path, ...] = ()
    lost: str = "it was not opened"
    _instance: str = ""
    _connection: Connection = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._connection = Connection(self.url)
        self._keys = Scrubber([self.key])

    def open(self, greeting: object, deadline_s: float) -> dict[str, Any]:
        """Say hello, and remember which store answered."""
        self.lost, self._instance = "", ""
        reply = self.call("hello", greeting, deadline_s)
        result = reply.get("result")
        self._instance = str(result.get("instance", "")) if isinstance(result, dict) else ""
        if "error" not in reply and not self._instance:
            raise ContractBreach("hello names no instance, so a server that starts again could not be told apart")
        return reply

    def call(self, method: str, params: object, deadline_s: float) -> dict[str, Any]:
        """Send a request and return its answer, spelled as on the other wire.

        Raises:
            CallTimeout: There was none within *deadline_s*.
            CallFailed: The server cannot be reached, or was started again and has lost its store.
            ContractBreach: What came is no answer.
        """
        if self.lost:
            raise CallFailed(f"not called: {self.lost}")
        until = time.monotonic() + deadline_s
        try:
            status, instance, body = self._post(method, json.dumps(params).encode(), until)
        except TimeoutError:
            self._lose(f"{method} did not return within {deadline_s:g} s")
            raise CallTimeout(self.lost) from None
        except (OSError, HTTPException) as error:
            self._lose(f"{self._connection.place} broke off during {method}: {type(error).__name__}: {error}")
            raise CallFailed(self.lost) from None
        if self._instance and instance != self._instance:
            other = self._keys.text(instance)[:80] or "(unnamed)"
            self._lose(f"{method} was answered by instance {other!r}, not by {self._instance[:80]!r}")
            raise CallFailed(f"{self.lost}: the server started again, and its store is another")
        return _reply(status, body, method, self._keys)

    def _post(self, method: str, body: bytes, until: float) -> tuple[int, str, bytes]:
        heads = {"Content-Type": "application/json", INSTANCE: self._instance}
        if self.key:
            heads["Authorization"] = f"Bearer {self.key}"
        reply = self._connection.begin("POST", f"{self._connection.path}/{method}", body, heads, until)
        content = b"".join(self._connection.parts(reply, until))
        return reply.status, reply.headers.get(INSTANCE, ""), content

    def _lose(self, why: str) -> None:
        self.lost = self.lost or self._keys.error(why)
        self._connection.close()

    def cancel(self) -> None:
        """Hang up: a server notices that nobody waits."""
        self._connection.close()

    def beside(self) -> HttpCarrier:
        """Return a further connection to the same store; whoever has it hangs up, and says no goodbye."""
        return HttpCarrier(self.url, self.key, self.files, self.lost, self._instance)

    def used(self) -> dict[str, Any]:
        """Return nothing: what another machine uses is not known."""
        return {}

    def close(self) -> None:
        """Say goodbye, if there is still somebody, and hang up."""
        if not self.lost:
            with contextlib.suppress(CallFailed, CallTimeout, ContractBreach):
                self.call("close", {}, 2.0)
            self._lose("it was closed")
        self._connection.close()


def _reply(status: int, body: bytes, method: str, keys: Scrubber) -> dict[str, Any]:
    """Spell a reply as an answer, a result or the error that it holds, without *keys*."""
    raw = (body or b"{}").decode("utf-8", "replace") if keys else ""
    value = keys.message(object_of(body or b"{}"), raw)
    if status == 200 and value is not None:
        return {"result": value}
    if value is not None and isinstance(value.get("error"), dict):
        return {"error": value["error"]}
    shown = keys.error(raw)[:80] if keys else body[:80].decode("utf-8", "replace")
    if status == 200:
        raise ContractBreach(f"{method} returned {shown!r}, which is no JSON object")
    return {"error": messages.fault(messages.RAISED, f"{method} returned HTTP {status}: {shown}")}


def remote(
    *,
    variant: str,
    timeout: ranges.Seconds = CALL_S,
    start: ranges.Seconds = START_S,
    key: str = "",
    seed: ranges.Seed = 0,
) -> WireSystem:
    """Open the system behind an address.

    Args:
        variant: The address without its scheme, as it follows ``http:`` in a reference.
        timeout: Seconds for one call.
        start: Seconds for opening.
        key: The name of an environment variable that holds a key, sent as a bearer token.
        seed: Told to it.

    Raises:
        UserError: Nobody answers there, or not as docs/adapters.md says.
    """
    return _remote(f"http:{variant}", timeout, start, key, seed)


def remote_tls(
    *,
    variant: str,
    timeout: ranges.Seconds = CALL_S,
    start: ranges.Seconds = START_S,
    key: str = "",
    seed: ranges.Seed = 0,
) -> WireSystem:
    """Open the system behind an https address; see :func:`remote`."""
    return _remote(f"https:{variant}", timeout, start, key, seed)


def _remote(url: str, timeout: float, start: float, key: str, seed: int) -> WireSystem:
    if keys_in_url(url):
        what = f"{without_keys(url)} holds a key, which would stand in every run."
        raise ConfigError(what, "Name the variable that holds it: key=NAME.")
    carrier = HttpCarrier(url, key_in(key, url) if key else "")
    return connect(carrier, url, seed=seed, call_s=timeout, start_s=start)


def key_in(variable: str, url: str) -> str:
    """Return the key that a variable of the environment holds.

    Raises:
        ConfigError: It is not set, or cannot be sent; where a key was written in the place of a name, it is not
            shown.
    """
    value = os.environ.get(variable, "").strip()
    named = variable if _A_NAME.fullmatch(variable) else "that is named as key"
    if not (value.isascii() and value.isprintable()):
        what = f"The environment variable {named} holds what no header can."
        raise ConfigError(what, "Set it to the key and nothing else.")
    if not value:
        what = f"The environment variable {named} is not set."
        raise ConfigError(what, f"Set it to the key of {without_keys(url)}.")
    return value


_A_NAME = re.compile(r"[A-Za-z]+|[A-Z]+(_[A-Z0-9]{1,12})+")
