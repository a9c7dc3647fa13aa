"""A memory behind MCP tools, with a real server that is well or badly behaved."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import CallFailed, CallTimeout, MissingExtraError, UnknownNameError
from memgauge.records import Operation, Scope, ScoreKind, Turn, Verdict
from memgauge.studies.golden.driver import Driver
from memgauge.studies.golden.races.race import race
from memgauge.systems.catalogue import open_system
from memgauge.systems.conformance import check
from memgauge.systems.mcp.client import StdioClient
from memgauge.systems.mcp.declared import Mcp, basic_memory, server_memory
from memgauge.systems.mcp.hosting import ScopedServers, find_program, package_version
from memgauge.systems.protocol import Consistency, supported
from support.wire import lent
from systems.mcp.conftest import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable

    Describe = Callable[..., str]

ADA, BOB = Scope("ada"), Scope("bob")
TURNS = [Turn(f"t{n}", "Ada", f"Note {n} of the garden.", "s1") for n in range(25)]


def only_process(system: Mcp) -> int:
    """Return the id of the one server that runs."""
    (client,) = system._clients.values()
    assert isinstance(client, StdioClient)
    return client._life.process.pid


@pytest.mark.parametrize("words", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_server_that_keeps_its_word_conforms(describe: Describe, words: bool) -> None:
    """Every probe that applies passes, whether the server or the adapter ranks."""
    with lent(Mcp(describe(words=words))) as again:
        report = check(again)
    assert [one for one in report.checks if one.verdict not in {Verdict.PASS, Verdict.UNSUPPORTED}] == []
    assert {one.name for one in report.checks if one.verdict is Verdict.UNSUPPORTED} == {
        *("expiry (expiring)", "history (auditable)", "context (assembling)", "ask (answering)"),
        "reward (learning)",
    }


def test_a_server_that_is_told_no_place_does_not_promise_to_outlive_its_process(describe: Describe) -> None:
    """The check is unsupported; one that promises it and forgets fails, and is told what to write."""
    path = Path(describe())
    forgetful = path.read_text("utf-8").replace('NOTES_FILE = "{dir}/notes.json"\n', "")
    path.write_text(forgetful, "utf-8")
    with lent(Mcp(str(path))) as again:
        report = check(again)
        assert "durable" not in supported(again())
    verdicts = {one.name: one.verdict for one in report.checks}
    assert verdicts["reopen (durable)"] is Verdict.UNSUPPORTED
    assert report.broken == ()
    path.write_text("durable = true\n" + forgetful, "utf-8")
    with lent(Mcp(str(path))) as again:
        (broken,) = check(again).broken
    assert broken.name == "reopen (durable)"
    assert broken.detail.startswith("of 24 memories 0 are as before after it was opened again, which lists 0; ")
    assert "`durable = false`" in broken.detail


@pytest.mark.parametrize(
    ("habits", "settles", "changed"),
    [("", False, Operation.UPDATE), ("lags", True, Operation.UPDATE), ("leaves", False, Operation.NOOP)],
)
def test_a_turn_that_is_told_again_is_not_added_again(
    describe: Describe, habits: str, settles: bool, changed: Operation
) -> None:
    """What it did is seen in the list: a server overwrites what has its name, if later, or leaves it."""
    first, again = TURNS[0], replace(TURNS[0], text="Another note of the garden.")
    told = (first, TURNS[1], first, again)
    with closing(Mcp(describe(habits, settles=settles))) as system:
        done = []
        for turn in told:
            done += [change.op for change in system.ingest([turn], ADA).changes or ()]
            system.flush(ADA, 5)
        assert done == [Operation.ADD, Operation.ADD, Operation.NOOP, changed]
        batch = system.ingest([TURNS[2], first, TURNS[2], TURNS[1]], ADA).changes or ()
        kept_text = habits == "leaves"
        assert [(change.op, change.memory) for change in batch] == [
            (Operation.ADD, "t2"),
            (Operation.NOOP if kept_text else Operation.UPDATE, "t0"),
            (Operation.NOOP, "t1"),
        ]
        system.flush(ADA, 5)
        system.reopen()
        beside = system.beside()
        assert [change.op for change in beside.ingest([TURNS[1]], ADA).changes or ()] == [Operation.NOOP]
        beside.hang_up()
        system.delete([first.id], ADA)
        system.flush(ADA, 5)
        assert [change.op for change in system.ingest([first], ADA).changes or ()] == [Operation.ADD]


def test_no_more_servers_run_than_a_machine_should_hold(
    describe: Describe, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest ends, and begins again in its folder when its scope is next used."""
    monkeypatch.setattr(ScopedServers, "most_open", 2)
    scopes = [Scope(f"user-{number}") for number in range(4)]
    with closing(Mcp(describe("lags", settles=True))) as system:
        for number, scope in enumerate(scopes):
            system.ingest([TURNS[number]], scope)
            assert len(system._clients) <= 2
        for number, scope in enumerate(scopes):
            system.flush(scope, 5)
            assert [memory.text for memory in system.dump(scope)] == [TURNS[number].text]
        assert list(system._clients) == scopes[2:]


