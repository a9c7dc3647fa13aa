"""Importing memgauge opens no socket, and the test run itself cannot leave this machine."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

IMPORT_EVERYTHING = """
import importlib, pkgutil, socket

def refuse(*args, **kwargs):
    raise SystemExit(f"opened a connection: {args[1:]!r}")

socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = socket.create_connection = refuse

import memgauge

names = [m.name for m in pkgutil.walk_packages(memgauge.__path__, "memgauge.") if not m.name.endswith("__main__")]
for name in names:
    importlib.import_module(name)
print(len(names))
"""


def test_importing_every_module_opens_no_connection() -> None:
    """Every module imports while all connections and name look-ups are refused."""
    done = subprocess.run([sys.executable, "-c", IMPORT_EVERYTHING], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20


@pytest.mark.parametrize("address", [("192.0.2.1", 9), ("memgauge.invalid", 9)])
@pytest.mark.parametrize("method", ["connect", "connect_ex"])
def test_the_test_run_cannot_leave_this_machine(method: str, address: tuple[str, int]) -> None:
    """A connection to another machine fails the test that tries it, before any packet is sent."""
    with socket.socket() as sock, pytest.raises(pytest.fail.Exception, match="tests stay on this machine"):
        getattr(sock, method)(address)


def test_the_test_run_may_talk_to_itself() -> None:
    """Loopback connections work, so that tests can serve HTTP to themselves."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        assert client.getpeername() == server.getsockname()
