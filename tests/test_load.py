"""`make load`: our servers bear a few clients for a moment, and what leaks or fails is noticed."""

from __future__ import annotations

import sys
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import load
from load_servers import SERVERS, Server

if TYPE_CHECKING:
    from pathlib import Path

    from load import Found
    from load_visits import Guest

SPOILT = """
    import os, sys
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    KEPT, COUNT = [], [0]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            COUNT[0] += 1
            if "memory" in sys.argv:
                KEPT.append(b"x" * 200_000)
            if "files" in sys.argv and len(KEPT) < 100:
                KEPT.append(open(os.devnull))
            if "dies" in sys.argv and COUNT[0] > 20:
                os._exit(3)
            good = "fails" not in sys.argv or COUNT[0] % 5
            self.send_response(200 if good else 500)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
    try:
        server.serve_forever(0.05)
    except KeyboardInterrupt:
        pass
"""


async def look_around(guest: Guest) -> None:
    """Ask for one page."""
    await guest.ask("page", "/")


def spoilt(folder: Path, *faults: str) -> Server:
    """Make a server with faults."""
    path = folder / "spoilt.py"
    path.write_text(textwrap.dedent(SPOILT), "utf-8")
    return Server("spoilt", "", lambda _: [sys.executable, str(path), *faults], look_around)


def visited(server: Server, seconds: float = 1.5) -> Found:
    """Let six clients visit it."""
    return load.load(server, clients=6, seconds=seconds, pause_s=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "wire",
        "aml",
        "model",
        "git",
        pytest.param("viewer", marks=pytest.mark.slow),
        pytest.param("track", marks=pytest.mark.slow),
    ],
)
def test_our_servers_fail_nobody(name: str) -> None:
    """Every request gets a good reply, in time, and nothing stays open when the clients have gone."""
    if name == "track":
        pytest.importorskip("mcp")
    found = visited(SERVERS[name])
    assert found.errors == {}
    assert found.requests > 6
    assert found.p50_ms <= found.p99_ms <= found.most_ms
    assert found.files[2] <= found.files[0] + load.FILES
    assert len(found.kinds) > 3


def test_a_server_without_faults_passes(tmp_path: Path) -> None:
    """Nothing is found where nothing is wrong."""
    assert visited(spoilt(tmp_path)).problems == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("memory", "memory grows: "),
        ("files", "files stay open: "),
        ("fails", "x page: status 500"),
        ("dies", "the server died"),
    ],
)
def test_faults_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, said: str) -> None:
    """Memory that is kept, files that stay open, replies that are errors, a process that is gone."""
    monkeypatch.setattr(load, "LEAVE_S", 0.4)
    assert any(said in problem for problem in visited(spoilt(tmp_path, fault)).problems)


def test_a_server_that_does_not_start_is_named(tmp_path: Path) -> None:
    """What it printed is in the error."""
    broken = replace(spoilt(tmp_path), prepare=lambda _: [sys.executable, "-c", "raise SystemExit('no luck')"])
    with pytest.raises(RuntimeError, match=r"it did not say where it listens.*no luck"):
        visited(broken)


def test_figures_are_read_at_one_look(tmp_path: Path) -> None:
    """The table has a row a server, and says where memory grows."""
    one = visited(spoilt(tmp_path), 0.5)
    shown = load.table([one, replace(one, server="other", flat=False)])
    assert len(shown.splitlines()) == 3
    assert "spoilt" in shown
    assert "GROWS" in shown.splitlines()[2]


def test_the_command_reads_its_arguments(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It ends with 1 where something is wrong, and refuses servers that are none."""
    monkeypatch.setitem(SERVERS, "spoilt", spoilt(tmp_path, "fails"))
    words = ["load.py", "spoilt", "--clients", "2", "--seconds", "0.5", "--pause", "0.01"]
    monkeypatch.setattr(sys, "argv", [*words, "--json"])
    assert load.main() == 1
    out, err = capsys.readouterr()
    assert '"server": "spoilt"' in out
    assert "status 500" in err
    monkeypatch.setattr(sys, "argv", ["load.py", "nothing"])
    with pytest.raises(SystemExit):
        load.main()
    assert "there is no server 'nothing'" in capsys.readouterr().err
