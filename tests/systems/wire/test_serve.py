"""A system is served line by line, in this Python and in one that has nothing of ours."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.records import Change, Operation, Receipt
from memgauge.systems.catalogue import open_here
from memgauge.systems.conformance import check
from memgauge.systems.protocol import OPTIONAL, AuditEntry, Learning, Mutable, implements, supported
from memgauge.systems.wire.client import connect
from memgauge.systems.wire.opening import BOOTSTRAP, Subprocess, separate, serving
from memgauge.systems.wire.serve import main, serve
from support.wire import HERE, lent, turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.systems.protocol import MemorySystem


@pytest.fixture(autouse=True)
def own_handler() -> Iterator[None]:
    """Give back the handler of Ctrl-C, which serving takes."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def served(*requests: object, ref: str = "bm25") -> list[dict[str, Any]]:
    """Serve a system here, and return what it answers to *requests*."""
    lines = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in requests)
    answers = io.BytesIO()
    serve(lambda seed: open_here(ref, seed=seed), io.BytesIO(lines), answers)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def asked(number: int, method: str, **params: object) -> dict[str, Any]:
    """Make a request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


HELLO = asked(1, "hello", protocol="wire/1")
WRITE = asked(2, "ingest", turns=[{"id": "t1", "speaker": "Ada", "text": "the beans", "session": "s"}],
              scope={"user": "ada"})  # fmt: skip


def test_a_conversation_with_a_served_system() -> None:
    """Hello names it and what it offers; a write is found; every answer says what it cost."""
    hello, wrote, found, closed = served(
        HELLO, WRITE, asked(3, "search", query="beans", scope={"user": "ada"}, k=5), asked(4, "close")
    )
    assert hello["result"]["name"] == "bm25"
    assert hello["result"]["offers"] == ["mutable", "erasable", "expiring", "auditable"]
    assert wrote["result"]["changes"] == [{"op": "add", "memory": "t1"}]
    assert found["result"]["hits"][0]["memory"]["sources"] == ["t1"]
    assert found["result"]["usage"]["rss_bytes"] > 0
    assert closed["result"].keys() == {"usage"}


@pytest.mark.parametrize(
    ("request_", "code", "said"),
    [
        (asked(2, "fly"), -32601, "there is no method 'fly'"),
        (asked(2, "reopen"), -32601, "the memory is not durable, so it has no reopen"),
        (asked(2, "search", query="x", scope={"user": "a"}, k="5"), -32602, "parameters of search.k: '5' stands"),
        (asked(2, "search", query="x", scope={"usr": "a"}, k=5), -32602, "did you mean user?"),
        (asked(2, "hello", protocol="wire/9"), -32602, "this end speaks wire/1, not wire/9"),
        (b"nonsense\n", -32700, "'nonsense' came where"),
        ({"jsonrpc": "2.0", "id": 2}, -32600, "this is no request"),
    ],
)
def test_what_cannot_be_served_is_answered_with_a_reason(request_: object, code: int, said: str) -> None:
    """The error has its code, and a sentence that names the place."""
    error = served(HELLO, request_)[1]["error"]
    assert error["code"] == code
    assert said in error["message"]


def test_nothing_is_served_before_hello_and_notifications_are_not_answered() -> None:
    """A request needs an open system; what has no id wants no answer."""
    first, second = served({"jsonrpc": "2.0", "method": "log"}, WRITE, HELLO)
    assert first["error"]["message"] == "ingest before hello"
    assert second["result"]["protocol"] == "wire/1"


def test_what_a_system_raises_is_told_with_its_line() -> None:
    """The class, the message and the place in the code; the next request is served."""
    search, dump = asked(2, "search", query="x", scope={"user": "a"}, k=1), asked(3, "dump", scope={"user": "a"})
    _, error, dumped = served(HELLO, search, dump, ref="faulty:raises")
    assert error["error"]["data"]["kind"] in error["error"]["message"]
    assert ".py:" in error["error"]["message"]
    assert "result" in dumped


def test_what_a_system_may_not_return_is_a_breach() -> None:
    """A search that returns no ranking is named as such."""

    class Odd:
        name, version = "odd", "1"

        def capabilities(self) -> None:
            return None

        def search(self, *_: object) -> int:
            return 3

    search = asked(2, "search", query="", scope={"user": "a"}, k=1)
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in (HELLO, search))
    answers = io.BytesIO()
    serve(lambda _: Odd(), io.BytesIO(lines), answers)  # type: ignore[arg-type,return-value]
    error = json.loads(answers.getvalue().splitlines()[1])["error"]
    assert error == {"code": -32001, "message": "search returned an int, not a Ranking"}


def test_a_cancelled_call_is_answered_and_a_late_cancellation_ignored() -> None:
    """Cancelling ends the running call and none other."""

    class Waiting:
        name, version = "waiting", "1"

        def capabilities(self) -> Any:
            return open_here("bm25").capabilities()

        def flush(self, *_: object) -> None:
            signal.pause()

        def reset(self) -> None:
            """Do nothing."""

    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as lines, os.fdopen(writing, "wb", buffering=0) as to:
        for one in (HELLO, asked(2, "flush", scope={"user": "a"}, timeout_s=1)):
            to.write(json.dumps(one).encode() + b"\n")
        cancel = json.dumps({"jsonrpc": "2.0", "method": "cancel", "params": {"id": 2}}).encode() + b"\n"
        rest = (
            cancel
            + json.dumps(asked(3, "reset")).encode()
            + b"\n"
            + json.dumps(asked(4, "close")).encode()
            + b"\n"
        )
        timer = threading.Timer(0.3, to.write, (rest,))
        timer.start()
        answers = io.BytesIO()
        serve(lambda _: Waiting(), lines, answers)  # type: ignore[arg-type,return-value]
        timer.join()
        to.write(b'{"method": "x", "params": "\\"cancel\\""}\n"cancel" nonsense\n')
        to.close()
        for thread in threading.enumerate():
            if thread.name == "wire":
                thread.join()
    told = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert told[1]["error"]["message"] == "flush was cancelled"
    assert "result" in told[2]


def test_any_python_with_memgauge_serves_any_system() -> None:
    """`python -m memgauge.systems.wire.serve REF` speaks the wire on its streams."""
    command = [sys.executable, "-m", "memgauge.systems.wire.serve", "bm25"]
    done = subprocess.run(command, input=json.dumps(HELLO) + "\n", capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["result"]["name"] == "bm25"
    assert main([]) == 2


PLAIN = """
import pathlib, sys
from collections.abc import Sequence
from memgauge.records import Change, Hit, Memory, Operation, Ranking, Receipt, ScoreKind
from memgauge.systems.protocol import AuditEntry, Capabilities

