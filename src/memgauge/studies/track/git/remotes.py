"""The list of repositories as an agent is told it, asked over the API that our host and a Gitea server share."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memgauge.errors import RunError
from memgauge.studies.track.git.described import ADDRESS, OWNER
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from pathlib import Path

_PATIENCE_S = 30


@dataclass(frozen=True, slots=True)
class RemoteRepository:
    """A repository that can be cloned."""

    name: str
    branch: str
    sha: str = ""
    """Of the last commit; empty: there is none."""
    author: str = ""
    date: str = ""
    subject: str = ""

    @property
    def url(self) -> str:
        """Return what `git clone` takes."""
        return f"{ADDRESS}/{self.name}.git"


class _OverSocket(HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("git.local", timeout=_PATIENCE_S)
        self._path = path

    def connect(self) -> None:
        """Connect to the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(_PATIENCE_S)
        self.sock.connect(str(self._path))


def remotes(path: Path) -> tuple[RemoteRepository, ...]:
    """Ask the host at a unix socket for its repositories and their last commits.

    Raises:
        RunError: Nobody answers there as a Git host does.
    """
    descriptions = _get(path, "/api/v1/repos/search?limit=50")["data"]
    return tuple(
        _remote(path, description) for description in descriptions if description["owner"]["login"] == OWNER
    )


def listing(repositories: tuple[RemoteRepository, ...]) -> str:
    """Say which repositories there are, where they stand, and how they are cloned."""
    if not repositories:
        return "There are no remote repositories."
    lines: list[str] = []
    for repository in repositories:
        lines += [
            repository.name,
            f"  clone: git clone {repository.url}",
            f"  default branch: {repository.branch}",
        ]
        last_commit = (
            f"  last commit: {repository.sha} {repository.date} {repository.author}: {repository.subject}"
        )
        lines.append(last_commit if repository.sha else "  empty")
    return "\n".join(lines)


def _remote(path: Path, description: dict[str, Any]) -> RemoteRepository:
    name, branch = description["name"], description["default_branch"]
    if description.get("empty"):
        return RemoteRepository(name, branch)
    commit = _get(path, f"/api/v1/repos/{OWNER}/{quote(name)}/branches/{quote(branch)}")["commit"]
    subject = commit["message"].strip().split("\n", 1)[0]
    return RemoteRepository(name, branch, commit["id"], commit["author"]["name"], commit["timestamp"], subject)


def _get(path: Path, target: str) -> dict[str, Any]:
    connection = _OverSocket(path)
    try:
        connection.request("GET", target)
        reply = connection.getresponse()
        content = reply.read()
        if reply.status != 200:
            raise RunError(f"The Git host answered {reply.status} to {target}.")
        data: dict[str, Any] = json_of(content)
    except (OSError, ValueError) as error:
        raise RunError(f"The Git host at {path} does not answer: {error}.") from error
    finally:
        connection.close()
    return data
