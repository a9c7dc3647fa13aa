"""Races on memories that have one, and on memories that are right."""

from __future__ import annotations

import math
import re
import sqlite3
import sys
import threading
from contextlib import closing, contextmanager
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import CallFailed, CallTimeout, ConfigError, UnknownNameError
from memgauge.records import Memory, Receipt, Verdict
from memgauge.show.markdown import markdown
from memgauge.studies.golden.driver import Driver
from memgauge.studies.golden.races.connections import TAKES_TURNS
from memgauge.studies.golden.races.jitter import jitter
from memgauge.studies.golden.races.race import RaceReport, race, rounds_for
from memgauge.studies.golden.races.shapes import SHAPES
from memgauge.studies.golden.races.show import document
from memgauge.studies.golden.runner import run_scenario
from memgauge.studies.golden.scenario import Scenario
from memgauge.systems.catalogue import open_system
from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.protocol import Capabilities, Consistency
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.reference.racy import RACY, SOUND
from memgauge.systems.reference.shelved import Shelved, window
from memgauge.systems.wire.face import Face
from memgauge.systems.wire.opening import separate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from memgauge.records import Scope, Turn
    from memgauge.systems.protocol import MemorySystem
    from support.cli import Said

CAUGHT = {
    "read-modify-write": ("beside", "LOST_UPDATE"),
    "file-rewriter": ("beside", "LOST_UPDATE"),
    "last-save-wins": ("restart", "NOT_DURABLE"),
    "torn-file": ("restart", "NOT_DURABLE"),
    "check-then-act": ("twice", "DUPLICATE"),
    "erase-snapshot": ("erase", "LOST_UPDATE"),
    "erase-unlocked": ("erase", "ERASED_READ"),
    "early-cache": ("restart", "DIRTY_READ"),
    "reads-while-rewriting": ("same", "STALE_READ"),
    "id-counter": ("beside", "LOST_UPDATE"),
    "user-locks": ("users", "LOST_UPDATE"),
    "shared-scope": ("users", "CROSS_USER_LEAK"),
    "update-restores": ("delete", "RESURRECTION"),
    "update-copies": ("update", "LOST_UPDATE"),
    "delete-counts": ("delete", "MISCOUNT"),
    "stale-cache": ("same", "LOST_UPDATE"),
    "two-current": ("same", "MIXED_VERSIONS"),
    "ends-each-other": ("same", "LOST_UPDATE"),
}
"""The shape that a memory fails on, and one anomaly that it shows there."""


def _raced(factory: Callable[[], MemorySystem], *shapes: str, rounds: int = 4, **rest: Any) -> RaceReport:
    with closing(Driver.opening(factory)) as driver:
        return race(driver, shapes=shapes, rounds=rounds, fresh=True, **rest)


def test_every_race_is_among_those_that_are_looked_for() -> None:
    """No memory with a race is left out."""
    assert CAUGHT.keys() == RACY.keys()


@pytest.mark.parametrize("how", RACY)
def test_a_race_is_seen(how: str) -> None:
    """Each memory with one race shows it within forty histories of its shape, and most within three.

    On a machine that is busy with other work threads meet less often, and it may take three times as many.
    """
    shape, anomaly = CAUGHT[how]
    kinds = set[str]()
    for seed in range(24):  # a shape ends with its first failure, which may be another one
        kinds |= {
            str(finding.anomaly)
            for finding in _raced(RACY[how], shape, rounds=5, seed=str(seed), shrinks=0).findings
        }
        if anomaly in kinds:
            break
    assert anomaly in kinds


class Locked:
    """The ideal memory behind one lock."""

    name, version = "locked", "1"

    def __init__(self) -> None:
        self.ideal, self.lock = Ideal(), threading.RLock()


def _locked(name: str) -> Callable[..., Any]:
    def alone(self: Locked, *given: Any, **named: Any) -> Any:
        with self.lock:
            return getattr(self.ideal, name)(*given, **named)

    return alone


