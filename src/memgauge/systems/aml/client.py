"""Ask a server of the contract: a request is sent once, and whatever becomes of it is a value."""

from __future__ import annotations

import ipaddress
import json
import math
import re
import time
from collections import deque
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memgauge.errors import ConfigError, ContractBreach
from memgauge.systems.aml.contract import AUTHS
from memgauge.systems.wire.connection import Connection
from memgauge.systems.wire.remote import key_in
from memgauge.text.jsons import json_of
from memgauge.text.scrubbing import Scrubber, keys_in_url, without_keys

if TYPE_CHECKING:
    from collections.abc import Mapping
    from http.client import HTTPMessage

_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_JSON = {"Content-Type": "application/json", "Accept": "application/json"}


@dataclass(frozen=True, slots=True)
class AmlReply:
    """What came of one request."""

    status: int
    """0 where nothing came."""
    body: bytes = b""
    retry_after: float | None = None
    """Seconds that the server asked to wait."""
    seconds: float = 0.0
    failure: str = ""
    """Why nothing came."""
    late: bool = False
    """Whether nothing came in time."""

    @property
    def value(self) -> Any:
        """Return the body as JSON, ``None`` where it is none."""
        try:
            return json_of(self.body)
        except ValueError:
            return None

    @property
    def shown(self) -> str:
        """Say what came, in short."""
        if self.status == 0:
            return self.failure
        text = " ".join(self.body[:400].decode("utf-8", "replace").split())[:80]
        return f"HTTP {self.status}{': ' if text else ''}{text}"


@dataclass(frozen=True, slots=True)
class AmlAddress:
    """Where a server is, by which paths, and which key it is shown."""

    url: str
    add: str = "/v1/add"
    search: str = "/v1/search"
    health: str = "/health"
    """On the origin, whatever path the address has."""
    auth: str = "bearer"
    key: str = field(default="", repr=False)

    @property
    def heads(self) -> dict[str, str]:
        """Return the header that shows the key."""
        if not self.key:
            return {}
        name, before = AUTHS[self.auth]
        return {name: f"{before}{self.key}"}

    @property
    def shown(self) -> str:
        """Return the address as it may be printed."""
        return without_keys(self.url)


def address_of(
    url: str,
    *,
    key: str = "",
    add: str = "/v1/add",
    search: str = "/v1/search",
    health: str = "/health",
    auth: str = "bearer",
) -> AmlAddress:
    """Read an address, and the key that the variable called *key* holds.

    Raises:
        ConfigError: The address is none or holds a key, a path or the form of the key is none, the variable is not
            set, or the key would be sent in the clear to another network.
    """
    if keys_in_url(url):
        raise ConfigError(f"{without_keys(url)} holds a key.", "Name the variable that holds it: key=NAME.")
    if auth not in AUTHS:
        raise ConfigError(f"{auth!r} is no form of a key.", f"There are {', '.join(AUTHS)}.")
    for path in (add, search, health):
        if not path.startswith("/") or not path.isascii() or not path.isprintable() or " " in path:
            raise ConfigError(f"{path!r} is no path.", "Write it from the slash: /v1/add.")
    address = AmlAddress(url.rstrip("/"), add, search, health, auth, key_in(key, url) if key else "")
    if address.key and Connection(url).is_clear and not is_private(url):
        raise ConfigError(f"{without_keys(url)}: the key would be sent in the clear.", "Write https://.")
    return address


def is_private(url: str) -> bool:
    """Whether an address is one that the platform refuses: of this machine, or of a network of one's own (●●)."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return False


class AmlClient:
    """Asks one server, from as many threads as ask; connections are kept as long as the server keeps them."""

    def __init__(self, address: AmlAddress, timeout_s: float) -> None:
        """Send nothing yet.

        Raises:
            ConfigError: The address is none.
        """
        self.address = address
        self.timeout_s = timeout_s
        self.keys = Scrubber([address.key])
        self._idle: deque[Connection] = deque([Connection(address.url)])

    def health(self) -> AmlReply:
        """Ask whether the server is well, without a key."""
        return self._exchange("GET", self.address.health, None, {}, at_origin=True)

    def add(self, body: object, heads: Mapping[str, str] | None = None) -> AmlReply:
        """Add; *heads* stand instead of the key."""
        return self.post(self.address.add, body, heads)

    def search(self, body: object, heads: Mapping[str, str] | None = None) -> AmlReply:
        """Search; *heads* stand instead of the key."""
        return self.post(self.address.search, body, heads)

    def post(self, path: str, body: object, heads: Mapping[str, str] | None = None) -> AmlReply:
        """Post JSON, or bytes as they are."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self._exchange("POST", path, content, self.address.heads if heads is None else heads)

    def close(self) -> None:
        """Hang up."""
        while self._idle:
            self._idle.pop().close()

    def _exchange(
        self, method: str, path: str, content: bytes | None, heads: Mapping[str, str], *, at_origin: bool = False
    ) -> AmlReply:
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = Connection(self.address.url)
        began = time.monotonic()
        until = began + self.timeout_s
        try:
            where = path if at_origin else connection.path + path
            reply = connection.begin(method, where, content, _JSON | dict(heads), until)
            body = b"".join(connection.parts(reply, until))
        except TimeoutError:
            connection.close()
            why = f"no answer within {self.timeout_s:g} s"
            return AmlReply(0, seconds=time.monotonic() - began, failure=why, late=True)
        except (OSError, HTTPException, ContractBreach) as error:
            connection.close()
            why = self.keys.error(f"{type(error).__name__}: {error}")
            return AmlReply(0, seconds=time.monotonic() - began, failure=why)
        self._idle.append(connection)
        seconds = time.monotonic() - began
        return AmlReply(reply.status, self._clean(body), _retry_after(reply.headers), seconds)

    def _clean(self, body: bytes) -> bytes:
        """Take the key out of what a server says, where it says it."""
        if not self.address.key or self.address.key.encode() not in body:
            return body
        return self.keys.text(body.decode("utf-8", "replace")).encode()


def _retry_after(heads: HTTPMessage) -> float | None:
    """Read the seconds that a server asks to wait; a date is not waited for."""
    given = (heads.get("Retry-After") or "").strip()
    seconds = float(given) if _SECONDS.fullmatch(given) else math.nan
    return None if math.isnan(seconds) else seconds
