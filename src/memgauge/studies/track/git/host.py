"""Repositories over HTTP on a unix socket: `git http-backend` behind a small front that lets nothing but reads in.

Any number of hosts run side by side, for a socket is a file and no port.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qs, urlsplit

from memgauge.errors import ConfigError
from memgauge.studies.track.git.answered import LARGEST, HeldAnswer, HeldAnswers, request_key
from memgauge.studies.track.git.backend import BodyTooLarge, GitRequest, answer, spooled
from memgauge.studies.track.git.described import OWNER, branch_of, repositories_at
from memgauge.studies.track.git.sockets import ServedSocket, Slots, SocketServer

if TYPE_CHECKING:
    from http.client import HTTPMessage
    from pathlib import Path
    from typing import BinaryIO

_AT_ONCE = 8
_SILENCE_S = 60
_LONGEST_SOCKET = 107
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*?"
_GIT = re.compile(rf"/{OWNER}/({_NAME})(?:\.git)?/(info/refs|git-upload-pack|git-receive-pack)")
_BRANCH = re.compile(rf"/api/v1/repos/{OWNER}/({_NAME})/branches/(.+)")


class GitHost(ServedSocket):
    """Serves the bare repositories of one folder, `NAME.git`, until it is left."""

    def __init__(self, folder: Path, socket: Path) -> None:
        """Serve *folder* at *socket*.

        Raises:
            ConfigError: The path is too long for a socket.
        """
        if len(str(socket).encode()) > _LONGEST_SOCKET:
            raise ConfigError(
                f"{socket}: a path of a unix socket has at most {_LONGEST_SOCKET} bytes.",
                "Set TMPDIR to a shorter folder.",
            )
        self.folder = folder
        self.slots = Slots(_AT_ONCE)
        self.answers = HeldAnswers()
        super().__init__(socket, _HostHandler)

    def publish(self) -> None:
        """Do nothing: what is in the folder is what is served."""


class _HostHandler(BaseHTTPRequestHandler):
    server: SocketServer
    headers: HTTPMessage
    protocol_version = "HTTP/1.1"
    timeout = _SILENCE_S

    @property
    def _host(self) -> GitHost:
        return cast("GitHost", self.server.owner)

    def address_string(self) -> str:
        """Name the other side, which has no address."""
        return "unix"

    def log_message(self, *what: object) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        """Answer what can be read: the list of repositories, and the first half of a clone."""
        with suppress(BrokenPipeError, ConnectionResetError):
            address = urlsplit(self.path)
            if address.path == "/api/v1/repos/search":
                query = parse_qs(address.query).get("q", [""])[0]
                self._json({"ok": True, "data": repositories_at(self._host.folder, query)})
            elif match := _BRANCH.fullmatch(address.path):
                self._branch(match[1], match[2])
            else:
                self._git("GET")

    def do_POST(self) -> None:
        """Answer the second half of a clone."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self._git("POST")

    def _git(self, method: str) -> None:
        address = urlsplit(self.path)
        match = _GIT.fullmatch(address.path)
        if match is None or not (self._host.folder / f"{match[1]}.git" / "HEAD").is_file():
            self._refuse(404, "Not found.")
            return
        service = parse_qs(address.query).get("service", [""])[0] if method == "GET" else match[2]
        if service == "git-receive-pack":
            self._refuse(403, "This repository is read-only.")
            return
        if service != "git-upload-pack" or (method == "GET") != (match[2] == "info/refs"):
            self._refuse(404, "Not found.")
            return
        request = GitRequest(method, f"/{match[1]}.git/{match[2]}", address.query, self.headers)
        try:
            with spooled(cast("BinaryIO", self.rfile), self.headers) as (body, length):
                self._answer(request, body, length, self._host.folder / f"{match[1]}.git")
        except BodyTooLarge:
            self._refuse(413, "The request is too large.")

    def _answer(self, request: GitRequest, body: BinaryIO, length: int, repository: Path) -> None:
        """Send what was answered before, or have git answer; what no ref changed is answered once."""
        key = request_key(repository, request, body)
        answer_held = self._host.answers.get(key)
        if answer_held is None:
            with self._host.slots:
                answer_held = self._host.answers.get(key) or self._relay(request, body, length, key)
            if answer_held is None:
                return
        self._begin(answer_held.status, answer_held.headers, len(answer_held.content))
        self.wfile.write(answer_held.content)

    def _relay(self, request: GitRequest, body: BinaryIO, length: int, key: str) -> HeldAnswer | None:
        """Return what git answers; what is too large to be held is passed on as it comes."""
        with answer(self._host.folder, request, body, length) as reply:
            content = reply.body.read(LARGEST + 1)
            if len(content) <= LARGEST:
                small_answer = HeldAnswer(reply.status, reply.headers, content)
                if reply.whole:
                    self._host.answers.put(key, small_answer)
                return small_answer
            self._begin(reply.status, reply.headers)
            self.wfile.write(content)
            while piece := reply.body.read(1 << 16):
                self.wfile.write(piece)
        return None

    def _begin(self, status: int, headers: tuple[tuple[str, str], ...], length: int | None = None) -> None:
        self.close_connection = True
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if length is not None and "content-length" not in {name.lower() for name, _ in headers}:
            self.send_header("Content-Length", str(length))
        self.send_header("Connection", "close")
        self.end_headers()

    def _branch(self, name: str, branch: str) -> None:
        branch_data = branch_of(self._host.folder / f"{name}.git", branch)
        if branch_data is None:
            self._refuse(404, "Not found.")
        else:
            self._json(branch_data)

    def _json(self, data: object) -> None:
        self._send(200, "application/json", json.dumps(data).encode())

    def _refuse(self, status: int, why: str) -> None:
        self.close_connection = True  # a body that nobody read may follow
        self._send(status, "text/plain; charset=utf-8", f"{why}\n".encode())

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
