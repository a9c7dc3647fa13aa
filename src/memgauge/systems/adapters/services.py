"""A product that is a service: JSON over HTTP at a user's address, and what it refuses said in a sentence."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote, urlencode

from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach
from memgauge.systems.wire.connection import Connection
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from http.client import HTTPResponse

REQUEST_S = 120.0
"""Seconds that a request may take."""
ABSENT, CONFLICT = 404, 409


class ServiceRefused(CallFailed):
    """A service refused a request."""

    def __init__(self, what: str, status: int) -> None:
        super().__init__(what)
        self.status = status


@dataclass(frozen=True, slots=True)
class ServiceNames:
    """How a service is called, and by which variables a user names its address and key."""

    called: str
    url: str
    key: str


class Service:
    """A service at one address, with a key where it wants one."""

    scheme: ClassVar[str] = "Bearer"
    """What stands before the key."""

    def __init__(self, names: ServiceNames, address: str = "", *, default: str = "") -> None:
        """Take address and key from the environment; nothing is sent.

        An *address* is of a service that was started here, which wants no key; *default* is the one where the
        environment names none.

        Raises:
            ConfigError: No address is named, it is none, or a key would be sent in the clear beyond this machine.
        """
        self._key = "" if address else os.environ.get(names.key, "")
        address = address or os.environ.get(names.url, "") or default
        if not address:
            what = f"{names.called} is a service, and {names.url} is not set."
            raise ConfigError(what, f"Set {names.url} to its address, and {names.key} to its key if it wants one.")
        self._names = names
        self._connection = Connection(address)
        if self._key and self._connection.is_clear:
            raise ConfigError(f"{names.url} is {address}: the key would be sent in the clear.", "Write https://.")

    @property
    def host(self) -> str:
        """Name the host that is asked."""
        return self._connection.host

    def request(self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any) -> Any:
        """Send a request once, and return the JSON that comes; ``None`` where nothing comes.

        Raises:
            ConfigError: The key is refused.
            ServiceRefused: The service refuses the request, or fails.
            CallTimeout: There was no answer in time.
            CallFailed: The service cannot be reached.
            ContractBreach: What came is no JSON.
        """
        asked = f"{method} {path}"
        reply, came = self._once(method, path, body, query, time.monotonic() + REQUEST_S)
        if reply.status >= 300:
            raise self._refusal(asked, reply.status, came)
        try:
            return json_of(came) if came else None
        except ValueError:
            what = f"{asked} of {self._names.called} returned {came[:80].decode('utf-8', 'replace')!r}, no JSON"
            raise ContractBreach(what) from None

    def _once(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        query: Mapping[str, Any],
        until: float,
        more: Mapping[str, str] | None = None,
    ) -> tuple[HTTPResponse, bytes]:
        """Send a request with *more* heads, and return the reply and its body."""
        asked = f"{method} {path}"
        target = f"{self._connection.path}/{path}" + (f"?{urlencode(query, doseq=True)}" if query else "")
        heads = {"Accept": "application/json", **(more or {})}
        heads |= {"Authorization": f"{self.scheme} {self._key}"} if self._key else {}
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            heads["Content-Type"] = "application/json"
        try:
            reply = self._connection.begin(method, target, content, heads, until)
            return reply, b"".join(self._connection.parts(reply, until))
        except TimeoutError:
            self._connection.close()
            raise CallTimeout(f"{asked} of {self._names.called} did not return in time") from None
        except (OSError, HTTPException) as error:
            self._connection.close()
            what = f"{self._connection.place} broke off during {asked}: {type(error).__name__}: {error}"
            raise CallFailed(what) from None

    def _refusal(self, asked: str, status: int, came: bytes) -> Exception:
        why = came[:300].decode("utf-8", "replace").strip()
        if status in {401, 403}:
            return ConfigError(
                f"{self._connection.place} refuses the key of {self._names.key} (HTTP {status}: {why}).",
                f"Set {self._names.key} to a key of this server.",
            )
        return ServiceRefused(f"{asked} of {self._names.called} was refused with HTTP {status}: {why}", status)

    def pages(self, path: str, size: int) -> Iterator[dict[str, Any]]:
        """Yield the items of a list that is asked for by POST and numbers its pages, as FastAPI's pagination does.

        Of what is not there (HTTP 404) there are none.
        """
        page, last = 1, 1
        while page <= last:
            try:
                answer = self.request("POST", path, {}, page=page, size=size)
            except ServiceRefused as refused:
                if refused.status == ABSENT:
                    return
                raise
            yield from answer["items"]
            page, last = page + 1, int(answer["pages"])

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def pause(seconds: float, until: float, late: str) -> None:
    """Wait a moment before a service is asked again.

    Raises:
        CallTimeout: It would be over only after *until*; *late* says what was waited for.
    """
    if time.monotonic() + seconds > until:
        raise CallTimeout(late)
    time.sleep(seconds)


def moment_of(at: str, service: str) -> datetime:
    """Read a moment that a service gave, without its zone: times of turns have none.

    Raises:
        ContractBreach: It is none.
    """
    try:
        return datetime.fromisoformat(at).astimezone(UTC).replace(tzinfo=None)
    except ValueError as error:
        raise ContractBreach(f"{service} returned the time {at!r}") from error


def in_path(text: str) -> str:
    """Write a text as one step of a path."""
    return quote(text, safe="")
