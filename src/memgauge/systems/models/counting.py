"""Stand in front of the models of this machine that a product is pointed at, and count what it asks them.

Only addresses on loopback are stood in front of: whatever a product may not reach must not come within its reach
behind one of ours. A paid model is counted where it is asked through a server of this machine that records it.
"""

from __future__ import annotations

import http.client
import json
import os
from contextlib import ExitStack, contextmanager
from functools import cached_property
from http import HTTPStatus
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar, Final
from urllib.parse import urlsplit

from memgauge.metering import LOCAL, ModelTally, note
from memgauge.serving import BoundedHandler, BoundedServer, Unfit
from memgauge.systems.adapters.listing import NOTED, is_loopback, listed
from memgauge.systems.models.lending import LENT
from memgauge.text.jsons import object_of
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PATIENCE_S: Final = 600.0
"""Seconds that a model may take; whoever asks has a shorter limit of its own."""
_ADDRESS: Final = "OPENAI_BASE_URL"
_OURS: Final = frozenset({"memgauge-local", "memgauge-scripted"})
"""Owners of models for which nobody charges."""
_HOP: Final = frozenset(
    {"connection", "transfer-encoding", "content-length", "host", "keep-alive", "date", "server"}
)


class CountingRelay(BoundedServer):
    """Passes everything on to one address, and notes the tokens of what was sent and what came."""

    def __init__(self, url: str) -> None:
        """Listen on loopback."""
        self.upstream = url.rstrip("/")
        super().__init__(("127.0.0.1", 0), _RelayHandler)
        Thread(target=self.serve_forever, args=(0.05,), name="memgauge-counting", daemon=True).start()

    @property
    def url(self) -> str:
        """Return the address to hand over in the place of the other."""
        return f"http://127.0.0.1:{self.server_address[1]}{urlsplit(self.upstream).path}"

    @cached_property
    def free(self) -> frozenset[str]:
        """Name the models for which nobody charges, as far as the server says whose they are."""
        return frozenset(str(each.get("id")) for each in listed(self.upstream) if each.get("owned_by") in _OURS)

    def count(self, path: str, sent: bytes, status: int, came: bytes) -> None:
        """Note one exchange; what was sent counts whatever became of it."""
        asked = object_of(sent) or {}
        name = str(asked.get("model") or "unnamed")
        model = f"{LOCAL}{name}" if name in self.free or "scripted" in self.free else name
        reply = _last_usage(came) if status == HTTPStatus.OK else {}
        usage = reply.get("usage") if isinstance(reply.get("usage"), dict) else {}
        if path.endswith("/embeddings"):
            tokens = _tokens(usage, "prompt_tokens")
            note(model, ModelTally(embedding_tokens=_texts_of(asked) if tokens is None else tokens))
        elif path.endswith("/completions"):
            put, got = _tokens(usage, "prompt_tokens"), _tokens(usage, "completion_tokens")
            answered = _answered(came) if status == HTTPStatus.OK else 0
            note(model, ModelTally(1, _texts_of(asked) if put is None else put, answered if got is None else got))


class _RelayHandler(BoundedHandler):
    """Passes one request on, and its answer back."""

    json_only: ClassVar[bool] = False
    server: CountingRelay

    def do_GET(self) -> None:  # noqa: N802 - the library's name
        self._pass_on(b"")

    def do_POST(self) -> None:  # noqa: N802 - as above
        try:
            self._pass_on(self.body())
        except Unfit as unfit:
            self.send_error(unfit.status, unfit.why)

    def _pass_on(self, sent: bytes) -> None:
        to = urlsplit(self.server.upstream)
        kind = http.client.HTTPSConnection if to.scheme == "https" else http.client.HTTPConnection
        line = kind(to.netloc, timeout=PATIENCE_S)
        heads = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
        heads["Accept-Encoding"] = "identity"  # so that it can be read here
        try:
            self.check()
            line.request(self.command, self.path, sent or None, heads)
            answer = line.getresponse()
            came = answer.read()
        except Unfit as unfit:
            self.send_error(unfit.status, unfit.why)
            return
        except (OSError, http.client.HTTPException) as error:
            self.send_error(HTTPStatus.BAD_GATEWAY, f"the model cannot be reached: {error}")
            return
        finally:
            line.close()
        if self.command == "POST" and self.headers.get(NOTED) is None:
            self.server.count(self.path.partition("?")[0], sent, answer.status, came)
        passed = {name: value for name, value in answer.getheaders() if name.lower() not in _HOP}
        self.reply(answer.status, came, passed)


def _last_usage(came: bytes) -> dict[str, Any]:
    """Read a reply, or of a stream the last piece that says what it took."""
    pieces = [line.removeprefix(b"data:").strip() for line in came.splitlines() if line.startswith(b"data:")]
    read = [object_of(piece) or {} for piece in pieces] or [object_of(came) or {}]
    return next((each for each in reversed(read) if each.get("usage")), read[-1])


def _tokens(usage: Mapping[str, Any] | None, name: str) -> int | None:
    """Return what a server says of tokens, where it says something that can be."""
    value = (usage or {}).get(name)
    return value if isinstance(value, int) and value >= 0 else None


def _texts_of(asked: Mapping[str, Any]) -> int:
    """Count the tokens of what was sent, where nobody says."""
    sent = asked.get("input") or asked.get("messages") or asked.get("prompt") or ""
    texts = [sent] if isinstance(sent, str) else sent if isinstance(sent, list) else []
    return sum(count_tokens(text if isinstance(text, str) else _content(text)) for text in texts)


def _content(message: object) -> str:
    content = message.get("content") if isinstance(message, dict) else message
    return content if isinstance(content, str) else json.dumps(content)


def _answered(came: bytes) -> int:
    """Count the tokens of a reply, where nobody says."""
    choices = (object_of(came) or {}).get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    return (
        count_tokens(_content(first.get("message") or first.get("text") or "")) if isinstance(first, dict) else 0
    )


@contextmanager
def counted_models() -> Iterator[None]:
    """Point what is opened meanwhile at relays, in the place of the models of this machine that it would ask."""
    addresses = {_ADDRESS: os.environ.get(_ADDRESS, ""), LENT: os.environ.get(LENT, "")}
    lent = {name: str(url) for name, url in (object_of(addresses[LENT] or "{}") or {}).items()}
    with ExitStack() as stack:

        def relayed(url: str) -> str:
            if not is_loopback(url):
                return url
            relay = CountingRelay(url)
            stack.callback(relay.server_close)
            stack.callback(relay.shutdown)
            return relay.url

        if addresses[_ADDRESS]:
            os.environ[_ADDRESS] = relayed(addresses[_ADDRESS])
        if lent:
            os.environ[LENT] = json.dumps({name: relayed(url) for name, url in lent.items()})
        for name, value in addresses.items():
            if value:
                stack.callback(os.environ.__setitem__, name, value)
        yield