_METHODS = ("capabilities", "ingest", "flush", "search", "dump", "reset", "teach", "update", "delete", "erase")
for _name in (*_METHODS, "reopen", "storage_paths"):
    setattr(Locked, _name, _locked(_name))


class InSqlite(Shelved, how="sqlite"):
    """The same rows in a database, a connection a call."""

    def __init__(self) -> None:
        super().__init__()
        with self._connected() as store:
            store.execute("pragma journal_mode = wal")
            store.execute("create table rows (scope text, id text, text text, primary key (scope, id))")

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.folder / "rows.db", timeout=30)) as store, store:
            store.execute("pragma synchronous = off")
            yield store

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store turns in one transaction."""
        rows = [(scope.user, turn.id, turn.text) for turn in turns]
        with self._connected() as store:
            store.executemany("insert or ignore into rows values (?, ?, ?)", rows)
        return Receipt()

    def dump(self, scope: Scope) -> Iterable[Memory]:
        """List rows in the order in which they came."""
        with self._connected() as store:
            query = "select id, text from rows where scope = ? order by rowid"
            rows = store.execute(query, (scope.user,)).fetchall()
        return [Memory(key, text) for key, text in rows]

    def update(self, memory: str, text: str, scope: Scope) -> Receipt:
        """Change one row."""
        with self._connected() as store:
            store.execute("update rows set text = ? where scope = ? and id = ?", (text, scope.user, memory))
        return Receipt()

    def delete(self, memories: Sequence[str], scope: Scope) -> int:
        """Delete rows."""
        with self._connected() as store:
            query = "delete from rows where scope = ? and id = ?"
            return sum(store.execute(query, (scope.user, memory)).rowcount for memory in memories)

    def erase(self, scope: Scope) -> None:
        """Delete all rows of a scope."""
        with self._connected() as store:
            store.execute("delete from rows where scope = ?", (scope.user,))

    def reset(self) -> None:
        """Delete all rows."""
        with self._connected() as store:
            store.execute("delete from rows")


RIGHT: dict[str, Callable[[], Any]] = {
    **SOUND,
    "ideal behind a lock": Locked,
    "sqlite": InSqlite,
    "bm25": Bm25Policy,
    "dense": lambda: open_system("dense:embedder=hashed"),
}
"""Memories without a race."""


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_raises_no_alarm(name: str) -> None:
    """A memory without a race is found none, and what it acknowledged is seen."""
    report = _raced(RIGHT[name], rounds=3)
    assert not report.findings
    assert not report.not_tried
    assert report.positive
    assert report.negative


class Affine(Shelved, how="affine"):
    """Serves the thread that opened it, as a database connection does."""

    def __init__(self) -> None:
        super().__init__()
        self.home = threading.get_ident()

    @contextmanager
    def guarded(self, scope: Scope) -> Iterator[Scope]:
        """Refuse other threads."""
        if threading.get_ident() != self.home:
            raise RuntimeError("objects created in a thread can only be used in that same thread")
        with super().guarded(scope):
            yield scope


def test_a_memory_that_refuses_a_second_thread_is_not_tried() -> None:
    """It promises nothing of threads, and says so; nothing is held against it."""
    report = _raced(Affine)
    assert report.not_tried.startswith("the memory refuses a second thread: RuntimeError: objects created in")
    assert not report.shapes


class AlwaysRaises(Shelved, how="raises"):
    """Takes nothing."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Raise."""
        raise RuntimeError("full")


def test_a_memory_that_raises_on_its_own_thread_is_an_error() -> None:
    """What never works is not called thread-affine."""
    with pytest.raises(CallFailed, match="full"):
        _raced(AlwaysRaises)


class Hangs(Shelved, how="hangs"):
    """Waits for ever where two write at once."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Wait for a lock that is never free."""
        if not self.lock.acquire(blocking=False):
            threading.Event().wait()
        window()
        self.lock.release()
        return Receipt()


