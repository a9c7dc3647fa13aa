"""A process that dies, hangs or talks nonsense makes its call fail, and is never taken for an empty store."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from memgauge.errors import CallFailed, CallTimeout, ConfigError, ContractBreach
from memgauge.systems.wire.opening import Subprocess, separate
from memgauge.systems.wire.process import Command, Worker
from support.wire import HERE, scripted, speaking, turn

OK = "say({'memories': []} if method == 'dump' else {'hits': []} if method == 'search' else {})"


def worker_of(system: object) -> Worker:
    """Return what holds the process of a system."""
    return system._transport.worker  # type: ignore[attr-defined,no-any-return] # there is no public way to the process


def alive(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def test_a_call_is_answered() -> None:
    """What comes back is what the process said."""
    system = speaking("say({'hits': [{'memory': {'id': 'm1', 'text': params['query']}}]})")
    assert system.search("beans", HERE, 3).hits[0].memory.text == "beans"
    system.close()


@pytest.mark.parametrize("seed", range(8))
def test_a_process_killed_at_any_moment_is_a_failed_call(seed: int) -> None:
    """With SIGKILL at a random moment of a random call, every call is right or fails; none is empty."""
    chance = random.Random(seed)  # noqa: S311 - a test's own dice
    system = separate("recency")
    for number in range(5):
        system.ingest([turn(number)], HERE)
    pid = worker_of(system).pid
    assert pid is not None
    killer = threading.Timer(chance.uniform(0.0, 0.03), os.kill, (pid, signal.SIGKILL))
    killer.start()

    def call() -> int:
        return len(system.search("beans", HERE, 5).hits if chance.random() < 0.5 else system.dump(HERE))

    def until_it_fails() -> None:
        while True:
            assert call() == 5

    with pytest.raises(CallFailed, match="was killed by SIGKILL"):
        until_it_fails()
    with pytest.raises(CallFailed, match="not called: its process was killed by SIGKILL"):
        system.search("beans", HERE, 5)
    system.close()


def test_after_a_death_only_reset_starts_it_again() -> None:
    """Reset asks for an empty store, which a fresh process has; the account tells of two starts."""
    system = separate("recency")
    system.ingest([turn()], HERE)
    os.kill(worker_of(system).pid or 0, signal.SIGKILL)
    with pytest.raises(CallFailed):
        system.dump(HERE)
    system.reset()
    assert system.dump(HERE) == ()
    system.ingest([turn()], HERE)
    assert [memory.id for memory in system.dump(HERE)] == ["t0"]
    assert system.usage.starts == 2
    system.close()


def test_a_hanging_call_is_bounded_by_its_deadline() -> None:
    """The process is killed when the time is over, and the call is a timeout."""
    system = speaking("time.sleep(600) if method == 'search' else say({})", call_s=0.3)
    pid = worker_of(system).pid
    with pytest.raises(CallTimeout, match="search did not return within"):
        system.search("beans", HERE, 3)
    assert not alive(pid or 0)
    with pytest.raises(CallFailed, match="not called: search did not return"):
        system.dump(HERE)
    system.close()


def test_a_process_that_does_not_read_is_bounded_too() -> None:
    """A request larger than any pipe cannot be sent to a process that sleeps."""
    system = speaking("time.sleep(600) if method == 'flush' else say({})", call_s=0.5)
    with pytest.raises(CallTimeout):
        system.flush(HERE, 1)
    system.close()
    deaf = Worker(Command([sys.executable, "-S", "-c", "import time; time.sleep(600)"], {}, Path.cwd()))
    deaf.start()
    with pytest.raises(CallTimeout, match="ingest did not return within"):
        deaf.call("ingest", {"text": "x" * 4_000_000}, 0.5)
    deaf.kill()


def test_closing_ends_a_call_that_hangs() -> None:
    """Another thread may close the system; the call fails and says that it was closed."""
    system = speaking("time.sleep(600) if method == 'search' else say({})")
    faults: list[str] = []

    def search() -> None:
        try:
            system.search("beans", HERE, 3)
        except CallFailed as fault:
            faults.append(str(fault))

    thread = threading.Thread(target=search)
    thread.start()
    time.sleep(0.1)
    system.close()
    thread.join(10)
    assert faults == ["it was closed"]
    assert worker_of(system).pid is None


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("how", ["closed", "killed"])
def test_what_it_started_ends_with_it(how: str, apart: bool) -> None:
    """A server that a product started is killed with the product, also one that left its group."""
    body = f"""
    import subprocess
    sleeping = [sys.executable, "-S", "-c", "import time; time.sleep(600)"]
    child = subprocess.Popen(sleeping, start_new_session={apart})
    say({{'memories': [{{'id': str(child.pid), 'text': ''}}]}})
    """
    system = speaking(body)
    (memory,) = system.dump(HERE)
    assert alive(int(memory.id))
    if how == "killed":
        os.kill(worker_of(system).pid or 0, signal.SIGKILL)
        with pytest.raises(CallFailed):
            system.dump(HERE)
    else:
        system.close()
    until = time.monotonic() + 10
    while alive(int(memory.id)) and time.monotonic() < until:
        time.sleep(0.01)
    assert not alive(int(memory.id))
    system.close()


@pytest.mark.parametrize("network", ["loopback", "none"])
def test_it_outlives_the_thread_that_started_it(network: str) -> None:
    """A system that was opened on one thread is called from others, the first one being gone."""
    opened = []
    thread = threading.Thread(target=lambda: opened.append(separate("recency", network=network)))
    thread.start()
    thread.join(60)
    (system,) = opened
    time.sleep(0.05)  # a signal on the thread's end would come now
    system.ingest([turn(0)], HERE)
    assert len(list(system.dump(HERE))) == 1
    system.close()


def test_the_last_words_of_stderr_are_in_the_error() -> None:
    """Why a process died stands at the end of what it wrote to stderr."""
    system = speaking("sys.exit('the disk is on fire')")
    with pytest.raises(
        CallFailed, match=r"ended with exit status 1 during dump; its last words: the disk is on fire"
    ):
        system.dump(HERE)
    system.close()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("print('debug', flush=True)", "'debug' came where a JSON-RPC message belongs"),
        ("print('[]', flush=True)", "'\\[\\]' came where"),
        ("id = 99; say({})", "no answer to request"),
        ("say({'memories': 3})", "dump returned something unfit: result.memories: 3 stands where a list"),
        ("say([])", "is no object"),
    ],
)
def test_nonsense_is_a_breach(body: str, said: str) -> None:
    """What is no answer, or no list of memories, is named and never guessed at."""
    system = speaking(body)
    with pytest.raises(ContractBreach, match=said):
        system.dump(HERE)
    system.close()


def test_notifications_of_the_process_are_passed_over() -> None:
    """A process may send messages that nobody waits for."""
    system = speaking("print(json.dumps({'jsonrpc': '2.0', 'method': 'log'}), flush=True); say({})")
    assert system.dump(HERE) == ()
    system.close()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"code": -32000, "message": "KeyError: 'x'"}, "KeyError: 'x'"),
        ({}, "no reason given"),
        ("odd", "odd"),
    ],
)
def test_an_error_is_a_failed_call(error: object, said: str) -> None:
    """What the memory raised is said; the process lives on."""
    body = f"""
    if method == 'dump':
        print(json.dumps({{"jsonrpc": "2.0", "id": id, "error": {error!r}}}), flush=True)
    else:
        say({{}})
    """
    system = speaking(body)
    with pytest.raises(CallFailed, match=said):
        system.dump(HERE)
    system.flush(HERE, 1)
    system.close()


def test_a_program_that_is_not_there_is_a_sentence() -> None:
    """The mistake is the user's, and named."""
    worker = Worker(Command(["/no/such/program"], {}, Path.cwd()))
    with pytest.raises(ConfigError, match="Cannot start /no/such/program: No such file or directory"):
        worker.start()
    with pytest.raises(CallFailed, match="it was closed"):
        worker.call("dump", {}, 1)
    worker.cancel()
    worker.kill()
    worker.stop()
    assert worker.used() == {}


