"""A server on this machine in the shapes of Zep's API: users, threads, and a graph that is worked on later.

The shapes (paths, names of fields, limits) are those that the description of the API names; the texts are ours.
What is drawn from messages follows a rule: "My X is Y" states a fact, which ends the one that said otherwise.
"""

from __future__ import annotations

import json
import re
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Body = Mapping[str, Any]
    Answer = tuple[int, dict[str, Any]]

KEY = "key-of-the-test"
NOW = "2026-11-21T12:00:00Z"
_FACT = re.compile(r"[Mm]y (\w[\w ]*?) is (.+?)\.?$")
_WORD = re.compile(r"\w+")


class Refused(Exception):  # noqa: N818 - it is an answer
    """An answer that is no success."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Graph:
    """What is kept of one user."""

    user: str
    uuid: str
    episodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    edges: dict[str, dict[str, Any]] = field(default_factory=dict)
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    waits: dict[str, int] = field(default_factory=dict)
    """How often an episode is still asked for before it is processed."""

    def process(self, uuids: Iterator[str]) -> None:
        """Draw facts from an episode: one that is stated again gains a source, another value ends the former."""
        episode = next(one for one in self.episodes.values() if not one["processed"])
        episode["processed"] = True
        found = _FACT.search(episode["content"])
        if not found:
            return
        about, fact = found[1].lower(), found[0]
        for edge in self.edges.values():
            if edge["name"] == about and edge["fact"] == fact and "invalid_at" not in edge:
                edge["episode_uuids"].append(episode["uuid"])
                return
            if edge["name"] == about and "invalid_at" not in edge:
                edge |= {"invalid_at": episode["reference_time"], "expired_at": NOW}
        new, link, node = (next(uuids) for _ in range(3))
        kept = {"name": about, "episode_uuids": [episode["uuid"]], "created_at": NOW}
        self.edges[new] = {**kept, "uuid": new, "fact": fact, "valid_at": episode["reference_time"]}
        self.edges[link] = {**kept, "uuid": link, "name": "MENTIONS", "scope": "episodic"}
        self.nodes[node] = {**kept, "uuid": node, "summary": fact, "episode_uuids_truncated": False}

    def asked(self, episode: str, uuids: Iterator[str]) -> dict[str, Any]:
        """Return an episode, and go on with the work."""
        if not self.episodes[episode]["processed"]:
            self.waits[episode] -= 1
            while self.waits[episode] < 0 and not self.episodes[episode]["processed"]:
                self.process(uuids)
        return self.episodes[episode]

    def drop(self, kind: str, name: str) -> None:
        """Remove something; an episode takes along the edges that rest on it."""
        del self.of(kind)[name]
        if kind == "episodes":
            self.edges = {key: edge for key, edge in self.edges.items() if name not in edge["episode_uuids"]}

    def of(self, kind: str) -> dict[str, dict[str, Any]]:
        """Return everything of one kind."""
        return {"episodes": self.episodes, "edges": self.edges, "nodes": self.nodes}[kind]


class ZepDouble:
    """What the API answers, kept in memory."""

    def __init__(self) -> None:
        self.url = ""
        self.lag = 0
        """How often an episode is asked for in vain."""
        self.slow = 0
        """How often a task is asked for in vain."""
        self.failing = ""
        """What every task says that fails."""
        self.next: deque[tuple[int, dict[str, str], bytes]] = deque()
        """Answers that come first, whatever is asked."""
        self.asked: list[tuple[str, str, Body, Mapping[str, str]]] = []
        self.users: dict[str, dict[str, Any]] = {}
        self.graphs: dict[str, Graph] = {}
        self.threads: dict[str, dict[str, Any]] = {}
        self.tasks: dict[str, int] = {}
        self.lock = Lock()
        self._uuids = (f"00000000-0000-4000-8000-{number:012}" for number in count(1))

    def answer(self, method: str, path: str, query: Mapping[str, str], body: Body) -> Answer:
        """Answer one request."""
        for verb, pattern, handler in self.ROUTES:
            found = re.fullmatch(pattern, path)
            if verb == method and found:
                return handler(self, *found.groups(), query=query, body=body)
        raise Refused(404, f"there is no {method} {path}")

    def _lookup(self, *, query: Body, body: Body) -> Answer:
        for user in self.users.values():
            if user["user_id"] == body["user_id"]:
                return 200, user
        raise Refused(404, "user not found")

    def _users(self, *, query: Body, body: Body) -> Answer:
        found = [user for user in self.users.values() if body.get("search", "") in user["user_id"]]
        return self._page(found, query)

    def _make_user(self, *, query: Body, body: Body) -> Answer:
        if any(user["user_id"] == body["user_id"] for user in self.users.values()):
            raise Refused(409, "user_id is taken")
        user, graph = next(self._uuids), next(self._uuids)
        self.users[user] = {"uuid": user, "user_id": body["user_id"], "graph_uuid": graph, "created_at": NOW}
        self.graphs[graph] = Graph(user, graph)
        return 201, self.users[user]

    def _delete_user(self, user: str, *, query: Body, body: Body) -> Answer:
        graph = self._of(self.users, user)["graph_uuid"]
        del self.users[user], self.graphs[graph]
        return 202, {"task": self._task()}

    def _make_thread(self, *, query: Body, body: Body) -> Answer:
        thread = {"uuid": next(self._uuids), "user_uuid": self._of(self.users, body["user_uuid"])["uuid"]}
        self.threads[thread["uuid"]] = thread
        return 201, thread

    def _add(self, thread: str, *, query: Body, body: Body) -> Answer:
        graph = self.graphs[self.users[self._of(self.threads, thread)["user_uuid"]]["graph_uuid"]]
        if len(body["messages"]) > 30 or any(len(one["content"]) > 2500 for one in body["messages"]):
            raise Refused(400, "too many or too long messages")
        added = []
        for one in body["messages"]:
            message = {
                "uuid": next(self._uuids),
                "content": one["content"],
                "role": one["role"],
                "role_name": one["name"],
                "metadata": one.get("metadata", {}),
                "reference_time": one.get("reference_time", NOW),
                "created_at": NOW,
                "thread_uuid": thread,
                "source": "message",
                "processed": False,
            }
            graph.episodes[message["uuid"]] = message
            graph.waits[message["uuid"]] = self.lag
            added.append({"uuid": message["uuid"], "content": one["content"], "name": one["name"]})
        return 202, {"messages": added, "task": self._task()}

    def _search(self, graph: str, kind: str, *, query: Body, body: Body) -> Answer:
        if int(query["page_size"]) > 50 or len(body["query"]) > 400:
            raise Refused(400, "page_size or query is too large")
        words = set(_WORD.findall(body["query"].lower()))
        scored = []
        for one in self._of(self.graphs, graph).of(kind).values():
            text = str(one.get("content") or one.get("fact") or one.get("summary") or one.get("name", ""))
            shared = len(words & set(_WORD.findall(text.lower())))
            if shared and one.get("processed", True):
                scored.append((-shared, one["uuid"], one))
        scored.sort(key=lambda item: item[:2])
        found = [{**one, "score": 1 / (1 + place)} for place, (_, _, one) in enumerate(scored)]
        return 200, {"items": found[: int(query["page_size"])]}

    def _list(self, graph: str, kind: str, *, query: Body, body: Body) -> Answer:
        return self._page(list(self._of(self.graphs, graph).of(kind).values()), query)

    def _get(self, graph: str, kind: str, name: str, *, query: Body, body: Body) -> Answer:
        kept = self._of(self.graphs, graph)
        one = self._of(kept.of(kind), name)
        return 200, kept.asked(name, self._uuids) if kind == "episodes" else one

    def _patch(self, graph: str, name: str, *, query: Body, body: Body) -> Answer:
        edge = self._of(self._of(self.graphs, graph).edges, name)
        edge["fact"] = body["fact"]
        return 200, edge

    def _delete(self, graph: str, kind: str, name: str, *, query: Body, body: Body) -> Answer:
        kept = self._of(self.graphs, graph)
        self._of(kept.of(kind), name)
        kept.drop(kind, name)
        return 202, {"task": self._task()}

    def _context(self, graph: str, *, query: Body, body: Body) -> Answer:
        facts = [edge["fact"] for edge in self._of(self.graphs, graph).edges.values() if edge.get("fact")]
        text = "\n".join(facts) or "nothing is known"
        return 200, {"context": text[: body["max_characters"]], "truncated": len(text) > body["max_characters"]}

    def _all_tasks(self, *, query: Body, body: Body) -> Answer:
        return 200, {"items": []}

    def _one_task(self, task: str, *, query: Body, body: Body) -> Answer:
        left = self._of(self.tasks, task)
        self.tasks[task] = left - 1
        if self.failing:
            return 200, {"uuid": task, "status": "failed", "error": {"code": "failed", "message": self.failing}}
        return 200, {"uuid": task, "status": "processing" if left > 0 else "succeeded"}

    def _task(self) -> dict[str, str]:
        task = next(self._uuids)
        self.tasks[task] = self.slow
        return {"uuid": task, "status": "pending", "type": "something"}

    @staticmethod
    def _of(kept: Mapping[str, Any], name: str) -> Any:
        if name not in kept:
            raise Refused(404, "not found")
        return kept[name]

    @staticmethod
    def _page(found: list[dict[str, Any]], query: Body) -> Answer:
        size, start = int(query.get("page_size", 50)), int(query.get("cursor", 0))
        if size > 100:
            raise Refused(400, "page_size is too large")
        page: dict[str, Any] = {"items": found[start : start + size]}
        return 200, page | ({"next_cursor": str(start + size)} if start + size < len(found) else {})

    ROUTES: ClassVar[tuple[tuple[str, str, Callable[..., Answer]], ...]] = (
        ("POST", "users/lookup", _lookup),
        ("POST", "users/list", _users),
        ("POST", "users", _make_user),
        ("DELETE", "users/([^/]+)", _delete_user),
        ("POST", "threads", _make_thread),
        ("POST", "threads/([^/]+)/messages", _add),
        ("POST", "graphs/([^/]+)/search/([^/]+)", _search),
        ("POST", "graphs/([^/]+)/context", _context),
        ("POST", "graphs/([^/]+)/([^/]+)/list", _list),
        ("GET", "graphs/([^/]+)/([^/]+)/([^/]+)", _get),
        ("PATCH", "graphs/([^/]+)/edges/([^/]+)", _patch),
        ("DELETE", "graphs/([^/]+)/([^/]+)/([^/]+)", _delete),
        ("GET", "tasks", _all_tasks),
        ("GET", "tasks/([^/]+)", _one_task),
    )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    double: ZepDouble

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(content or b"{}")
        with self.double.lock:
            self.double.asked.append((self.command, parts.path, body, dict(self.headers)))
            if self.double.next:
                return self._reply(*self.double.next.popleft())
            if self.headers.get("Authorization") != f"Api-Key {KEY}":
                return self._reply(401, {}, b'{"error": {"code": "unauthorized", "message": "no such key"}}')
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            try:
                status, told = self.double.answer(self.command, parts.path.removeprefix("/api/v4/"), query, body)
            except Refused as refused:
                status, told = refused.status, {"error": {"code": "refused", "message": str(refused)}}
        return self._reply(status, {}, json.dumps(told).encode())

    do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - names that the server calls

    def _reply(self, status: int, heads: Mapping[str, str], content: bytes) -> None:
        self.send_response(status)
        for name, value in heads.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


@contextmanager
def zep_double() -> Iterator[ZepDouble]:
    """Serve the double and let the environment name it."""
    double = ZepDouble()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"double": double}))
    server.daemon_threads = True
    double.url = f"http://127.0.0.1:{server.server_address[1]}/api/v4"
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZEP_API_URL", double.url)
        patch.setenv("ZEP_API_KEY", KEY)
        yield double
    server.shutdown()
    server.server_close()
