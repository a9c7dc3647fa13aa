"""Opening by command, and what goes wrong with it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from typing import Any

import pytest

from memgauge.errors import CallFailed, ConfigError, ContractBreach
from memgauge.systems.catalogue import open_system
from memgauge.systems.conformance import check
from memgauge.systems.loading import source_hash
from memgauge.systems.wire.client import WireSystem, connect
from memgauge.systems.wire.opening import _WAITING, Subprocess, serving
from memgauge.systems.wire.usage import SystemUsage, bytes_of, total
from support import ROOT
from support.wire import HELLO, HERE, lent, scripted, speaking, turn

NODE, SHELL = f"wire:command=node {ROOT}/examples/toy.mjs", f"wire:command=sh {ROOT}/examples/toy.sh"


def test_the_node_example_conforms() -> None:
    """About 30 lines in another language pass the whole check."""
    with lent(open_system(NODE)) as again:
        assert check(again).broken == ()
    assert len((ROOT / "examples" / "toy.mjs").read_text("utf-8").splitlines()) <= 34


def test_the_shell_example_stores_and_finds() -> None:
    """A shell script is a memory: it names what it stored, ranks, dumps and forgets."""
    system = open_system(SHELL)
    system.ingest([turn(0, "it rained"), turn(1, "the beans came up")], HERE)
    assert [hit.memory.id for hit in system.search("Beans?", HERE, 2).hits] == ["t1", "t0"]
    assert [memory.sources for memory in system.dump(HERE)] == [("t0",), ("t1",)]
    system.reset()
    assert list(system.dump(HERE)) == []
    system.close()  # type: ignore[attr-defined] # every wire system can be closed


def test_the_http_example_conforms() -> None:
    """A server that imports nothing of memgauge passes the whole check."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-S", str(ROOT / "examples" / "toy_http.py"), str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with contextlib.suppress(ConfigError):
                open_system(f"http://127.0.0.1:{port}").close()  # type: ignore[attr-defined]
                break
            time.sleep(0.05)
        report = check(lambda: open_system(f"http://127.0.0.1:{port}"))
        server.kill()
    assert report.broken == ()


@pytest.mark.slow
def test_the_shell_example_conforms() -> None:
    """It passes the whole check, slowly."""
    assert check(lambda: open_system(SHELL)).broken == ()


def test_the_adapter_is_part_of_a_run_s_identity(tmp_path: Any) -> None:
    """A changed file of the command is another system; the interpreter is not looked at."""
    system = open_system(NODE)
    assert source_hash(NODE, system)
    assert [file.name for file in system.files] == ["toy.mjs"]  # type: ignore[attr-defined]
    system.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        ("wire:command=/no/such/thing", "Cannot start /no/such/thing"),
        ("wire:command= ", "The command is empty"),
        ("wire:command=true,network=lan", "There is no network 'lan'"),
        ("wire:command=true", "true cannot be opened: its process ended with exit status 0 during hello"),
        ("wire:command=cat", "cat cannot be opened"),
        ("wire:command=sleep 60,start=0.2", "hello did not return within 0.2 s"),
    ],
)
def test_a_command_that_does_not_say_hello_is_a_sentence(ref: str, said: str) -> None:
    """What happened is said, and where to read on."""
    with pytest.raises(ConfigError, match=said):
        open_system(ref)


@pytest.mark.parametrize(
    ("hello", "said"),
    [
        ({"protocol": "wire/2"}, "speaks 'wire/2', not wire/1"),
        ({"offers": ["telepathic"]}, "offers 'telepathic'"),
        ({"name": 3}, "hello returned something unfit: result.name: 3 stands where a text"),
        ({"capabilities": {"unit": "book"}}, "result.capabilities.unit: 'book' stands where one of turn, pair"),
    ],
)
def test_an_unfit_hello_is_refused(hello: dict[str, Any], said: str) -> None:
    """A system that presents itself wrongly is not opened, and its process is gone."""
    body = [sys.executable, "-S", "-c", f"""
import json, sys
request = json.loads(sys.stdin.readline())
print(json.dumps({{"jsonrpc": "2.0", "id": request["id"], "result": {HELLO | hello!r}}}), flush=True)
sys.stdin.read()
"""]  # fmt: skip
    carried = Subprocess("test", body)
    with pytest.raises(ConfigError, match=said):
        connect(carried, "odd")
    assert carried.worker.pid is None
    assert not carried.folder.path.exists()