class Plain:
    name, version = "plain", "1"
    def __init__(self, *, found: str = "") -> None: self.reset()
    def capabilities(self): return Capabilities(reports_changes=True, declares_sources=True)
    def ingest(self, turns, scope):
        self.kept.setdefault(scope, []).extend(Memory(t.id, t.text, sources=(t.id,)) for t in turns)
        return Receipt(tuple(Change(Operation.ADD, t.id) for t in turns))
    def flush(self, scope, timeout_s): print("a product prints")
    def search(self, query, scope, k, as_of=None):
        words = set(query.lower().split())
        ranked = sorted(self.kept.get(scope, []), key=lambda m: -len(words & set(m.text.lower().split())))
        return Ranking(tuple(Hit(m) for m in ranked[:k]))
    def dump(self, scope): return iter(self.kept.get(scope, []))
    def reset(self): self.kept = {}

class Everything(Plain):
    def offered(self): return "mutable"
    def update(self, memory, text, scope): return Receipt((Change(Operation.UPDATE, memory),))
    def delete(self, memories, scope): return len(memories)
    def erase(self, scope): self.kept.pop(scope, None)
    def ingest_expiring(self, turn, scope, expires_at):
        return Receipt((Change(Operation.ADD, expires_at.isoformat()),))
    def sweep(self, now): self.swept = now
    def history(self, memory, scope): return [AuditEntry(Operation.ADD, self.swept, memory)]
    def reopen(self): pathlib.Path("store").write_text("12345")
    def storage_paths(self): return [pathlib.Path("store").resolve()]
    def context(self, query, scope, budget): return query[:budget]
    def ask(self, question, scope, as_of=None): return f"{question} {as_of:%Y}"
    def reward(self, value): self.kept["rewarded"] = [Memory("reward", str(value))]

class Looking(Plain):
    def dump(self, scope):
        ours = [n for n, m in sys.modules.items() if "site-packages" in str(getattr(m, "__file__", ""))]
        yield Memory("modules", ",".join(ours))
        yield Memory("path", ",".join(sys.path))
