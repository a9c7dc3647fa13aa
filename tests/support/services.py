"""Servers on this machine in the recorded shapes of products that are services; the texts are ours.

Shapes (paths, names of fields, limits, statuses) are those of the descriptions of Honcho's API (OpenAPI 3.0.12)
and OpenViking's (docs/en/api), and of the sources of Redis agent memory server 0.15.2. What a real server does
beyond them, nobody has seen.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Routes = tuple[tuple[str, str, Callable[..., "Answer"]], ...]

KEY = "key-of-the-test"
NOW = "2026-11-26T12:00:00Z"
FIT = re.compile(r"[a-zA-Z0-9_-]{1,512}")
Answer = tuple[int, Any]
"""A status, and what is said."""
_WORD = re.compile(r"\w+")


class RefusedRequest(Exception):  # noqa: N818 - it is an answer
    """An answer that is no success."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class ServiceDouble:
    """What a service answers, kept in memory."""

    ROUTES: ClassVar[Routes] = ()

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, Any]] = []
        self.next: list[tuple[int, bytes]] = []
        """Answers that come first, whatever is asked."""
        self.lock = Lock()
        self._numbers = count(1)

    def answer(self, method: str, path: str, query: Mapping[str, list[str]], body: Any) -> Answer:
        """Answer one request."""
        for verb, pattern, handler in self.ROUTES:
            if verb == method and (match := re.fullmatch(pattern, path)):
                return handler(self, *map(unquote, match.groups()), query=query, body=body)
        raise RefusedRequest(404, f"there is no {method} {path}")

    def new_id(self) -> str:
        """Return an id that nothing else has."""
        return f"id-{next(self._numbers):06}"


