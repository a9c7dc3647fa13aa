"""A memory behind an MCP server at an address, served by the official SDK in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.cli import invoke
from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach
from memgauge.records import Scope, Turn, Verdict
from memgauge.systems.catalogue import open_system
from memgauge.systems.conformance import check
from memgauge.systems.mcp.declared import Mcp
from memgauge.systems.mcp.http import HttpClient, events
from memgauge.systems.protocol import supported
from support import Later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Serve = Callable[..., tuple[str, subprocess.Popen[str]]]
    Write = Callable[..., str]

NEEDS = Later("mcp"), Later("uvicorn")

SERVER = Path(__file__).parent / "notes_http.py"
ADA, BOB = Scope("ada"), Scope("bob")
TURNS = [Turn(f"t{n}", "Ada", f"Note {n} of the garden.", "s1") for n in range(25)]
DESCRIPTION = """
name = "notes"
url = "{url}"
score_kind = "similarity"
timeout_s = {timeout}
{more}
[ops.add]
tool = "write"
arguments = {{ user = "{{scope}}", title = "{{id}}", body = "{{text}}" }}
[ops.search]
tool = "find"
arguments = {{ user = "{{scope}}", query = "{{query}}", limit = "{{k}}" }}
result = "rows"
[ops.list]
tool = "all"
arguments = {{ user = "{{scope}}", page = "{{page}}" }}
result = "rows"
[ops.update]
tool = "write"
arguments = {{ user = "{{scope}}", title = "{{id}}", body = "{{text}}" }}
{delete}
[row]
id = "title"
text = "body"
score = "rank"
"""
DELETE = '[ops.delete]\ntool = "remove"\narguments = { user = "{scope}", title = "{id}" }'


def _serving() -> Iterator[Serve]:
    started: list[subprocess.Popen[str]] = []

    def start(habits: str = "", **environment: str) -> tuple[str, subprocess.Popen[str]]:
        command = [sys.executable, str(SERVER), habits]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})
        started.append(process)
        assert process.stdout
        return process.stdout.readline().strip(), process

    yield start
    for process in started:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serve notes with the given habits; what still runs at the end is killed."""
    yield from _serving()


@pytest.fixture(scope="module")
def shared() -> Iterator[Callable[[str], str]]:
    """Serve notes at one address for all tests that leave their server alone: to start one takes a second."""
    with contextmanager(_serving)() as start:
        yield cache(lambda habits: start(habits)[0])


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a description, and return its path."""

    def made(url: str, more: str = "", delete: str = DELETE, timeout: float = 20) -> str:
        path = tmp_path / "notes.toml"
        path.write_text(DESCRIPTION.format(url=url, more=more, delete=delete, timeout=timeout), "utf-8")
        return str(path)

    return made


@pytest.mark.parametrize(
    "habits", ["json", pytest.param("", marks=pytest.mark.slow), pytest.param("stateless", marks=pytest.mark.slow)]
)
def test_a_server_at_an_address_conforms(shared: Callable[[str], str], write: Write, habits: str) -> None:
    """By events or by JSON, with sessions or without; what no address can promise is not offered."""
    file = write(shared(habits))
    report = check(lambda: Mcp(file))
    assert [one for one in report.checks if one.verdict not in {Verdict.PASS, Verdict.UNSUPPORTED}] == []
    with closing(Mcp(file)) as system:
        assert (system.version, supported(system)) == ("9.2", ("mutable", "erasable"))
        assert list(system.storage_paths()) == []
        assert any("{scope} in arguments of its tools" in one for one in system.capabilities().interventions)


def test_a_path_may_have_its_ending(shared: Callable[[str], str], write: Write) -> None:
    """``mcp:./notes.toml`` and ``mcp:./notes`` are one system."""
    file = write(shared(""))
    for ref in (f"mcp:{file}", f"mcp:{file.removesuffix('.toml')}"):
        system = open_system(ref)
        assert isinstance(system, Mcp)
        with closing(system):
            assert (system.name, system.files) == ("notes", (Path(file),))


def test_what_others_keep_there_is_not_touched(shared: Callable[[str], str], write: Write) -> None:
    """A reset takes names that nobody else has; what an opened system wrote is deleted when it is closed."""
    file = write(shared(""))
    with closing(Mcp(file)) as first, closing(Mcp(file)) as second:
        first.ingest(TURNS[:2], ADA)
        second.ingest(TURNS[:3], ADA)
        second.ingest(TURNS[:1], BOB)
        second.erase(ADA)
        assert [len(list(one.dump(ADA))) for one in (first, second)] == [2, 0]
        second.reset()
        assert list(second.dump(BOB)) == []
        first.reopen()
        assert len(first.search("garden", ADA, 9).hits) == 2
        names = [first._host.name(ADA), first._host.name(BOB), second._host.name(ADA)]
        assert len(set(names)) == 3
    with closing(Mcp(file)) as third:
        third._host = first._host
        assert list(third.dump(ADA)) == []


def test_without_a_tool_that_deletes_nothing_is_erased(shared: Callable[[str], str], write: Write) -> None:
    """It is not offered, and a reset is a new beginning all the same."""
    with closing(Mcp(write(shared(""), delete=""))) as system:
        assert supported(system) == ()
        system.ingest(TURNS[:2], ADA)
        system.reset()
        assert list(system.dump(ADA)) == []


def test_a_scope_may_stand_in_the_address(shared: Callable[[str], str], write: Write, tmp_path: Path) -> None:
    """Then the tools need not know of it; without it anywhere scopes could not be told apart."""
    url = shared("")
    file = write(f"{url}?user={{scope}}")
    with closing(Mcp(file)) as system:
        assert any("{scope} in the address" in one for one in system.capabilities().interventions)
        system.ingest(TURNS[:1], ADA)
    path = tmp_path / "notes.toml"
    path.write_text(path.read_text("utf-8").replace("?user={scope}", "").replace('user = "{scope}",', ""), "utf-8")
    with pytest.raises(ConfigError, match=r"ops.add names no \{scope\}"):
        Mcp(file)


def test_a_key_reaches_the_process_that_plays(
    serve: Serve, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run has the key that the description names, and keeps it nowhere."""
    url, _ = serve(NOTES_KEY="sesame-4f81c2d97a")
    monkeypatch.setenv("KEY_OF_NOTES", "sesame-4f81c2d97a")
    file, out = write(url, 'key = "KEY_OF_NOTES"'), tmp_path / "runs"
    assert invoke(["run", "-d", "synthetic:tiny", "-s", f"mcp:{file}", "--out", str(out)]) == 0
    assert ": 32 ok" in capsys.readouterr().out
    assert not [path for path in out.rglob("*") if path.is_file() and b"sesame-4f81" in path.read_bytes()]


