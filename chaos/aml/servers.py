"""A small server of the leaderboard's contract that shares no line with ours; a defect replaces a part of it."""

from __future__ import annotations

import json
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "the-key-of-a-small-server"
Answer = tuple[int, Any]
_WORD = re.compile(r"\w+")


class Refusal(Exception):  # noqa: N818 - it is an answer
    """A request that is refused."""


@dataclass
class SmallServer:
    """Keeps messages by user, finds them by shared words, and remembers requests."""

    stored: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    requests: dict[tuple[str, str], str] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def health(self, key: str) -> Answer:
        """Say that it is well, to whoever asks."""
        del key
        return 200, {"status": "ok"}

    def allows(self, key: str) -> bool:
        """Whether a key is the key."""
        return key == KEY

    def add(self, body: Any) -> Answer:
        """Add what is new."""
        self.check_add(body)
        with self.lock:
            return self.accept(body)

    def accept(self, body: Any) -> Answer:
        """Store a request that is well made, once."""
        written = json.dumps([body["session_id"], body["messages"]])
        known = self.requests.setdefault(self.request_key(body), written)
        if known != written:
            return self.conflict(body)
        self.store(body)
        return 200, self.acknowledgement(body)

    def request_key(self, body: Any) -> tuple[str, str]:
        """Return what makes a request the same."""
        return body["user_id"], body["request_id"]

    def conflict(self, body: Any) -> Answer:
        """Refuse another body under a known id."""
        del body
        return 422, {"detail": {"reason": "request_id was used with another body"}}

    def acknowledgement(self, body: Any) -> Any:
        """Say success, and echo the ids."""
        return {"success": True, **{name: body[name] for name in ("request_id", "user_id", "session_id")}}

    def store(self, body: Any) -> None:
        """Keep messages under an id each, so that a replay changes nothing."""
        shelf = self.stored.setdefault(self.owner(body["user_id"]), [])
        ids = {row["id"] for row in shelf}
        for place, message in enumerate(body["messages"]):
            name = f"{body['request_id']}/{place}"
            if name not in ids:
                shelf.append({"id": name, "content": self.content(message), "session": body["session_id"]})

    def content(self, message: Any) -> str:
        """Return what is kept of a message."""
        return str(message["content"])

    def owner(self, user: str) -> str:
        """Return whose shelf it is."""
        return user

    def search(self, body: Any) -> Answer:
        """Rank the rows of one user by shared words."""
        self.check_search(body)
        with self.lock:
            rows = self.ranked(list(self.rows(body)), body["query"])
        return self.answer(rows[: self.most(body)], body)

    def rows(self, body: Any) -> list[dict[str, Any]]:
        """Return what may be found."""
        return self.stored.get(self.owner(body["user_id"]), [])

    def most(self, body: Any) -> int:
        """Return how many hits are sent."""
        return int(body["top_k"])

    def ranked(self, rows: list[dict[str, Any]], query: str) -> list[dict[str, Any]]:
        """Order rows by shared words, equals by when they came."""
        asked = set(_WORD.findall(query.casefold()))
        return sorted(rows, key=lambda row: -len(asked & set(_WORD.findall(row["content"].casefold()))))

    def answer(self, rows: list[dict[str, Any]], body: Any) -> Answer:
        """Spell hits."""
        del body
        return 200, {"data": [{"id": row["id"], "content": row["content"]} for row in rows]}

    def check_add(self, body: Any) -> None:
        """Refuse wrong types."""
        names = ("request_id", "user_id", "session_id")
        good = isinstance(body, dict) and all(isinstance(body.get(name), str) for name in names)
        rows = body.get("messages") if good else None
        if not isinstance(rows, list) or not rows:
            raise Refusal("a field is missing, or of another type")
        for row in rows:
            if not isinstance(row, dict) or not all(
                isinstance(row.get(name), str) for name in ("role", "content")
            ):
                raise Refusal("a message is none")

    def check_search(self, body: Any) -> None:
        """Refuse wrong types."""
        good = isinstance(body, dict) and all(isinstance(body.get(name), str) for name in ("query", "user_id"))
        if not good or type(body.get("top_k")) is not int:
            raise Refusal("a field is missing, or of another type")

    def error(self, status: int, reason: str) -> bytes:
        """Spell an error."""
        del status
        return json.dumps({"detail": {"reason": reason}}).encode()

    def restart(self) -> None:
        """Start again, with what is on disk: here everything is."""


class SmallHandler(BaseHTTPRequestHandler):
    """Carries requests to the server of its class."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm, wbufsize = True, -1
    serves: ClassVar[SmallServer]

    def do_GET(self) -> None:
        """Answer for health."""
        self._send(*self.serves.health(self._key()))

    def do_POST(self) -> None:
        """Answer Add and Search."""
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.serves.allows(self._key()):
            self._send_error(401, "show the key")
            return
        try:
            body = json.loads(content)
        except ValueError:
            self._send_error(400, "no JSON")
            return
        try:
            status, value = (self.serves.add if self.path == "/v1/add" else self.serves.search)(body)
        except Refusal as refusal:
            self._send_error(422, str(refusal))
        except (TypeError, ValueError, LookupError, AttributeError) as error:  # what careless code stumbles over
            self._send_error(500, type(error).__name__)
        else:
            self._send(status, value) if status < 400 else self._send_error(status, value["detail"]["reason"])

    def _key(self) -> str:
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    def _send(self, status: int, value: Any) -> None:
        self._write(status, json.dumps(value).encode())

    def _send_error(self, status: int, reason: str) -> None:
        self._write(status, self.serves.error(status, reason))

    def _write(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Listening(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request: object, client_address: object) -> None:
        """Pass over who hung up."""


@contextmanager
def serving(server: SmallServer) -> Iterator[str]:
    """Serve on a free port of this machine, and return the address."""
    handler = type("Handler", (SmallHandler,), {"serves": server})
    listening = _Listening(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=listening.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.server_address[1]}"
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()
