"""What a served product reaches for outside is refused, and told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.systems.wire.client import WireSystem, connect
from memgauge.systems.wire.guard import AuditGuard, is_here
from memgauge.systems.wire.opening import Subprocess, serving
from memgauge.systems.wire.surroundings import OwnFolder, cage_here, caged, environment
from support.wire import HERE

if TYPE_CHECKING:
    from memgauge.records import Memory

REACHING = """
import os, socket, urllib.request
from memgauge.records import Memory
from memgauge.systems.policies.plain import Recency

class Reaching(Recency):
    def dump(self, scope):
        said = []
        for what in (lambda: urllib.request.urlopen("http://telemetry.example/ping", timeout=5),
                     lambda: socket.create_connection(("192.0.2.1", 443), timeout=5),
                     lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.2", 53)),
                     lambda: socket.gethostbyname("telemetry.example"),
                     lambda: socket.getaddrinfo("localhost", 80)):
            try:
                what(); said.append("reached")
            except OSError as error:
                said.append(str(error))
        yield Memory("said", " | ".join(said))
        yield Memory("environment", " ".join(sorted(os.environ)))

class Straying(Recency):
    def flush(self, scope, timeout_s):
        open(os.path.join(os.environ["HOME"], "inside"), "w").close()
        open(os.environ["STRAY"], "w").close()
        open(os.environ["STRAY"]).close()
"""


def opened(tmp_path: Path, factory: str, network: str = "loopback", **switches: str) -> WireSystem:
    """Serve a system that reaches for things."""
    (tmp_path / "reaching.py").write_text(REACHING, encoding="utf-8")
    told = {
        "factory": f"reaching:{factory}",
        "name": "x",
        "arguments": {},
        "network": network,
        "path": [str(tmp_path)],
    }
    return connect(Subprocess("t", serving(sys.executable, **told), switches=switches, network=network), factory)


def said(memories: tuple[Memory, ...]) -> dict[str, str]:
    """Return what it says, by subject."""
    return {memory.id: memory.text for memory in memories}


def test_outside_is_refused_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names and addresses outside this machine are refused, whoever asks; this machine is not."""
    monkeypatch.setenv("SECRET_KEY", "not yours")
    system = opened(tmp_path, "Reaching", SWITCH="{folder}/x")
    told = said(system.dump(HERE))
    assert told["said"].count("out of bounds") == 4
    assert told["said"].endswith("reached")
    assert dict(system.usage.outside) == {
        "telemetry.example:80": 1,
        "192.0.2.1:443": 1,
        "192.0.2.2:53": 1,
        "telemetry.example": 1,
    }
    assert "SECRET_KEY" not in told["environment"]
    assert "SWITCH" in told["environment"]
    system.close()


@pytest.mark.skipif(not cage_here(), reason="Neither bwrap nor unshare can make a network here.")
def test_a_network_of_none_has_no_way_out() -> None:
    """Where the machine can, a process is cut off below the interpreter: there is nothing but its own loopback."""
    code = "import socket; print([name for _, name in socket.if_nameindex()])"
    done = subprocess.run(caged([sys.executable, "-c", code], "none"), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['lo']"
    assert caged(["x"], "any") == ["x"]


def test_files_outside_the_own_folder_are_told(tmp_path: Path) -> None:
    """Writing beside its folder is named once; reading and its own files are not."""
    system = opened(tmp_path, "Straying", STRAY=str(tmp_path / "stray"))
    system.flush(HERE, 1)
    system.flush(HERE, 1)
    assert system.usage.strayed == [str(tmp_path / "stray")]
    system.close()


def test_an_open_network_is_only_watched() -> None:
    """With ``any`` nothing is refused, and everything is told; the list ends somewhere."""
    guard = AuditGuard("any", "/tmp/own")  # noqa: S108 - no file is made
    for number in range(60):
        guard._heard("socket.getaddrinfo", (f"host{number}.example", None, 0, 0, 0))
    guard._heard("socket.connect", (None, ("192.0.2.1", 443)))
    guard._heard("socket.connect", (None, "/a/unix/socket"))
    told = guard.seen()
    assert len(told["outside"]) == 50
    assert guard.seen() == {}
    guard._heard("open", (3, "w", 1))
    guard._heard("open", ("/etc/x", "r", 0))
    guard._heard("open", (object(), "w", 1))
    guard._heard("os.rename", ("/tmp/own/a", "/elsewhere/b", -1, -1))  # noqa: S108 - no file is made
    guard._heard("sqlite3.connect", (":memory:",))
    guard._heard("other", ())
    assert guard.seen() == {"strayed": ["/elsewhere/b"]}


@pytest.mark.parametrize(
    ("host", "here"),
    [("127.0.0.1", True), ("127.1.2.3", True), ("::1", True), ("fe80::1%eth0", False), ("localhost", True),
     ("0.0.0.0", True), ("10.0.0.1", False), ("localhost.example", False), ("", True)],  # noqa: S104 - nothing listens
)  # fmt: skip
def test_what_is_here(host: str, here: bool) -> None:
    """Loopback addresses and this machine's name are here, and nothing else."""
    assert is_here(host) is here


def test_an_environment_holds_what_was_declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Own folders, fixed switches, declared ones with their places, and passed variables, which win."""
    monkeypatch.setenv("API_KEY", "mine")
    made = environment(
        tmp_path,
        switches={"API_KEY": "unused", "A": "{folder}/a:{home}/b"},
        passes=["API_KEY", "NOT_SET"],
        home="/h",
    )
    assert made["API_KEY"] == "mine"
    assert made["A"] == f"{tmp_path}/a:/h/b"
    assert made["HOME"] == str(tmp_path / "home")
    assert made["DO_NOT_TRACK"] == "1"
    assert "NOT_SET" not in made


def test_an_own_folder_is_emptied_and_removed() -> None:
    """A process that is started again finds nothing of the one before."""
    folder = OwnFolder("t")
    (folder.emptied() / "home" / "left").write_text("x", encoding="utf-8")
    (folder.path / "file").write_text("x", encoding="utf-8")
    assert sorted(one.name for one in folder.emptied().rglob("*")) == ["cache", "home", "tmp"]
    folder.remove()
    assert not folder.path.exists()


def test_only_the_package_itself_is_let_in() -> None:
    """The hook finds memgauge and nothing that lies beside it."""
    from memgauge.systems.wire import bootstrap

    package = Path(bootstrap.__file__).parents[2]
    hook = bootstrap.OnlyMemgauge(str(package))
    found = hook.find_spec("memgauge")
    assert found is not None
    assert found.origin == str(package / "__init__.py")
    assert hook.find_spec("pytest") is None


def test_what_cannot_be_read_counts_as_nothing() -> None:
    """A process that is gone holds no memory."""
    from memgauge.systems.wire.answering import resident

    assert resident(2**22 + 1) == 0
