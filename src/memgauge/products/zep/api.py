"""Zep's API over HTTP: its limits on rates are kept, and what it refuses is said in a sentence."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

from memgauge.errors import CallFailed, ConfigError, ContractBreach
from memgauge.systems.adapters.services import ABSENT, Service, ServiceNames, ServiceRefused, pause
from memgauge.systems.wire.connection import ONCE
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from email.message import Message

CLOUD = "https://api.getzep.com/api/v4"
URL, KEY = "ZEP_API_URL", "ZEP_API_KEY"
REQUEST_S = 120.0
"""Seconds that a request may take with all that it waits for: limits on rates are counted by the minute."""
TRIES = 3
"""How often a request is sent that the server fails."""
PAUSE_S = 0.5
PAGE = 100
"""The most items that a page of a list holds."""
_DONE, _BROKEN = "succeeded", ("partial", "failed")


class ZepRefused(ServiceRefused):
    """The API refused a request."""


class ZepApi(Service):
    """The API at one address, with one key."""

    scheme = "Api-Key"

    @classmethod
    def from_environment(cls) -> ZepApi:
        """Take the address and the key from the environment.

        Raises:
            ConfigError: There is no key, the address is none, or would carry it in the clear beyond this machine.
        """
        if not os.environ.get(KEY):
            raise ConfigError(
                f"zep asks Zep's cloud, and {KEY} is not set.", f"Set {KEY} to the key of a project of yours."
            )
        return cls(ServiceNames("Zep", URL, KEY), default=CLOUD)

    @property
    def elsewhere(self) -> str:
        """Name the host that is asked in the place of the cloud; empty where it is the cloud."""
        return "" if self.host == urlsplit(CLOUD).hostname else self.host

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
        asked, tries = f"{method} {path}", 0
        once = {} if method == "GET" else {ONCE: uuid4().hex}
        while True:
            tries += 1
            reply, content = self._once(method, path, body, query, until, once)
            status, answer = reply.status, _read(content, reply.status, asked)
            if status < 300:
                return answer
            again, wait = status == 429 or (status >= 500 and tries < TRIES), _seconds(reply.headers)
            if not again or time.monotonic() + wait > until:
                raise self._refused(asked, status, answer, wait)
            time.sleep(wait)

    def _refused(self, asked: str, status: int, answer: Mapping[str, Any], wait: float) -> Exception:
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

    def items(self, path: str, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the items of a list that is asked for by POST, page after page."""
        cursor: dict[str, Any] = {}
        while True:
            page = self.request("POST", path, body, page_size=PAGE, **cursor)
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

    def remove(self, path: str, *, poll: float) -> None:
        """Delete something and wait until it is gone."""
        if task := self.doomed(path):
            self.finished(task, until=time.monotonic() + REQUEST_S, poll=poll)

    def finished(self, task: str, *, until: float, poll: float) -> None:
        """Wait until a task has been done.

        Raises:
            CallFailed: It failed, wholly or in part.
            CallTimeout: It was not done in time.
        """
        while not self.is_done(task, until=until):
            pause(poll, until, f"task {task} of Zep is not done in time")

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


def _read(content: bytes, status: int, asked: str) -> dict[str, Any]:
    answer = object_of(content or b"{}")
    if answer is not None:
        return answer
    if status >= 300:
        return {}  # a page of a proxy: its status says enough
    raise ContractBreach(f"{asked} of Zep returned {content[:80].decode('utf-8', 'replace')!r}, no JSON object")


def _seconds(heads: Message) -> float:
    """Say how long to wait before asking again."""
    try:
        return max(0.0, float(heads.get("Retry-After", "")))
    except ValueError:
        return PAUSE_S