def test_what_nobody_closed_ends_when_nobody_holds_it() -> None:
    """Forgetting to close leaks nothing."""
    worker = Worker(Command(scripted(OK), dict(os.environ), Path.cwd()))
    worker.start()
    pid = worker.pid or 0
    del worker
    gc.collect()
    assert not alive(pid)


def test_the_end_of_the_harness_ends_a_hanging_call(tmp_path: Path) -> None:
    """A served system whose caller is killed does not live on, although a call of it sleeps."""
    (tmp_path / "sleepy.py").write_text(
        "import time\nfrom memgauge.systems.policies.plain import Recency\n"
        "class Sleepy(Recency):\n    def dump(self, scope): time.sleep(600)\n",
        encoding="utf-8",
    )
    code = f"""
import os, sys
from memgauge.systems.wire.client import connect
from memgauge.systems.wire.opening import Subprocess, serving
from memgauge.records import Scope
command = serving(sys.executable, ref="sleepy:Sleepy", path=[{str(tmp_path)!r}])
system = connect(Subprocess("t", command), "sleepy")
print(system._transport.worker.pid, flush=True)
system.dump(Scope("ada"))
"""
    caller = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert caller.stdout
    pid = int(caller.stdout.readline())
    time.sleep(0.2)
    caller.kill()
    caller.wait()
    caller.stdout.close()
    until = time.monotonic() + 10
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.02)
    assert not alive(pid)


def test_cancelling_a_served_call_ends_it_and_not_the_process(tmp_path: Path) -> None:
    """A served Python gives up the running call when it is asked to, and answers the next."""
    (tmp_path / "slow.py").write_text(
        "import time\nfrom memgauge.systems.policies.plain import Recency\n"
        "class Slow(Recency):\n    def dump(self, scope): time.sleep(30)\n",
        encoding="utf-8",
    )
    from memgauge.systems.wire.client import connect
    from memgauge.systems.wire.opening import serving

    command = serving(sys.executable, ref="slow:Slow", path=[str(tmp_path)])
    system = connect(Subprocess("test", command), "slow")
    threading.Timer(0.3, worker_of(system).cancel).start()
    with pytest.raises(CallFailed, match="dump was cancelled"):
        system.dump(HERE)
    system.ingest([turn()], HERE)
    assert len(system.search("beans", HERE, 3).hits) == 1
    system.close()


def test_what_it_used_is_told_by_the_system_where_it_does_not_say() -> None:
    """Processor time and memory of a process in any language are counted, by method."""
    system = speaking("sum(range(3_000_000)) if method == 'flush' else 0\nsay({})")
    system.flush(HERE, 1)
    used = system.usage
    assert used.methods["flush"].calls == 1
    assert used.methods["flush"].cpu_ms > 0
    assert used.peak_rss > 1_000_000
    system.close()
