"""The host serves what can be read, to real git, and nothing else."""

from __future__ import annotations

import gzip
import shutil
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.studies.track.git import backend
from memgauge.studies.track.git.command import git
from memgauge.studies.track.git.gitea import Relay
from memgauge.studies.track.git.host import GitHost
from memgauge.studies.track.git.repository import copy_cut, import_cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from support.track.git import Origin


class Client(HTTPConnection):
    """Talks HTTP to a unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("git.local", timeout=30)
        self.path = path

    def connect(self) -> None:
        """Connect."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(str(self.path))

    def ask(self, method: str, target: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
        """Ask once and return status and content."""
        self.request(
            method, target, body or None, {name.replace("_", "-"): value for name, value in headers.items()}
        )
        return self.answered()

    def answered(self) -> tuple[int, bytes]:
        """Return status and content of what was asked, and hang up."""
        try:
            reply = self.getresponse()
            return reply.status, reply.read()
        finally:
            self.close()


@pytest.fixture(scope="module")
def cut(made: Origin, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Cut the repository at its second commit once."""
    folder = tmp_path_factory.mktemp("cut") / "demo.git"
    kept, sha = import_cut(made.path, made.commits[1])
    copy_cut(kept, folder, sha, "main")
    return folder


@pytest.fixture
def served(cut: Path, tmp_path: Path, short: Callable[[str], Path]) -> Iterator[Path]:
    """Serve a copy of the cut repository and return the socket."""
    folder = tmp_path / "served"
    folder.mkdir()
    (tmp_path / "secret.git").mkdir()
    (tmp_path / "secret.git" / "HEAD").write_text("ref: refs/heads/main\n")
    shutil.copytree(cut, folder / "demo.git")
    with GitHost(folder, short("s")) as host:
        yield host.socket


@pytest.fixture
def address(served: Path) -> Iterator[str]:
    """Lead a port of this machine to the socket, for git knows no sockets."""
    from memgauge.studies.track.sandbox.inside import pump

    listener = socket.create_server(("127.0.0.1", 0), backlog=32)

    def passing(client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as other:
            other.connect(str(served))
            pump(client, other)

    def accepting() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=passing, args=(client,), daemon=True).start()

    threading.Thread(target=accepting, daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/pgym/demo.git"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def clone(address: str, at: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Clone as anybody would."""
    command = ["git", "clone", "-q", *options, address, str(at)]
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_TERMINAL_PROMPT": "0"}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize("options", [(), ("--depth", "1"), ("--filter=blob:none",), ("-c", "protocol.version=0")])
def test_git_clones(address: str, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Whole, shallow and partial clones work, in the new protocol and the old one, without a deadlock."""
    done = clone(address, tmp_path / "clone", *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "clone" / "word.txt").read_text() == "present\n"


def test_an_address_without_the_suffix_works(address: str, tmp_path: Path) -> None:
    """The original prompts name repositories with and without `.git`."""
    assert clone(address.removesuffix(".git"), tmp_path / "clone").returncode == 0


def test_many_clone_at_once(address: str, tmp_path: Path) -> None:
    """More clients than slots are all served."""
    with ThreadPoolExecutor(12) as pool:
        done = list(pool.map(lambda n: clone(address, tmp_path / f"c{n}").returncode, range(12)))
    assert done == [0] * 12


def test_what_lies_beyond_the_cut_cannot_be_fetched(address: str, origin: Origin, tmp_path: Path) -> None:
    """Not even by its hash."""
    clone(address, tmp_path / "c")
    command = ["git", "-C", str(tmp_path / "c"), "fetch", "-q", "origin", origin.commits[2]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "not our ref" in done.stderr


def test_a_push_is_refused(address: str, tmp_path: Path) -> None:
    """The answer is 403 and says why; nothing arrives."""
    clone(address, tmp_path / "c")
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(
        ["git", "-C", str(tmp_path / "c"), *who, "commit", "-q", "--allow-empty", "-m", "x"], check=True
    )
    done = subprocess.run(["git", "-C", str(tmp_path / "c"), "push"], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "read-only" in done.stderr
    assert "403" in done.stderr


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("GET", "/pgym/demo.git/info/refs?service=git-upload-pack", 200),
        ("GET", "/pgym/demo.git/info/refs?service=git-receive-pack", 403),
        ("POST", "/pgym/demo.git/git-receive-pack", 403),
        ("GET", "/pgym/demo.git/info/refs", 404),
        ("GET", "/pgym/demo.git/git-upload-pack?service=git-upload-pack", 404),
        ("POST", "/pgym/demo.git/info/refs", 404),
        ("GET", "/pgym/demo.git/config", 404),
        ("GET", "/pgym/demo.git/HEAD", 404),
        ("GET", "/pgym/demo.git/objects/info/packs", 404),
        ("GET", "/pgym/../pgym/demo.git/info/refs?service=git-upload-pack", 404),
        ("GET", "/pgym/..%2fsecret.git/info/refs?service=git-upload-pack", 404),
        ("GET", "/pgym/../secret.git/info/refs?service=git-upload-pack", 404),
        ("GET", "/pgym/unknown.git/info/refs?service=git-upload-pack", 404),
        ("GET", "/etc/passwd", 404),
        ("GET", "//etc/passwd", 404),
        ("GET", "/", 404),
        ("GET", "/api/v1/repos/pgym/demo/branches/other", 404),
        ("GET", "/api/v1/repos/pgym/unknown/branches/main", 404),
        ("PUT", "/pgym/demo.git/config", 501),
    ],
)
def test_only_reads_get_through(served: Path, method: str, target: str, status: int) -> None:
    """Everything but the two halves of a clone and the list is turned away."""
    assert Client(served).ask(method, target)[0] == status


def test_the_list_looks_like_that_of_gitea(served: Path) -> None:
    """Names, owner, default branch and address are where Gitea has them."""
    import json

    client = Client(served)
    listed = json.loads(client.ask("GET", "/api/v1/repos/search?q=DEM")[1])
    assert listed["ok"] is True
    (one,) = listed["data"]
    assert (one["name"], one["owner"]["login"], one["default_branch"]) == ("demo", "pgym", "main")
    assert json.loads(client.ask("GET", "/api/v1/repos/search?q=other")[1])["data"] == []
    branch = json.loads(client.ask("GET", "/api/v1/repos/pgym/demo/branches/main")[1])
    assert branch["commit"]["message"] == "The present"
    assert branch["commit"]["timestamp"] == "2025-01-01T09:00:00+00:00"


def test_bodies_come_in_every_way_that_git_sends_them(served: Path) -> None:
    """Plain, compressed and in chunks, the same request has the same answer."""
    body = b"0014command=ls-refs\n0000"
    kind = {"Content_Type": "application/x-git-upload-pack-request", "Git_Protocol": "version=2"}
    plain = Client(served).ask("POST", "/pgym/demo.git/git-upload-pack", body, **kind)
    packed = Client(served).ask(
        "POST", "/pgym/demo.git/git-upload-pack", gzip.compress(body), Content_Encoding="gzip", **kind
    )
    client = Client(served)
    client.putrequest("POST", "/pgym/demo.git/git-upload-pack")
    for name, value in {**kind, "Transfer_Encoding": "chunked"}.items():
        client.putheader(name.replace("_", "-"), value)
    client.endheaders()
    client.send(
        b"5\r\n" + body[:5] + b"\r\n" + f"{len(body) - 5:x};ignored\r\n".encode() + body[5:] + b"\r\n0\r\n\r\n"
    )
    assert plain == packed == client.answered()
    assert plain[0] == 200
    assert b"refs/heads/main" in plain[1]


def test_a_body_that_no_clone_needs_is_refused(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody fills the disk of the host."""
    monkeypatch.setattr(backend, "LARGEST_BODY", 1000)
    assert Client(served).ask("POST", "/pgym/demo.git/git-upload-pack", b"x" * 2000)[0] == 413


def test_a_client_that_leaves_disturbs_nobody(served: Path) -> None:
    """A connection cut in the middle of a request is no event."""
    for sent in (b"GET /api", b"POST /pgym/demo.git/git-upload-pack HTTP/1.1\r\nContent-Length: 50\r\n\r\nabc"):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(served))
            client.sendall(sent)
    assert Client(served).ask("GET", "/api/v1/repos/search")[0] == 200


def test_a_host_leaves_no_socket(tmp_path: Path, short: Callable[[str], Path]) -> None:
    """When it is left, its address is gone, and hosts do not know of each other."""
    with GitHost(tmp_path, short("a")) as one, GitHost(tmp_path, short("b")) as other:
        assert Client(one.socket).ask("GET", "/api/v1/repos/search") == Client(other.socket).ask(
            "GET", "/api/v1/repos/search"
        )
    assert not one.socket.exists()


def test_a_long_path_is_explained(tmp_path: Path) -> None:
    """A path that no socket can have is a sentence and no system error."""
    with pytest.raises(ConfigError, match="at most 107 bytes"):
        GitHost(tmp_path, tmp_path / ("x" * 120))


def test_a_relay_leads_to_a_port(served: Path, address: str, short: Callable[[str], Path]) -> None:
    """What is asked at the relay's socket is answered from the port behind it."""
    port = int(address.split(":")[2].split("/", maxsplit=1)[0])
    with Relay(short("r"), ("127.0.0.1", port)):
        target = "/api/v1/repos/search"
        assert Client(short("r")).ask("GET", target) == Client(served).ask("GET", target)
    assert not short("r").exists()


def test_git_says_what_went_wrong(tmp_path: Path) -> None:
    """A failing command carries its own words."""
    with pytest.raises(Exception, match="git log failed on"):
        git("log", at=tmp_path)
