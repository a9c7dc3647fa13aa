"""Zep's API over HTTP: its limits on rates are kept, and what it refuses is said in a sentence."""

from __future__ import annotations

import json
import os
import time
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach
from memgauge.systems.wire.connection import ONCE, Connection
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CLOUD = "https://api.getzep.com/api/v4"
URL, KEY = "ZEP_API_URL", "ZEP_API_KEY"
REQUEST_S = 120.0
"""Seconds that a request may take with all that it waits for: limits on rates are counted by the minute."""
TRIES = 3
"""How often a request is sent that the server fails."""
PAUSE_S = 0.5
PAGE = 100
"""The most items that a page of a list holds."""
ABSENT = 404
_DONE, _BROKEN = "succeeded", ("partial", "failed")


class ZepRefused(CallFailed):
    """The API refused a request."""

    def __init__(self, what: str, status: int) -> None:
        super().__init__(what)
        self.status = status


class ZepApi:
    """The API at one address, with one key."""

    def __init__(self, url: str, key: str) -> None:
        """Take an address and a key; nothing is sent.

        Raises:
            ConfigError: The address is none, or would carry the key in the clear beyond this machine.
        """
        self._connection = Connection(url)
        self._key = key
        if self._connection.is_clear:
            raise ConfigError(f"{URL} is {url}: the key would be sent in the clear.", "Write https://.")

    @classmethod
    def from_environment(cls) -> ZepApi:
        """Take the address and the key from the environment.

        Raises:
            ConfigError: There is no key, or the address is none.
        """
        key = os.environ.get(KEY, "")
        if not key:
            raise ConfigError(
                f"zep asks Zep's cloud, and {KEY} is not set.", f"Set {KEY} to the key of a project of yours."
            )
        return cls(os.environ.get(URL) or CLOUD, key)

    @property
    def elsewhere(self) -> str:
        """Name the host that is asked in the place of the cloud; empty where it is the cloud."""
        return "" if self._connection.host == urlsplit(CLOUD).hostname else self._connection.host

    def request(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, *, until: float = 0, **query: Any
    ) -> dict[str, Any]:
        """Send a request, again where the server asks for that or fails, and return what it says.

        A write carries one idempotency key through all its tries, so that a repetition does nothing twice.

        Raises:
            ConfigError: The key is refused.
            ZepRefused: The API refuses the request, or goes on failing.
            CallTimeout: There was no answer in time.
            CallFailed: The server cannot be reached.
            ContractBreach: What came is no JSON object.
        """
        until = until or time.monotonic() + REQUEST_S
        asked = f"{method} {path}"
        target = f"{self._connection.path}/{path}" + (f"?{urlencode(query)}" if query else "")
        heads = {"Authorization": f"Api-Key {self._key}", "Accept": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            heads["Content-Type"] = "application/json"
        if method != "GET":
            heads[ONCE] = uuid4().hex
        tries = 0
        while True:
            tries += 1
            status, answer, wait = self._once(asked, method, target, content, heads, until)
            if status < 300:
                return answer
            again = status == 429 or (status >= 500 and tries < TRIES)
            if not again or time.monotonic() + wait > until:
                raise self._refusal(asked, status, answer, wait)
            time.sleep(wait)

    def _once(
        self, asked: str, method: str, target: str, body: bytes | None, heads: Mapping[str, str], until: float
    ) -> tuple[int, dict[str, Any], float]:
        """Return the status, what is said, and how many seconds to wait before asking again."""
        try:
            reply = self._connection.begin(method, target, body, heads, until)
            content = b"".join(self._connection.parts(reply, until))
        except TimeoutError:
            self._connection.close()
            raise CallTimeout(f"{asked} of Zep did not return in time") from None
        except (OSError, HTTPException) as error:
            self._connection.close()
            what = f"{self._connection.place} broke off during {asked}: {type(error).__name__}: {error}"
            raise CallFailed(what) from None
        return reply.status, _read(content, reply.status, asked), _seconds(reply.headers.get("Retry-After"))

    def _refusal(self, asked: str, status: int, answer: Mapping[str, Any], wait: float) -> Exception:
        error = answer.get("error")
        why = str(error.get("message") or error.get("code") or "") if isinstance(error, dict) else ""
        what = f"{asked} of Zep was refused with HTTP {status}{': ' if why else ''}{why[:300]}"
        if status in {401, 403}:
            return ConfigError(
                f"{self._connection.place} refuses the key of {KEY} (HTTP {status}{': ' if why else ''}{why}).",
                f"Set {KEY} to the key of a project there, or {URL} to where the key belongs.",
            )
        if status == 429:
            what += f"; it asks to wait {wait:g} s, which is longer than a call may take"
        return ZepRefused(what, status)

    def pages(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: Any
    ) -> Iterator[dict[str, Any]]:
        """Yield the items of a list, page after page."""
        cursor: dict[str, Any] = {}
        while True:
            page = self.request(method, path, body, page_size=PAGE, **query, **cursor)
            yield from page.get("items") or ()
            if not page.get("next_cursor"):
                return
            cursor = {"cursor": page["next_cursor"]}

    def doomed(self, path: str) -> str:
        """Ask for a deletion and return its task; empty where there is nothing any more."""
        try:
            answer = self.request("DELETE", path)
        except ZepRefused as refused:
            if refused.status == ABSENT:
                return ""
            raise
        return str((answer.get("task") or {}).get("uuid", ""))

    def remove(self, path: str, *, pause: float) -> None:
        """Delete something and wait until it is gone."""
        if task := self.doomed(path):
            self.finished(task, until=time.monotonic() + REQUEST_S, pause=pause)

    def finished(self, task: str, *, until: float, pause: float) -> None:
        """Wait until a task has been done.

        Raises:
            CallFailed: It failed, wholly or in part.
            CallTimeout: It was not done in time.
        """
        while not self.is_done(task, until=until):
            if time.monotonic() + pause > until:
                raise CallTimeout(f"task {task} of Zep is not done in time")
            time.sleep(pause)

    def is_done(self, task: str, *, until: float) -> bool:
        """Whether a task has been done.

        Raises:
            CallFailed: It failed, wholly or in part.
        """
        answer = self.request("GET", f"tasks/{task}", until=until)
        if answer.get("status") in _BROKEN:
            error = answer.get("error") or {}
            raise CallFailed(f"a task of Zep ended as {answer['status']}: {error.get('message', '')[:300]}")
        return answer.get("status") == _DONE

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def _read(content: bytes, status: int, asked: str) -> dict[str, Any]:
    answer = object_of(content or b"{}")
    if answer is not None:
        return answer
    if status >= 300:
        return {}  # a page of a proxy: its status says enough
    raise ContractBreach(f"{asked} of Zep returned {content[:80].decode('utf-8', 'replace')!r}, no JSON object")


def _seconds(retry_after: str | None) -> float:
    try:
        return max(0.0, float(retry_after or ""))
    except ValueError:
        return PAUSE_S