def test_what_the_tools_allow_is_offered(describe: Describe) -> None:
    """Without tools that change and remove, single memories cannot be changed."""
    with closing(Mcp(describe(mutable=False))) as system:
        assert supported(system) == ("erasable", "durable")
    with closing(Mcp(describe())) as system:
        assert supported(system) == ("mutable", "erasable", "durable")


def test_what_the_adapter_adds_is_declared(describe: Describe) -> None:
    """Ranking by words, processes and folders stand in every report, as does what the server announces."""
    with closing(Mcp(describe(words=True))) as system:
        assert system.capabilities().score_kind is ScoreKind.NONE
    with closing(Mcp(describe())) as plain:
        declared = plain.capabilities()
    assert any("each word" in one for one in system.capabilities().interventions)
    assert any("a process and a folder a scope" in one for one in declared.interventions)
    assert (plain.version, declared.score_kind, declared.consistency) == (
        "9.1",
        ScoreKind.SIMILARITY,
        Consistency.IMMEDIATE,
    )


def test_a_reference_without_the_ending_opens_a_file(describe: Describe) -> None:
    """``mcp:./notes`` is the file notes.toml, which belongs to the identity of a run."""
    file = describe()
    system = open_system(f"mcp:{file.removesuffix('.toml')}")
    assert isinstance(system, Mcp)
    with closing(system):
        assert (system.name, system.files) == ("notes", (Path(file), SERVER))


def test_a_failure_that_a_server_tells_in_words_is_one(describe: Describe) -> None:
    """It is no empty list and no good write; an empty store may be answered in any words."""
    with closing(Mcp(describe("apologises-find"))) as system:
        assert system.search("garden", ADA, 5).hits == ()
        system.ingest(TURNS, ADA)
        with pytest.raises(CallFailed, match=r"find of notes failed: Error: backend unavailable"):
            system.search("garden", ADA, 5)
    with closing(Mcp(describe("apologises-write"))) as system, pytest.raises(CallFailed, match="write of notes"):
        system.ingest(TURNS, ADA)


def test_pages_are_read_to_their_end(describe: Describe) -> None:
    """A list comes in pages of ten, and all of it is dumped once."""
    with closing(Mcp(describe())) as system:
        system.ingest(TURNS, ADA)
        assert [memory.id for memory in system.dump(ADA)] == [turn.id for turn in TURNS]
        assert list(system.dump(BOB)) == []
        assert system.search("garden", BOB, 5).hits == ()


def test_words_are_ranked_by_how_many_are_found(describe: Describe) -> None:
    """The memory that holds most words of the question comes first, and short words are not asked for."""
    with closing(Mcp(describe(words=True))) as system:
        said = ("the robin sang", "the robin sang in the rain", "a dog")
        system.ingest([Turn(f"w{n}", "Ada", text, "s") for n, text in enumerate(said)], ADA)
        hits = system.search("Did it sing in rain: a robin?", ADA, 2).hits
        assert next(iter(hits)).memory.id == "w1"
        assert len(hits) == 2
        assert system.search("garden", ADA, 0).hits == ()


def test_an_unknown_memory_is_not_updated(describe: Describe) -> None:
    """An update of nothing changes nothing and says so."""
    with closing(Mcp(describe())) as system:
        system.ingest(TURNS[:1], ADA)
        (change,) = system.update("nobody", "text", ADA).changes or ()
        assert (change.op, len(list(system.dump(ADA)))) == (Operation.NOOP, 1)


def test_late_writes_are_waited_for(describe: Describe) -> None:
    """Flush returns when everything written is listed, and raises where that takes longer than it may."""
    with closing(Mcp(describe("lags", settles=True))) as system:
        assert system.capabilities().consistency is Consistency.FLUSH
        system.ingest(TURNS[:2], ADA)
        with pytest.raises(CallTimeout, match="1 memories of notes are not listed after 0 s"):
            system.flush(ADA, 0)
        system.flush(ADA, 20)
        assert len(list(system.dump(ADA))) == 2
        system.update("t0", "Another text.", ADA)
        system.flush(ADA, 20)
        system.delete(["t1"], ADA)
        system.flush(ADA, 20)
        assert [memory.text for memory in system.dump(ADA)] == ["Another text."]


def test_results_may_be_texts(describe: Describe) -> None:
    """A server that structures nothing is read from its text."""
    with closing(Mcp(describe("texts"))) as system:
        system.ingest(TURNS[:3], ADA)
        assert len(list(system.dump(ADA))) == 3


def test_noise_and_requests_of_a_server_are_stood(describe: Describe) -> None:
    """A greeting is passed over, a ping is answered and everything else is refused."""
    with closing(Mcp(describe("greets"))) as system:
        system.ingest(TURNS[:1], ADA)
        (client,) = system._clients.values()
        assert isinstance(client, StdioClient)
        client.call("all", {"page": 1})
        deadline = time.monotonic() + 10
        while "|" not in client._life.last_words(2) and time.monotonic() < deadline:
            time.sleep(0.01)
        said = client._life.last_words(2)
    assert '"id": "p1", "jsonrpc": "2.0", "result": {}' in said
    assert '"error": {"code": -32601' in said