"""


def bare(tmp_path: Path, factory: str, *options: str) -> MemorySystem:
    """Serve *factory* of a module in *tmp_path*."""
    (tmp_path / "foreign.py").write_text(PLAIN, encoding="utf-8")
    python, script, told = serving(sys.executable, factory=factory, name="x", arguments={}, path=[str(tmp_path)])
    return connect(Subprocess("bare", [python, *options, script, told]), factory)


def test_it_runs_where_nothing_of_ours_is_installed(tmp_path: Path) -> None:
    """Without site-packages, in isolation: memgauge's pure modules alone are found, and the system conforms."""
    system = bare(tmp_path, "foreign:Looking", "-S", "-I")
    told = {memory.id: memory.text for memory in system.dump(HERE)}
    assert told["modules"] == ""
    assert str(Path(__file__).parents[3] / "src") not in told["path"].split(",")
    system.close()  # type: ignore[attr-defined] # every wire system can be closed
    with lent(bare(tmp_path, "foreign:Plain", "-S", "-I")) as again:
        assert check(again).broken == ()


def test_a_wrong_parameter_is_told_as_here(tmp_path: Path) -> None:
    """Errors of the user keep their class and their words over the wire."""
    (tmp_path / "foreign.py").write_text(PLAIN, encoding="utf-8")
    with pytest.raises(UnknownNameError, match="Unknown system 'bm52'"):
        separate("bm52")
    command = serving(
        sys.executable, factory="foreign:Plain", name="x", arguments={"size": 3}, path=[str(tmp_path)]
    )
    with pytest.raises(UnknownNameError, match="Unknown parameter of system x 'size'"):
        connect(Subprocess("t", command), "x")


def test_a_system_that_cannot_be_opened_is_a_sentence(tmp_path: Path) -> None:
    """What its factory raised, and its line."""
    (tmp_path / "broken.py").write_text("def make():\n    raise RuntimeError('no disk')\n", encoding="utf-8")
    command = serving(sys.executable, factory="broken:make", name="x", arguments={}, path=[str(tmp_path)])
    with pytest.raises(ConfigError, match=r"it raised RuntimeError: no disk \(broken.py:2\)"):
        connect(Subprocess("t", command), "broken")


def test_an_old_python_is_refused_with_a_sentence() -> None:
    """The script tells a Python that is too old; here by its own condition."""
    code = "import sys, runpy; sys.version_info = (3, 10, 1); runpy.run_path(sys.argv[1], run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code, str(BOOTSTRAP)], capture_output=True, text=True, check=False
    )
    assert "Python 3.11 or newer; this is Python 3.10" in done.stderr


def test_a_separate_system_is_the_same_system() -> None:
    """It offers what it offers here, by methods and by name, and conforms as it does here."""
    system: Any = separate("bm25")
    assert supported(system) == supported(open_here("bm25"))
    assert [implements(system, one) for one in (Mutable, Learning)] == [True, False]
    assert system.capabilities() == open_here("bm25").capabilities()
    system.ingest([turn()], HERE)
    assert [memory.id for memory in system.dump(HERE)] == ["t0"]
    system.close()


def test_every_optional_method_travels(tmp_path: Path) -> None:
    """Everything that a system can offer is called over the wire as it is called here."""
    system: Any = bare(tmp_path, "foreign:Everything")
    assert set(supported(system)) == set(OPTIONAL)
    at = datetime(2024, 3, 4)  # noqa: DTZ001 - conversations have naive times
    assert system.update("m", "new", HERE) == Receipt((Change(Operation.UPDATE, "m"),))
    assert system.delete(["a", "b"], HERE) == 2
    assert system.ingest_expiring(turn(), HERE, at).changes[0].memory == "2024-03-04T00:00:00"
    system.sweep(at)
    assert system.history("m", HERE) == (AuditEntry(Operation.ADD, at, "m"),)
    system.reopen()
    assert system.storage_paths()[0].name == "store"
    system.flush(HERE, 5)
    assert system.usage.stored == 5
    assert system.context("where is it", HERE, 5) == "where"
    assert system.ask("Who?", HERE, at) == "Who? 2024"
    system.reward(0.5)
    system.erase(HERE)
    assert system.dump(HERE) == ()
    assert system.usage.methods["erase"].calls == 1
    system.close()
