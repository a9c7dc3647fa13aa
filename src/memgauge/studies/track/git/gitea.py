"""A real Gitea server through docker compose, in place of our own host.

The authors had no docker engine: what this module asks docker and Gitea for is tested, a running Gitea is not.
"""

from __future__ import annotations

import base64
import json
import secrets
import shutil
import socket
import subprocess
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from socketserver import BaseRequestHandler
from typing import TYPE_CHECKING, Self, cast

from memgauge.errors import MissingExtraError, RunError
from memgauge.studies.track.git.command import git
from memgauge.studies.track.git.described import OWNER, repositories_at
from memgauge.studies.track.git.sockets import ServedSocket, SocketServer
from memgauge.studies.track.sandbox.docker import client_environment
from memgauge.studies.track.sandbox.inside import pump

if TYPE_CHECKING:
    from pathlib import Path

COMPOSE = """services:
  gitea:
    image: docker.gitea.com/gitea:1.25-rootless
    environment:
      GITEA__security__INSTALL_LOCK: "true"
      GITEA__service__DISABLE_REGISTRATION: "true"
      GITEA__server__DISABLE_SSH: "true"
      GITEA__server__OFFLINE_MODE: "true"
      GITEA__database__DB_TYPE: sqlite3
    ports: ["127.0.0.1::3000"]
    healthcheck:
      test: ["CMD", "wget", "-q", "-O", "-", "http://localhost:3000/api/healthz"]
      interval: 1s
      timeout: 5s
      retries: 60
"""
_START_S = 300
_PATIENCE_S = 30


class Gitea:
    """Serves the bare repositories of a folder from a Gitea of its own; agents may read without an account."""

    def __init__(self, folder: Path, at: Path) -> None:
        """Start a server, fill it from *folder*, and let the socket *at* lead to it.

        Raises:
            MissingExtraError: There is no docker.
            RunError: Docker or Gitea does not do what it is asked.
        """
        binary = shutil.which("docker")
        if binary is None:
            raise MissingExtraError("--git gitea needs docker with compose.", "Install it, or leave --git out.")
        self._binary = binary
        self._folder = folder
        self._project = f"memgauge-{secrets.token_hex(6)}"
        self._password = secrets.token_urlsafe(24)
        self._created: set[str] = set()
        with ExitStack() as undo:
            undo.callback(self._abandon)
            self._compose("up", "--detach", "--wait")
            name, port = self._compose("port", "gitea", "3000").strip().rsplit(":", 1)
            self._address = (name, int(port))
            self._compose(
                *("exec", "--no-TTY", "gitea", "gitea", "admin", "user", "create", "--admin", "--username", OWNER),
                *("--password", self._password, "--email", f"{OWNER}@git.invalid", "--must-change-password=false"),
            )
            self.publish()
            self._relay = Relay(at, self._address)
            undo.pop_all()

    def publish(self) -> None:
        """Bring Gitea's repositories to the state of the folder."""
        for repository in repositories_at(self._folder):
            name = repository["name"]
            if name not in self._created:
                self._create(name, repository["default_branch"])
                self._created.add(name)
            if not repository["empty"]:
                self._push(name)

    def close(self) -> None:
        """Stop the server and remove what it kept."""
        self._relay.close()
        self._down()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _abandon(self) -> None:
        with suppress(RunError):  # what went wrong first is what is told
            self._down()

    @property
    def _authorization(self) -> str:
        return "Basic " + base64.b64encode(f"{OWNER}:{self._password}".encode()).decode()

    def _create(self, name: str, branch: str) -> None:
        creation = json.dumps({"name": name, "default_branch": branch, "private": False})
        headers = {"Content-Type": "application/json", "Authorization": self._authorization}
        connection = HTTPConnection(*self._address, timeout=_PATIENCE_S)
        try:
            connection.request("POST", "/api/v1/user/repos", creation, headers)
            reply = connection.getresponse()
            answer = reply.read().decode("utf-8", "replace")
        except OSError as error:
            raise RunError(f"Gitea does not answer: {error}.") from error
        finally:
            connection.close()
        if reply.status != 201:
            raise RunError(f"Gitea does not make the repository {name!r}: {reply.status} {answer[:200]}")

    def _push(self, name: str) -> None:
        address = f"http://{self._address[0]}:{self._address[1]}/{OWNER}/{name}.git"
        settings = {
            "GIT_ALLOW_PROTOCOL": "http",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_1": "http.extraHeader",
            "GIT_CONFIG_VALUE_1": f"Authorization: {self._authorization}",
        }
        arguments = ("push", "--quiet", "--force", address, "refs/heads/*:refs/heads/*")
        git(*arguments, at=self._folder / f"{name}.git", environment=settings)

    def _compose(self, *arguments: str) -> str:
        completed = subprocess.run(  # noqa: S603 - the docker client, without a shell
            [self._binary, "compose", "--project-name", self._project, "--file", "-", *arguments],
            input=COMPOSE,
            capture_output=True,
            text=True,
            timeout=_START_S,
            env=client_environment(),
            check=False,
        )
        if completed.returncode:
            reason = (completed.stderr or completed.stdout).strip()[-300:]
            raise RunError(f"docker compose {arguments[0]} failed: {reason}", "See whether `docker info` answers.")
        return completed.stdout

    def _down(self) -> None:
        self._compose("down", "--volumes", "--timeout", "1")


class Relay(ServedSocket):
    """Leads from a unix socket to a port of this machine: the sandbox knows one way to Git, whatever serves it."""

    def __init__(self, path: Path, address: tuple[str, int]) -> None:
        self.address = address
        super().__init__(path, _SocketRelayHandler)


class _SocketRelayHandler(BaseRequestHandler):
    server: SocketServer
    request: socket.socket

    def handle(self) -> None:
        """Pass on one connection."""
        address = cast("Relay", self.server.owner).address
        with suppress(OSError), socket.create_connection(address, _PATIENCE_S) as port:
            pump(self.request, port)