@pytest.mark.parametrize(
    ("habit", "words"),
    [
        ("refuses", "write of .* failed: no more notes today"),
        ("fails", "the pen broke"),
        ("dies", "7: out of ink"),
    ],
)
def test_a_failure_is_told(describe: Describe, habit: str, words: str) -> None:
    """What a tool, the protocol or a dying process says is in the error."""
    with closing(Mcp(describe(habit))) as system, pytest.raises(CallFailed, match=words):
        system.ingest(TURNS[:1], ADA)


def test_a_call_that_hangs_ends_its_server(describe: Describe) -> None:
    """After its time the process is gone, and the next call has a new one."""
    with closing(Mcp(describe("hangs", timeout=3))) as system:
        with pytest.raises(CallTimeout, match="took longer than 3 s"):
            system.ingest(TURNS[:1], ADA)
        assert system._clients == {}
        assert list(system.dump(ADA)) == []


def test_lines_that_are_no_messages_are_passed_over(describe: Describe) -> None:
    """Only where no answer comes the last of them is quoted, cut."""
    with closing(Mcp(describe("babbles"))) as system:
        system.ingest(TURNS[:1], ADA)
        assert [memory.id for memory in system.dump(ADA)] == ["t0"]
    quoted = "; it wrote 'not now, with x{66}', which is no message$"
    late = pytest.raises(CallTimeout, match=f"longer than 3 s{quoted}")
    with closing(Mcp(describe("babbles+hangs", timeout=3))) as system, late:
        system.ingest(TURNS[:1], ADA)
    gone = pytest.raises(CallFailed, match=f"7: out of ink{quoted}")
    with closing(Mcp(describe("babbles+dies"))) as system, gone:
        system.ingest(TURNS[:1], ADA)


def test_a_killed_server_is_a_failure(describe: Describe) -> None:
    """A death is never an empty result; opened again, the store is what it was."""
    with closing(Mcp(describe())) as system:
        system.ingest(TURNS[:2], ADA)
        os.kill(only_process(system), signal.SIGKILL)
        with pytest.raises(CallFailed, match="ended with -9"):
            system.search("garden", ADA, 5)
        system.reopen()
        assert len(system.search("garden", ADA, 5).hits) == 2


def test_a_lacking_tool_is_named(describe: Describe) -> None:
    """A description that names a tool which the server has not is refused before anything is written."""
    with pytest.raises(UnknownNameError, match=r"notes.toml, line \d+: ops.search.*'find'"):
        Mcp(describe("forgets"))


def test_a_lacking_program_is_named() -> None:
    """Nothing of a server is installed here, and what to do is said."""
    for opened in (server_memory, basic_memory):
        with pytest.raises(MissingExtraError, match="cannot be started"):
            opened(bin="/nowhere")
    with pytest.raises(UnknownNameError, match="server-memory"):
        Mcp("server-memry")


def test_a_store_at_a_path_is_kept(describe: Describe, tmp_path: Path) -> None:
    """Closed and opened at the same path, it holds the same."""
    file, place = describe(), str(tmp_path / "store")
    with closing(Mcp(file, path=place)) as system:
        system.ingest(TURNS[:2], ADA)
    with closing(Mcp(file, path=place)) as system:
        assert [memory.id for memory in system.dump(ADA)] == ["t0", "t1"]
        system.erase(ADA)
        assert list(system.dump(ADA)) == []
        (folder,) = system.storage_paths()
        assert list(folder.iterdir()) == []


def test_a_program_is_looked_for_in_its_folder_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A named folder is the only place, else this environment and the path of the system are."""
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    (tmp_path / "tool").chmod(0o755)
    assert find_program("tool", str(tmp_path)) == str(tmp_path / "tool")
    assert find_program("tool") == "tool"
    assert find_program("sh", str(tmp_path)) == "sh"
    monkeypatch.setenv("MEMGAUGE_PROGRAMS", str(tmp_path))
    assert find_program("tool") == str(tmp_path / "tool")


def test_the_version_is_the_packages(tmp_path: Path) -> None:
    """Python's and npm's records are read; without any the server is asked."""
    about = tmp_path / "node_modules" / "@acme" / "notes"
    about.mkdir(parents=True)
    (about / "package.json").write_text('{"version": "3.2.1"}')
    program = str(tmp_path / "node_modules" / ".bin" / "notes")
    assert package_version("pytest", sys.executable) == pytest.__version__
    assert package_version("@acme/notes", program) == "3.2.1"
    assert package_version("@acme/other", program) == ""
    assert package_version("", program) == ""


@pytest.mark.slow
def test_several_programs_on_one_store_are_raced(describe: Describe) -> None:
    """Each thread has a server of its own; one that reads, changes and writes a file loses what another wrote."""
    with closing(Driver.opening(lambda: Mcp(describe()))) as driver:
        report = race(driver, shapes=("batch",), rounds=24, fresh=True, shrinks=0)
    assert report.connections == "5 connections to one store"
    assert "LOST_UPDATE" in {finding.anomaly for finding in report.findings}