def test_a_system_that_comes_back_as_another_is_refused(tmp_path: Any) -> None:
    """After a restart it must present itself as before."""
    body = scripted("say({})")
    marker = tmp_path / "second"
    body[-1] = body[-1].replace('"version": "1"', f'"version": str(os.path.exists({str(marker)!r}))')
    system = connect(Subprocess("test", body), "shifting")
    marker.touch()
    os.kill(system._transport.worker.pid, 9)  # type: ignore[attr-defined]
    with pytest.raises(CallFailed):
        system.dump(HERE)
    with pytest.raises(ContractBreach, match="presents itself as another system"):
        system.reset()
    system.close()


def test_ctrl_c_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever interrupts a call gets the interruption, and leaves nothing running."""
    system = speaking("say({})")
    worker = system._transport.worker  # type: ignore[attr-defined]

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(system._transport, "call", interrupted)
    with pytest.raises(KeyboardInterrupt):
        system.reset()
    assert worker.pid is None


def test_accounts_add_up(tmp_path: Any) -> None:
    """Calls, time and addresses are summed; of memory and store the most counts."""
    (tmp_path / "a").write_bytes(b"123")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "b").write_bytes(b"45")
    assert bytes_of([tmp_path, tmp_path / "a", tmp_path / "absent"]) == 8
    one, other = SystemUsage(starts=1, stored=5), SystemUsage(starts=2, peak_rss=7)
    one.add("dump", 2.0, {"cpu_ms": 1.0, "rss_bytes": 3, "outside": {"x:1": 2}, "strayed": ["/a"]})
    other.add("dump", 1.0, {})
    both = total([one, other])
    assert (both.methods["dump"].calls, both.methods["dump"].ms, both.methods["dump"].cpu_ms) == (2, 3.0, 1.0)
    assert (both.peak_rss, both.stored, both.starts) == (7, 5, 3)
    assert (dict(both.outside), both.strayed) == ({"x:1": 2}, ["/a"])


def test_a_kept_process_serves_one_system_after_the_other() -> None:
    """Each is opened anew and finds nothing of the one before; one that died is not kept."""
    command = serving(sys.executable, ref="recency")

    def opened() -> WireSystem:
        return connect(Subprocess("kept", command, keep=True), "kept")

    first = opened()
    pid = first._transport.worker.pid  # type: ignore[attr-defined]
    first.ingest([turn()], HERE)
    first.close()
    with pytest.raises(CallFailed, match="not called: it was closed"):
        first.dump(HERE)
    second = opened()
    assert second._transport.worker.pid == pid  # type: ignore[attr-defined]
    assert second.dump(HERE) == ()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(CallFailed):
        second.dump(HERE)
    second.close()
    third = opened()
    assert third._transport.worker.pid != pid  # type: ignore[attr-defined]
    third.close()
    _WAITING.popitem()[1][1].kill()


def test_the_guide_shows_what_the_example_answers() -> None:
    """The conversation of docs/adapters.md is what the Node example says."""
    guide = (ROOT / "docs" / "adapters.md").read_text("utf-8")
    lines = guide.partition("$ node examples/toy.mjs\n")[2].partition("```")[0].splitlines()
    command = ["node", str(ROOT / "examples" / "toy.mjs")]
    done = subprocess.run(command, input="\n".join(lines[::2]), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == lines[1::2]
