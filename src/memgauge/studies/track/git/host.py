"""Repositories over HTTP on a unix socket: `git http-backend` behind a small front that lets nothing but reads in.

Any number of hosts run side by side, for a socket is a file and no port.
"""

from __future__ import annotations

import json
import re
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingMixIn, UnixStreamServer
from typing import TYPE_CHECKING, Self, cast
from urllib.parse import parse_qs, urlsplit

from memgauge.errors import ConfigError
from memgauge.studies.track.git.backend import BodyTooLarge, GitRequest, answer, spooled
from memgauge.studies.track.git.described import branch_of, repositories_at
from memgauge.studies.track.git.slots import Slots

if TYPE_CHECKING:
    from http.client import HTTPMessage
    from pathlib import Path
    from typing import BinaryIO

    from memgauge.studies.track.git.described import Described

OWNER = "pgym"
"""Whose the repositories are, in every address."""
_AT_ONCE = 8
_SILENCE_S = 60
_LONGEST_SOCKET = 107
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*?"
_GIT = re.compile(rf"/{OWNER}/({_NAME})(?:\.git)?/(info/refs|git-upload-pack|git-receive-pack)")
_BRANCH = re.compile(rf"/api/v1/repos/{OWNER}/({_NAME})/branches/(.+)")


class GitHost:
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
        self.socket = socket
        self._server = _HostServer(folder, str(socket))
        socket.chmod(0o666)  # the sandbox may run as another user
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def publish(self) -> None:
        """Do nothing: what is in the folder is what is served."""

    def close(self) -> None:
        """Stop, and remove the socket."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self.socket.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


class _HostServer(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, folder: Path, address: str) -> None:
        super().__init__(address, _HostHandler)
        self.folder = folder
        self.slots = Slots(_AT_ONCE)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a client that went away is no event."""


class _HostHandler(BaseHTTPRequestHandler):
    server: _HostServer
    headers: HTTPMessage
    protocol_version = "HTTP/1.1"
    timeout = _SILENCE_S

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
                found = repositories_at(self.server.folder, parse_qs(address.query).get("q", [""])[0])
                self._json({"ok": True, "data": [_gitea(one) for one in found]})
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
        if match is None or not (self.server.folder / f"{match[1]}.git" / "HEAD").is_file():
            self._refuse(404, "Not found.")
            return
        service = parse_qs(address.query).get("service", [""])[0] if method == "GET" else match[2]
        if service == "git-receive-pack":
            self._refuse(403, "This repository is read-only.")
            return
        if service != "git-upload-pack" or (method == "GET") != (match[2] == "info/refs"):
            self._refuse(404, "Not found.")
            return
        asked = GitRequest(method, f"/{match[1]}.git/{match[2]}", address.query, self.headers)
        try:
            with spooled(cast("BinaryIO", self.rfile), self.headers) as (body, length), self.server.slots:
                self._relay(asked, body, length)
        except BodyTooLarge:
            self._refuse(413, "The request is too large.")

    def _relay(self, asked: GitRequest, body: BinaryIO, length: int) -> None:
        with answer(self.server.folder, asked, body, length) as reply:
            self.close_connection = True
            self.send_response(reply.status)
            for name, value in reply.headers:
                self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            while piece := reply.body.read(1 << 16):
                self.wfile.write(piece)

    def _branch(self, name: str, branch: str) -> None:
        found = branch_of(self.server.folder / f"{name}.git", branch)
        if found is None:
            self._refuse(404, "Not found.")
        else:
            who = {"name": found.author, "email": found.email}
            commit = {"id": found.sha, "message": found.message, "author": who, "timestamp": found.date}
            self._json({"name": branch, "commit": commit})

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


def _gitea(one: Described) -> dict[str, object]:
    """Describe a repository as the search of a Gitea server does."""
    return {
        "name": one.name,
        "full_name": f"{OWNER}/{one.name}",
        "owner": {"login": OWNER},
        "empty": one.empty,
        "default_branch": one.default_branch,
        "clone_url": f"http://git.local:3000/{OWNER}/{one.name}.git",
    }