def test_a_key_is_sent_and_asked_for(serve: Serve, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a variable of the environment; a wrong one, none, and one in the clear are told with a remedy."""
    url, _ = serve(NOTES_KEY="sesame")
    monkeypatch.setenv("KEY_OF_NOTES", "sesame")
    with closing(Mcp(write(url, 'key = "KEY_OF_NOTES"'))) as system:
        system.ingest(TURNS[:1], ADA)
        monkeypatch.setenv("KEY_OF_NOTES", "other")
        with pytest.raises(
            ConfigError, match=r"refuses the key \(HTTP 401: who are you\?\)\. See what the variable"
        ):
            system.search("garden", BOB, 5)
        (client,) = system._clients.values()
        assert isinstance(client, HttpClient)
        client._key = "other"
        with pytest.raises(CallFailed, match="refuses the key"):
            system.search("garden", ADA, 5)
    with pytest.raises(ConfigError, match=r"asks for a key .*key = "):
        Mcp(write(url))
    with pytest.raises(ConfigError, match="in the clear"):
        Mcp(write("http://notes.example/mcp", 'key = "KEY_OF_NOTES"'))
    monkeypatch.delenv("KEY_OF_NOTES")
    with pytest.raises(ConfigError, match="KEY_OF_NOTES is not set"):
        Mcp(write(url, 'key = "KEY_OF_NOTES"'))


def test_a_call_that_hangs_is_bounded(serve: Serve, write: Write) -> None:
    """The session is left, and the next call has a new one; a beginning on a busy machine is within the limit."""
    with closing(Mcp(write(serve("hangs")[0], timeout=3))) as system:
        with pytest.raises(CallTimeout, match=r"tools/call of 127\S+ took longer than 3 s"):
            system.ingest(TURNS[:1], ADA)
        assert system._clients == {}


@pytest.mark.parametrize("habits", ["", pytest.param("json", marks=pytest.mark.slow)])
def test_a_server_that_is_killed_is_a_failure(serve: Serve, write: Write, habits: str) -> None:
    """Not an empty result; and one that was started again in its place is not asked before a reopening."""
    url, process = serve(habits)
    with closing(Mcp(write(url))) as system:
        system.ingest(TURNS[:2], ADA)
        system.ingest(TURNS[:2], BOB)
        process.send_signal(signal.SIGKILL)
        process.wait()
        with pytest.raises(CallFailed, match="broke off during tools/call"):
            system.search("garden", ADA, 5)
        serve(habits, NOTES_PORT=url.split(":")[2].split("/")[0])
        with pytest.raises(CallFailed, match=r"was not called: .* broke off during"):
            system.search("garden", ADA, 5)
        with pytest.raises(CallFailed, match="no longer knows its session"):
            system.search("garden", BOB, 5)
        system.reopen()
        system.ingest(TURNS[:1], ADA)
        assert len(system.search("garden", ADA, 5).hits) == 1


def test_a_server_that_dies_in_a_call_is_a_failure(serve: Serve, write: Write) -> None:
    """Its stream ends without an answer; letting go of it is no failure more."""
    with (
        closing(Mcp(write(serve("dies")[0]))) as system,
        pytest.raises(CallFailed, match="broke off during tools/call"),
    ):
        system.ingest(TURNS[:1], ADA)


def test_a_connection_that_was_idle_is_made_again(shared: Callable[[str], str], write: Write) -> None:
    """The server hangs up after a second in which nothing is asked."""
    with closing(Mcp(write(shared("json")))) as system:
        system.ingest(TURNS[:2], ADA)
        time.sleep(1.5)
        assert len(system.search("garden", ADA, 5).hits) == 2


def test_nobody_there_is_told_with_a_remedy(write: Write) -> None:
    """Also where it is no address, or where a folder or a program is named for a server elsewhere."""
    with pytest.raises(ConfigError, match=r"broke off during initialize: ConnectionRefused.*Start it"):
        Mcp(write("http://127.0.0.1:9/mcp"))
    with pytest.raises(ConfigError, match="is no address"):
        Mcp(write("notes"))
    with pytest.raises(ConfigError, match="has no bin and no path"):
        Mcp(write("http://127.0.0.1:9/mcp"), path="store")
    with pytest.raises(ConfigError, match="has url and command"):
        Mcp(write("http://127.0.0.1:9/mcp", 'command = ["notes"]'))


class Scripted(BaseHTTPRequestHandler):
    """Answers with what stands in *replies*, and otherwise as a server that has a tool."""

    replies: list[tuple[int, dict[str, str], bytes]]
    posted: list[bytes]

    def do_POST(self) -> None:
        """Answer."""
        content = self.rfile.read(int(self.headers["Content-Length"]))
        self.posted.append(content)
        status, heads, body = self.replies.pop(0) if self.replies else (202, {}, b"")
        self.send_response(status)
        for name, value in heads.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


GREETED = [
    (200, {"Content-Type": "application/json"}, b'{"id": 1, "result": {"protocolVersion": "2025-06-18"}}'),
    (202, {}, b""),
    (200, {"Content-Type": "application/json"}, b'{"id": 2, "result": {"tools": []}}'),
]
STREAM, JSON = {"Content-Type": "text/event-stream"}, {"Content-Type": "application/json"}


@pytest.fixture
def scripted() -> Iterator[tuple[str, Any]]:
    """Serve scripted answers."""
    handler = type("Bound", (Scripted,), {"replies": [*GREETED], "posted": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", handler
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        ((200, {"Content-Type": "application/json"}, b"[]"), ContractBreach, "which is no message"),
        ((200, {"Content-Type": "text/html"}, b"<html>"), ContractBreach, "'<html>', which is no message"),
        ((202, {}, b""), ContractBreach, "answered with nothing"),
        ((200, JSON, b'{"jsonrpc": "2.0", "id": 3, "res'), ContractBreach, "which is no message"),
        ((200, JSON, b'{"id": 999, "result": {}}'), ContractBreach, "request 3, was answered to request '999'"),
        ((200, JSON, b'{"id": "3", "result": {}}'), ContractBreach, "request 3, was answered to request '3'"),
        ((200, JSON, b'{"result": {}}'), ContractBreach, "request 3, was answered to no request"),
        ((200, JSON, b'{"id": null, "error": {"message": "no ink"}}'), CallFailed, "no ink"),
        ((200, STREAM, b'data: {"id": 999, "result": {}}\n\n'), CallFailed, "ended without an answer"),
        ((200, STREAM, b": nothing\n\n"), CallFailed, "ended without an answer"),
        ((500, {}, b"out of ink"), CallFailed, r"tools/call of \S+ returned HTTP 500: out of ink"),
        ((307, {"Location": "/mcp"}, b""), CallFailed, "HTTP 307, and names /mcp"),
        ((404, {}, b""), CallFailed, "HTTP 404"),
        (
            (200, STREAM, b'data: {"id": 3, "error": {"message": "the pen broke"}}\n\n'),
            CallFailed,
            "the pen broke",
        ),
    ],
)
def test_what_is_no_answer_is_told(
    scripted: tuple[str, Any], reply: tuple[int, dict[str, str], bytes], kind: type[Exception], said: str
) -> None:
    """Never taken for a result."""
    url, handler = scripted
    with closing(HttpClient(url)) as client:
        handler.replies.append(reply)
        with pytest.raises(kind, match=said):
            client.call("find", {})


def test_a_server_may_ask_before_it_answers(scripted: tuple[str, Any]) -> None:
    """A ping within the stream is answered by a message of its own; notifications are passed over."""
    url, handler = scripted
    with closing(HttpClient(url)) as client:
        stream = (
            b'data: {"method": "notifications/message"}\r\n\r\ndata: {"id": 7, "method": "ping"}\r\n\r\n'
            b'event: message\r\ndata: {"id": 3,\r\ndata: "result": {"structuredContent": {"rows": []}}}\r\n\r\n'
        )
        handler.replies.append((200, STREAM, stream))
        assert client.call("find", {}) == {"rows": []}
    assert b'"id": 7, "result": {}' in handler.posted[-1]


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_events_are_read_however_they_are_cut(size: int) -> None:
    """Lines end as the writer likes, comments are passed over, and an event that is not finished is none."""
    stream = b": hello\n\ndata: one\n\nevent: x\r\ndata:two\r\ndata: three\r\n\r\ndata: never"
    parts = [stream[start : start + size] for start in range(0, len(stream), size)]
    assert list(events(parts)) == [b"one", b"two\nthree"]
