"""What is asked of docker and Gitea, against a stand-in that answers as their documentation says; neither was run.

No container runs here: `docker` is a script that writes down what it is told, Gitea an HTTP server that answers as
its interface description says and takes pushes through git's own program.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from werkzeug.wrappers import Response

from memgauge.errors import MissingExtraError, RunError
from memgauge.studies.track.git.command import git, git_environment
from memgauge.studies.track.git.gitea import COMPOSE, Gitea
from memgauge.studies.track.git.remotes import remotes
from memgauge.studies.track.git.repository import copy_cut, empty_repository, import_cut

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_httpserver import HTTPServer
    from werkzeug.wrappers import Request

    from support.track.git import Origin

SEARCH = {
    "ok": True,
    "data": [
        {
            "id": 1,
            "owner": {"id": 1, "login": "pgym", "username": "pgym", "is_admin": True},
            "name": "demo",
            "full_name": "pgym/demo",
            "empty": False,
            "private": False,
            "clone_url": "http://localhost:3000/pgym/demo.git",
            "default_branch": "main",
        },
        {"id": 2, "owner": {"id": 2, "login": "other"}, "name": "x", "empty": True, "default_branch": "main"},
    ],
}
BRANCH = {
    "name": "main",
    "commit": {
        "id": "0123456789012345678901234567890123456789",
        "message": "The present\n",
        "author": {"name": "Ana", "email": "ana@example.org", "username": ""},
        "timestamp": "2025-01-01T09:00:00Z",
    },
    "protected": False,
}
DOCKER = """#!/bin/sh
echo "$@" >> {log}
cat > {log}.stdin
case "$*" in
  *" port "*) echo 127.0.0.1:{port};;
  *" {failing} "*) echo "no such thing" >&2; exit 1;;
esac
"""


@pytest.fixture
def folder(origin: Origin, tmp_path: Path) -> Path:
    """Make the repositories that are to be served: one with commits, one without."""
    at = tmp_path / "served"
    at.mkdir()
    kept, sha = import_cut(origin.path, origin.commits[1])
    copy_cut(kept, at / "demo.git", sha, "main")
    empty_repository(at / "new.git", "main")
    return at


@pytest.fixture
def docker(tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Put a docker on the path that writes down what it is told; returns where."""

    def make(failing: str = "nothing") -> Path:
        log = tmp_path / "log"
        program = tmp_path / "bin" / "docker"
        program.parent.mkdir()
        program.write_text(DOCKER.format(log=log, port=httpserver.port, failing=failing))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        return log

    return make


def receiving(into: Path) -> Callable[[Request], Response]:
    """Take pushes as Gitea does, from whoever has the right password."""

    def answer(request: Request) -> Response:
        if not (request.authorization and request.authorization.username == "pgym"):
            return Response(status=401)
        return _cgi(into, request)

    return answer


def _cgi(into: Path, request: Request) -> Response:
    import subprocess

    body = request.get_data()
    environment = git_environment(
        {
            "GIT_PROJECT_ROOT": str(into),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REMOTE_USER": "pgym",
            "REQUEST_METHOD": request.method,
            "PATH_INFO": request.path.removeprefix("/pgym"),
            "QUERY_STRING": request.query_string.decode(),
            "CONTENT_TYPE": request.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
        }
    )
    done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=True)
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
    return Response(content, status=headers.pop("Status", "200"), headers=headers)


def test_repositories_are_made_and_filled(
    folder: Path, docker: Callable[..., Path], httpserver: HTTPServer, tmp_path: Path, short: Callable[[str], Path]
) -> None:
    """Docker starts a project, Gitea gets an account, repositories and commits, and all is removed."""
    log = docker()
    (tmp_path / "far").mkdir()
    far = empty_repository(tmp_path / "far" / "demo.git", "main")
    git("config", "http.receivepack", "true", at=far)
    for name in ("demo", "new"):
        wanted = {"name": name, "default_branch": "main", "private": False}
        httpserver.expect_request("/api/v1/user/repos", "POST", json=wanted).respond_with_json({}, status=201)
    httpserver.expect_request(re.compile("/pgym/.*")).respond_with_handler(receiving(tmp_path / "far"))
    httpserver.expect_request("/api/v1/repos/search").respond_with_json(SEARCH)
    httpserver.expect_request("/api/v1/repos/pgym/demo/branches/main").respond_with_json(BRANCH)
    with Gitea(folder, short("s")) as gitea:
        assert git("log", "--format=%s", "main", at=far) == b"The present\nThe past\n"
        (one,) = remotes(short("s"))
        assert (one.name, one.subject, one.author) == ("demo", "The present", "Ana")
        gitea.publish()
    said = log.read_text()
    assert said.index(" up --detach --wait") < said.index("admin user create --admin --username pgym")
    assert said.rstrip().endswith("down --volumes --timeout 1")
    assert (tmp_path / "log.stdin").read_text() == COMPOSE
    assert not short("s").exists()
    made = [request for request, _ in httpserver.log if request.path == "/api/v1/user/repos"]
    assert [request.authorization.username for request in made if request.authorization] == ["pgym", "pgym"]


@pytest.mark.parametrize("failing", ["up", "exec"])
def test_what_docker_refuses_is_told_and_nothing_stays(
    folder: Path, docker: Callable[..., Path], short: Callable[[str], Path], failing: str
) -> None:
    """A failing step ends with docker's own words and a project that is taken down."""
    log = docker(failing)
    with pytest.raises(RunError, match=f"docker compose {failing} failed: no such thing"):
        Gitea(folder, short("s"))
    assert log.read_text().rstrip().endswith("down --volumes --timeout 1")


def test_a_gitea_that_says_no_is_told(
    folder: Path, docker: Callable[..., Path], httpserver: HTTPServer, short: Callable[[str], Path]
) -> None:
    """The status and the answer are in the message."""
    docker()
    httpserver.expect_request("/api/v1/user/repos").respond_with_data("exists already", status=409)
    with pytest.raises(RunError, match="does not make the repository 'demo': 409 exists already"):
        Gitea(folder, short("s"))


def test_a_gitea_that_is_silent_is_told(
    folder: Path, docker: Callable[..., Path], tmp_path: Path, short: Callable[[str], Path]
) -> None:
    """A port at which nobody listens is no traceback."""
    docker()
    program = tmp_path / "bin" / "docker"
    program.write_text(re.sub(r"echo 127.0.0.1:\d+", "echo 127.0.0.1:1", program.read_text()))
    with pytest.raises(RunError, match="Gitea does not answer"):
        Gitea(folder, short("s"))


def test_without_docker_there_is_no_gitea(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install or to leave out."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtraError, match="leave --git out"):
        Gitea(folder, tmp_path / "s")