def test_a_deadlock_ends_the_race_in_time() -> None:
    """Threads that hang are left behind, and the call is said to have timed out."""
    with (
        closing(Driver.opening(Hangs, timeout_s=0.3)) as driver,
        pytest.raises(CallTimeout, match="race did not end"),
    ):
        race(driver, shapes=("beside",), rounds=30)


class Keeps(Shelved, how="keeps-erased"):
    """Never erases anything, on any number of threads."""

    def erase(self, scope: Scope) -> None:
        """Do nothing."""


def test_what_fails_without_threads_too_is_no_race() -> None:
    """A rule that the memory breaks one by one is set aside, and said to be."""
    report = _raced(Keeps, "erase")
    assert not report.findings
    assert "erased/list" in report.shapes[0].set_aside


class Settles(Shelved, how="settles"):
    """Shows what was written after a flush."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[tuple[Memory, Scope]] = []

    def capabilities(self) -> Capabilities:
        """Say so."""
        return Capabilities(consistency=Consistency.FLUSH)

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep turns for later."""
        with self.lock:
            self.waiting += [(Memory(turn.id, turn.text), scope) for turn in turns]
        return Receipt()

    def flush(self, scope: Scope, timeout_s: float) -> None:
        """Store what waits."""
        with self.lock:
            for memory, home in self.waiting:
                self.add(memory, home)
            self.waiting.clear()


def test_writes_count_as_acknowledged_when_they_are_flushed() -> None:
    """A memory that settles with a flush is asked to, and is not called stale before."""
    report = _raced(Settles, "beside", "same", "batch")
    assert not report.findings
    assert report.positive


def test_a_failing_history_shrinks_to_what_fails() -> None:
    """Two threads and a look are left of it, each on a line that can be read."""
    (finding,) = _raced(RACY["delete-counts"], "delete", rounds=40).findings
    assert finding.witness == "the memory of v0 was deleted 2 times, which are said to have removed 2"
    assert len(finding.story) == 3
    assert finding.story[0].split(maxsplit=2)[1:] == ["first", "ann says My locker code is v0."]
    assert finding.story[-1].endswith("ann deletes the memory of v0: 1 removed  <-")


def test_one_in_fifty_with_95_percent_takes_149_rounds() -> None:
    """The number of rounds follows from the rate and the probability, and back."""
    assert rounds_for(50, 0.95) == math.ceil(math.log(0.05) / math.log(0.98)) == 149
    assert RaceReport(149, "").seen(50) == pytest.approx(0.9507, abs=1e-4)
    with pytest.raises(ConfigError, match="No number of rounds"):
        rounds_for(50, 1)


def test_a_shape_that_does_not_exist_is_named() -> None:
    """The shapes that there are stand in the error."""
    with pytest.raises(UnknownNameError, match="beside"):
        _raced(Shelved, "besides")


def test_what_a_memory_does_not_offer_is_not_tried() -> None:
    """A shape without its protocol says so, and the others are raced."""
    report = _raced(Bm25Policy, "restart", "beside", rounds=1)
    assert [shape.not_tried for shape in report.shapes] == ["the memory is not durable", ""]


@pytest.mark.parametrize(("how", "seen"), [("read-modify-write", True), ("none", False)])
def test_a_served_memory_is_raced_over_connections(
    how: str, monkeypatch: pytest.MonkeyPatch, *, seen: bool
) -> None:
    """Each thread has a connection of its own; a server that lets calls in at once shows the memory's race."""
    monkeypatch.setenv("FACE_KEY", "sesame-of-sixteen")
    face = Face(
        lambda _: open_system(f"racy:{how}"),
        token="sesame-of-sixteen",  # noqa: S106 - of this test
        at_once=True,
    )
    threading.Thread(target=face.serve_forever, daemon=True).start()
    try:
        report = _raced(
            lambda: open_system(f"{face.url},key=FACE_KEY"), "beside", shrinks=0, rounds=8 if seen else 2
        )
    finally:
        face.shutdown()
        face.server_close()
    assert report.connections == "5 connections to one store"
    assert bool(report.findings) is seen