def best(query: str, rows: Sequence[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """Return rows that share a word with *query*, those with most first."""
    words = set(_WORD.findall(query.lower()))
    shared = [(len(words & set(_WORD.findall(row[text].lower()))), row) for row in rows]
    return [row for number, row in sorted(shared, key=lambda each: -each[0]) if number]


class HonchoDouble(ServiceDouble):
    """Workspaces with sessions, messages, and conclusions that are drawn when somebody asks how far they are.

    Every message is a conclusion of its speaker about themselves, once it has been asked for ``lag`` times.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lag = 0
        self.slow = 0
        """How often a workspace is asked to go in vain, while its sessions still go in the background."""
        self.workspaces: dict[str, dict[str, Any]] = {}

    def _make(self, *, query: Any, body: Any) -> Answer:
        _require(FIT.fullmatch(body["id"]), "id")
        made = {"id": body["id"], "configuration": body["configuration"], "created_at": NOW, "metadata": {}}
        self.workspaces.setdefault(body["id"], {"made": made, "sessions": {}, "conclusions": [], "waits": 0})
        return 200, self.workspaces[body["id"]]["made"]

    def _of(self, workspace: str) -> dict[str, Any]:
        if workspace not in self.workspaces:
            raise RefusedRequest(404, "Workspace not found")
        return self.workspaces[workspace]

    def _join(self, workspace: str, *, query: Any, body: Any) -> Answer:
        _require(all(FIT.fullmatch(name) for name in (body["id"], *body["peers"])), "id")
        session = self._of(workspace)["sessions"].setdefault(body["id"], {"peers": set(), "messages": []})
        session["peers"] |= set(body["peers"])
        return 200, {"id": body["id"], "is_active": True, "workspace_id": workspace, "created_at": NOW}

    def _say(self, workspace: str, session: str, *, query: Any, body: Any) -> Answer:
        held = self._of(workspace)
        messages = body["messages"]
        _require(1 <= len(messages) <= 100, "messages")
        _require(all(len(message["content"]) <= 25_000 for message in messages), "content")
        added = [
            {
                "id": self.new_id(),
                "content": message["content"],
                "peer_id": message["peer_id"],
                "session_id": session,
                "metadata": message["metadata"],
                "created_at": message.get("created_at", NOW),
                "workspace_id": workspace,
                "token_count": len(message["content"]) // 4,
            }
            for message in messages
        ]
        held["sessions"][session]["messages"] += added
        if held["made"]["configuration"]["reasoning"]["enabled"]:
            held["conclusions"] += [_conclusion(self.new_id(), message) for message in added]
            held["waits"] = self.lag
        return 201, added

    def _status(self, workspace: str, *, query: Any, body: Any) -> Answer:
        held = self._of(workspace)
        left, held["waits"] = held["waits"], max(0, held["waits"] - 1)
        done = {"total_work_units": left, "completed_work_units": 0, "in_progress_work_units": min(left, 1)}
        return 200, done | {"pending_work_units": max(0, left - 1)}

    def _search(self, workspace: str, *, query: Any, body: Any) -> Answer:
        _require(1 <= body["limit"] <= 100, "limit")
        sessions = self._of(workspace)["sessions"].values()
        messages = [message for session in sessions for message in session["messages"]]
        return 200, best(body["query"], messages, "content")[: body["limit"]]

    def _query(self, workspace: str, *, query: Any, body: Any) -> Answer:
        _require(1 <= body["top_k"] <= 100, "top_k")
        named = {name: body["filters"][name] for name in ("observer_id", "observed_id")}
        own = [each for each in self._of(workspace)["conclusions"] if named.items() <= each.items()]
        return 200, best(body["query"], own, "content")[: body["top_k"]]

    def _sessions(self, workspace: str, *, query: Any, body: Any) -> Answer:
        return _paged([{"id": name} for name in self._of(workspace)["sessions"]], query)

    def _messages(self, workspace: str, session: str, *, query: Any, body: Any) -> Answer:
        return _paged(self._of(workspace)["sessions"][session]["messages"], query)

    def _conclusions(self, workspace: str, *, query: Any, body: Any) -> Answer:
        return _paged(self._of(workspace)["conclusions"], query)

    def _leave(self, workspace: str, session: str, *, query: Any, body: Any) -> Answer:
        self._of(workspace)["sessions"][session]["doomed"] = True
        return 202, {}

    def _unmake(self, workspace: str, *, query: Any, body: Any) -> Answer:
        left = [session for session in self._of(workspace)["sessions"].values() if "doomed" not in session]
        if left or self.slow > 0:
            self.slow -= 1
            raise RefusedRequest(409, "Workspace has active sessions")
        del self.workspaces[workspace]
        return 202, {}

    _W = "v3/workspaces/([^/]+)"
    ROUTES = (
        ("POST", "v3/workspaces", _make),
        ("DELETE", _W, _unmake),
        ("GET", f"{_W}/queue/status", _status),
        ("POST", f"{_W}/search", _search),
        ("POST", f"{_W}/sessions/list", _sessions),
        ("POST", f"{_W}/sessions", _join),
        ("DELETE", f"{_W}/sessions/([^/]+)", _leave),
        ("POST", f"{_W}/sessions/([^/]+)/messages", _say),
        ("POST", f"{_W}/sessions/([^/]+)/messages/list", _messages),
        ("POST", f"{_W}/conclusions/list", _conclusions),
        ("POST", f"{_W}/conclusions/query", _query),
    )


class RedisMemoryDouble(ServiceDouble):
    """Long-term memories, which can be read once they have been asked for ``lag`` times."""

    def __init__(self) -> None:
        super().__init__()
        self.lag = 0
        self.records: dict[str, dict[str, Any]] = {}
        self.waits: dict[str, int] = {}

    def _write(self, *, query: Any, body: Any) -> Answer:
        _require(all(record["id"] and record["text"] for record in body["memories"]), "memories")
        for record in body["memories"]:
            self.records[record["id"]] = {"created_at": NOW, "persisted_at": NOW, **record}
            self.waits[record["id"]] = self.lag
        return 200, {"status": "ok"}

    def _shown(self, user: str) -> list[dict[str, Any]]:
        return [each for name, each in self.records.items() if each["user_id"] == user and not self.waits[name]]

    def _find(self, *, query: Any, body: Any) -> Answer:
        _require(1 <= body["limit"] <= 100, "limit")
        own = self._shown(body["user_id"]["eq"])
        rows = best(body["text"], own, "text") if body["text"].strip() else own
        start, end = body["offset"], body["offset"] + body["limit"]
        hits = [{**row, "dist": 0.1 * place, "score": None} for place, row in enumerate(rows[start:end])]
        return 200, {"memories": hits, "total": len(rows), "next_offset": end if end < len(rows) else None}

    def _one(self, name: str, *, query: Any, body: Any) -> Answer:
        if self.waits.get(name, 1):
            self.waits[name] = max(0, self.waits.get(name, 1) - 1)
            raise RefusedRequest(404, f"Memory with ID {name} not found")
        return 200, self.records[name]

    def _change(self, name: str, *, query: Any, body: Any) -> Answer:
        self.records[name]["text"] = body["text"]
        return 200, self.records[name]

    def _drop(self, *, query: Any, body: Any) -> Answer:
        gone = [self.records.pop(name) for name in query["memory_ids"] if name in self.records]
        for record in gone:
            del self.waits[record["id"]]
        return 200, {"status": f"ok, deleted {len(gone)} memories"}

    ROUTES = (
        ("POST", "v1/long-term-memory/", _write),
        ("POST", "v1/long-term-memory/search", _find),
        ("GET", "v1/long-term-memory/([^/]+)", _one),
        ("PATCH", "v1/long-term-memory/([^/]+)", _change),
        ("DELETE", "v1/long-term-memory", _drop),
    )


class VikingDouble(ServiceDouble):
    """Files below folders, in envelopes."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, str] = {}

    def _write(self, *, query: Any, body: Any) -> Answer:
        name, there = body["uri"], body["uri"] in self.files
        _require(name.startswith("viking://resources/") and name.endswith(".md"), "uri")
        if there == (body["mode"] == "create"):
            raise RefusedRequest(409 if there else 404, name)
        self.files[name] = body["content"]
        return _enveloped(
            {"uri": name, "mode": body["mode"], "content_updated": True, "vector_status": "complete"}
        )

    def _find(self, *, query: Any, body: Any) -> Answer:
        below = f"{body['target_uri']}/"
        rows = [{"uri": name, "text": text} for name, text in self.files.items() if name.startswith(below)]
        ranked = [
            {"context_type": "resource", "uri": row["uri"], "level": 2, "score": 1 / (2 + place), "abstract": "…"}
            for place, row in enumerate(best(body["query"], rows, "text"))
        ]
        return _enveloped(
            {"memories": [], "resources": ranked[: body["limit"]], "skills": [], "total": len(ranked)}
        )

    def _read(self, *, query: Any, body: Any) -> Answer:
        return _enveloped(self.files[query["uri"][0]])

    def _list(self, *, query: Any, body: Any) -> Answer:
        folder, limit = query["uri"][0], int(query["node_limit"][0])
        names = [name for name in self.files if name.startswith(f"{folder}/")]
        if not names:
            raise RefusedRequest(404, folder)
        folders = [{"name": "notes", "isDir": True, "uri": f"{folder}/notes/"}]
        listed = [{"name": name.rpartition("/")[2], "isDir": False, "uri": name} for name in names]
        return _enveloped([*folders, *listed][:limit])

    def _remove(self, *, query: Any, body: Any) -> Answer:
        name = query["uri"][0]
        gone = [each for each in self.files if each == name or each.startswith(f"{name}/")]
        _require(len(gone) < 2 or query.get("recursive") == ["true"], "recursive")
        for each in gone:
            del self.files[each]
        return _enveloped({"uri": name, "estimated_deleted_count": len(gone)})

    ROUTES = (
        ("POST", "api/v1/content/write", _write),
        ("POST", "api/v1/search/find", _find),
        ("GET", "api/v1/content/read", _read),
        ("GET", "api/v1/fs/ls", _list),
        ("DELETE", "api/v1/fs", _remove),
    )


def _enveloped(result: object) -> Answer:
    return 200, {"status": "ok", "result": result, "time": 0.1}


def _require(held: object, what: str) -> None:
    if not held:
        raise RefusedRequest(422, f"{what} does not fit")


def _conclusion(name: str, message: Mapping[str, Any]) -> dict[str, Any]:
    who = message["peer_id"]
    return {
        "id": name,
        "content": f"{who} said: {message['content']}",
        "observer_id": who,
        "observed_id": who,
        "session_id": message["session_id"],
        "level": "explicit",
        "created_at": NOW,
    }


def _paged(items: Sequence[Any], query: Mapping[str, list[str]]) -> Answer:
    page, size = int(query["page"][0]), int(query["size"][0])
    _require(size <= 100, "size")
    pages = -(-len(items) // size)
    part = list(items[(page - 1) * size : page * size])
    return 200, {"items": part, "total": len(items), "page": page, "size": size, "pages": pages}


class _DoubleHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    double: ServiceDouble

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.double.lock:
            body = json.loads(content or b"{}")
            self.double.asked.append((self.command, parts.path, body))
            if self.double.next:
                return self._reply(*self.double.next.pop(0))
            if self.headers.get("Authorization") != f"Bearer {KEY}":
                return self._reply(401, b'{"detail": "no such key"}')
            try:
                status, said = self.double.answer(
                    self.command, parts.path.removeprefix("/"), parse_qs(parts.query), body
                )
            except RefusedRequest as refused:
                status, said = refused.status, {"detail": str(refused)}
        return self._reply(status, json.dumps(said).encode())

    do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - names that the server calls

    def _reply(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


@contextmanager
def served(double: ServiceDouble, url: str, key: str) -> Iterator[None]:
    """Serve a double, and let the environment name it by *url* and *key*."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_DoubleHandler,), {"double": double}))
    server.daemon_threads = True
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(url, f"http://127.0.0.1:{server.server_address[1]}")
        patch.setenv(key, KEY)
        yield
    server.shutdown()
    server.server_close()