def test_a_server_that_takes_turns_says_so_and_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would hide every race of the memory behind it."""
    monkeypatch.setenv("FACE_KEY", "sesame-of-sixteen")
    face = Face(lambda _: open_system("racy:read-modify-write"), token="sesame-of-sixteen")  # noqa: S106 - of this test
    threading.Thread(target=face.serve_forever, daemon=True).start()
    try:
        report = _raced(lambda: open_system(f"{face.url},key=FACE_KEY"), "beside", rounds=1)
    finally:
        face.shutdown()
        face.server_close()
    assert (report.not_tried, report.findings) == (TAKES_TURNS, ())


def _piped() -> MemorySystem:
    return separate("racy:read-modify-write")


def test_a_memory_behind_a_pipe_is_not_tried() -> None:
    """Calls take turns at the pipe, so that no race would ever be seen; the report says so, and claims nothing."""
    report = _raced(_piped, "beside")
    assert report.not_tried == TAKES_TURNS
    assert (report.shapes, report.positive) == ((), 0)
    page = markdown(document(report, "racy", "0", 50))
    assert f"Not tried: {TAKES_TURNS}." in page
    assert "would have been seen" not in page


def test_a_scenario_that_races_through_a_pipe_does_not_pass() -> None:
    """It is not supported there, and says why."""
    scenario = Scenario.model_validate(
        {
            "id": "races.pipe",
            "title": "Threads",
            "family": "races",
            "steps": [{"race": ["beside"]}, {"user": "ann"}],
        }
    )
    played = run_scenario(scenario, _piped)
    assert (played.verdict, TAKES_TURNS in played.detail) == (Verdict.UNSUPPORTED, True)


class NoWindow(Shelved, how="no-window"):
    """Reads, computes a little and writes, and waits for nothing between."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Read, compute, write."""
        rows = self.rows.get(scope, [])
        known = {row.id for row in rows for _ in range(500)}
        self.rows[scope] = rows + [Memory(turn.id, turn.text) for turn in turns if turn.id not in known]
        return Receipt()


def test_jitter_finds_a_race_that_has_no_window() -> None:
    """With threads that change after every few instructions, plain Python loses what it read and wrote."""
    before = sys.getswitchinterval()
    with jitter("0") as pause:
        reports = (_raced(NoWindow, "same", rounds=150, shrinks=0, pause=pause) for _ in range(4))
        assert any(report.findings for report in reports)
    assert sys.getswitchinterval() == before


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_raises_no_alarm_in_many_rounds(name: str) -> None:
    """Hundreds of rounds with jitter find nothing in a memory that is right."""
    with jitter("1") as pause:
        report = _raced(RIGHT[name], rounds=100, pause=pause)
    assert not report.findings


def test_every_shape_can_be_told_without_threads() -> None:
    """Whatever a shape draws, its operations one by one are a plan of the same operations."""
    for shape in SHAPES.values():
        plan = shape.plan(Random(1))  # noqa: S311 - no secret
        alone = plan.one_by_one(Random(2))  # noqa: S311 - no secret
        assert sorted(map(str, alone.operations())) == sorted(map(str, plan.operations()))


def test_a_race_is_printed_and_gates(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """The command exits with 1, says how sure it is, and shows the few calls; what is right exits with 0."""
    asked = ("study", "golden", "races", "--shape", "delete", "--one-in", "10")
    ran = memgauge(*asked, "-s", "racy:delete-counts", "--out", tmp_path / "out")
    assert ran.code == 1
    sure = "a race that shows once in 10 rounds would have been seen with probability 0.953"
    assert sure in " ".join(ran.out.split())
    assert re.search(r"thread \d  ann deletes the memory of v0: 1 removed  <-", ran.out)
    data = memgauge(*asked, "-s", "racy:none", "--sure", "0.5", "--json")
    assert data.code == 0
    assert data.data["rounds"] == 7
    assert data.data["shapes"][0]["histories"] == 7
