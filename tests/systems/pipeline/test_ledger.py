"""Everything on disk: durable, isolated, and gone when it is erased."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgauge.errors import ConfigError
from memgauge.records import Operation, Scope
from memgauge.systems.pipeline.items import PipelineItem
from memgauge.systems.pipeline.ledger import FactLedger
from support.pipeline import ADA, day, found, held, pipeline, residue, tell, turn

if TYPE_CHECKING:
    from pathlib import Path

WRITER = """
import sys
from datetime import datetime, timedelta
from memgauge.records import Scope, Turn
from memgauge.systems.pipeline.system import Pipeline

system = Pipeline(path=sys.argv[1], embedder="none")
for n in range(100_000):
    at = datetime(2024, 3, 1) + timedelta(hours=n)
    text = f"My ticket number{'x' * (n % 7)} is QD-{n}."
    system.ingest([Turn(f"t{n}", "Ada", text, "s", at)], Scope("ada"))
    print(f"t{n}", flush=True)
"""

TIMES = st.none() | st.datetimes()
TEXTS = st.text(st.characters(exclude_categories=()), max_size=20)
ITEMS = st.builds(
    PipelineItem,
    TEXTS,
    TEXTS,
    st.lists(TEXTS, max_size=3).map(tuple),
    *(TIMES, TIMES, TIMES),
    st.integers(1, 99),
    st.booleans(),
    TIMES,
    *(st.none() | TEXTS for _ in range(4)),
    st.booleans(),
    *(TEXTS, TEXTS),
    st.none() | TEXTS,
)


@given(item=ITEMS, user=TEXTS)
def test_items_come_back_as_they_were(item: PipelineItem, user: str) -> None:
    """Every text, id and time is read as it was written, under its scope alone."""
    ledger = FactLedger(None)
    ledger.put(Scope(user), item, Operation.ADD)
    assert ledger.items(Scope(user)) == [item] == [ledger.get(Scope(user), item.id)]
    assert ledger.items(Scope(f"{user}'")) == []
    ledger.put(Scope(user), replace(item, text="other"), Operation.UPDATE)
    assert [entry[0] for entry in ledger.history(Scope(user), item.id)] == ["add", "update"]
    assert ledger.remove(Scope(user), [item.id, item.id]) == [item.id]
    assert [entry[2] for entry in ledger.history(Scope(user), item.id)] == [None] * 3


def test_a_write_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """What raises inside a transaction leaves nothing."""
    ledger = FactLedger(tmp_path / "memory.sqlite")

    halves = (PipelineItem("t1", "half", ("t1",)), PipelineItem("t2", "no version", ("t1",), version=None))  # type: ignore[arg-type]

    def write() -> None:
        with ledger.writing():
            for item in halves:
                ledger.put(ADA, item, Operation.ADD)

    with pytest.raises(sqlite3.IntegrityError):
        write()
    assert ledger.items(ADA) == []
    with ledger.writing():
        ledger.put(ADA, PipelineItem("t1", "whole", ("t1",)), Operation.ADD)
    ledger.close()
    assert [item.text for item in FactLedger(tmp_path / "memory.sqlite").items(ADA)] == ["whole"]


def test_opening_again_finds_everything(tmp_path: Path) -> None:
    """Facts, their times, their sources and what is next are the same after the file was opened again."""
    path = tmp_path / "memory.sqlite"
    system = pipeline(path)
    tell(system, turn("t1", "My employer is Acme.", 0), turn("t2", "As you know, my employer is Acme.", 2))
    dumped, hits = list(system.dump(ADA)), system.search("employer", ADA, 5)
    system.close()
    again = pipeline(path)
    assert (list(again.dump(ADA)), again.search("employer", ADA, 5)) == (dumped, hits)
    tell(again, turn("t3", "My employer is Globex.", 1))
    again.reopen()
    assert (held(again), held(again, 0.5)) == (["my employer is Acme"], ["my employer is Acme"])
    assert held(again, 1.5) == ["my employer is Globex"]


def test_another_file_is_left_alone(tmp_path: Path) -> None:
    """A database of something else, of another format, or no database is refused and not changed."""
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as db, db:
        db.execute("CREATE TABLE replies (key TEXT)")
    db.close()
    before = other.read_bytes()
    with pytest.raises(ConfigError, match="is a database, but no memory"):
        pipeline(other)
    assert other.read_bytes() == before
    text = tmp_path / "text.sqlite"
    text.write_text("no database at all, but long enough to be looked at as if it were one\n" * 20)
    with pytest.raises(ConfigError, match="cannot be used as a memory"):
        pipeline(text)
    with pytest.raises(ConfigError, match="cannot be used as a memory"):
        pipeline(tmp_path / "absent" / "memory.sqlite")
    old = tmp_path / "old.sqlite"
    pipeline(old).close()
    with closing(sqlite3.connect(old)) as db, db:
        db.execute("PRAGMA user_version = 1")
    db.close()
    with pytest.raises(ConfigError, match="has format 1, and this version reads 3"):
        pipeline(old)


@pytest.mark.parametrize("seed", range(3))
def test_no_acknowledged_turn_is_lost_when_the_process_is_killed(seed: int, tmp_path: Path) -> None:
    """After kill -9 at a random moment, every turn whose write returned is there with its fact."""
    path = tmp_path / "memory.sqlite"
    wanted = random.Random(seed).randint(20, 150)  # noqa: S311 - a moment, no secret
    child = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    lines = [child.stdout.readline() for _ in range(wanted)]
    time.sleep(random.Random(seed).random() / 50)  # noqa: S311 - somewhere inside a write
    os.kill(child.pid, signal.SIGKILL)
    told = [
        line.strip() for line in [*lines, *child.stdout.read().splitlines(keepends=True)] if line.endswith("\n")
    ]
    child.stdout.close()
    assert child.wait() == -signal.SIGKILL
    system = pipeline(path)
    kept = {memory.id for memory in system.dump(ADA)}
    assert len(told) >= wanted
    assert kept >= set(told)
    assert kept >= {f"{name}/fact/0" for name in told}
    assert len(held(system)) == 7
    number = int(told[-1][1:])
    slot = "number" + "x" * (number % 7)
    assert found(system, f"What is my ticket {slot}?", 9999)[0].endswith(
        tuple(f"QD-{n}" for n in (number, number + 7))
    )
    with closing(sqlite3.connect(path)) as db, db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()


VALUE = "Quillfeather"


def planted(path: Path) -> None:
    """Say a value in many ways, among other things, and have it superseded."""
    system = pipeline(path)
    tell(
        system,
        turn("t1", f"My employer is {VALUE}.", 0),
        turn("t2", f"Noted: your employer is {VALUE}!", 0, role="assistant"),
        turn("t2b", f"Imagine that my employer were {VALUE}.", 0),
        turn("t2c", f"{VALUE} writes: a parcel is waiting.", 0, role="email"),
        turn("t3", f"The canteen at {VALUE.upper()} ran out of soup.", 1),
        turn("t4", f"As you know, my employer is {VALUE}. Rex sang with {VALUE}.", 2),
        turn("t5", "My employer is Globex. Rex chewed the violin.", 3),
        turn("t6", "My bank is Hooli.", 3),
        turn("t7", f"My employer is {VALUE} again.", 3),
        turn("t7", "Never mind.", 3),
        turn("t8", f"until 2 March 2023 this was true: my employer is {VALUE}", 4),
    )
    system.search("my employer", ADA, 5)
    system.update("t5/fact/0", f"My employer is {VALUE} Globex", ADA)
    system.update("t5/fact/0", "My employer is Globex", ADA)
    tell(system, turn("t1", f"My employer is {VALUE}."), scope=Scope("bob"))
    system.erase(Scope("bob"))
    system.close()


@pytest.mark.parametrize("how", ["slot", "request with the value", "delete", "scope"])
def test_what_is_erased_leaves_no_bytes(how: str, tmp_path: Path) -> None:
    """No spelling of an erased value is left in the file or beside it, at once and after opening it again."""
    path = tmp_path / "memory.sqlite"
    planted(path)
    assert residue(path, VALUE)
    system = pipeline(path)
    if how == "slot":
        tell(system, turn("t9", "Please delete everything I told you about my employer.", 5))
    elif how == "delete":
        assert system.delete([f"t{n}" for n in (1, 2, "2b", "2c", 3, 4, 5, 7, 8)], ADA) == 9
    elif how == "scope":
        system.erase(ADA)
    else:
        tell(system, turn("t9", f"Please delete everything I told you about my employer: {VALUE}", 5))
        tell(system, turn("t10", f"I want you to erase my employer from your notes, it is {VALUE}.", 6))
    assert residue(path, VALUE) == []
    assert found(system, f"employer {VALUE}") == []
    others = found(system, "bank violin", 9)
    assert others == ([] if how == "scope" else others)
    system.reopen()
    system.sweep(day(99))
    assert residue(path, VALUE) == []
    if how in {"slot", "request with the value"}:
        assert held(system) == ["my bank is Hooli"]
        assert "Rex chewed the violin" in others


def test_an_erased_slot_never_comes_back(tmp_path: Path) -> None:
    """Neither maintenance nor opening again, a replay, a late arrival or another erasure brings it back."""
    path = tmp_path / "memory.sqlite"
    system = pipeline(path)
    turns = [
        turn("t1", f"My employer is {VALUE}.", 0),
        turn("t2", "My employer is Globex.", 2),
        turn("t3", "Please delete everything I told you about my employer.", 5),
    ]
    tell(system, *turns)
    for _ in range(2):
        system.sweep(day(50))
        system.reopen()
        tell(system, *turns)
        tell(system, turn("t0", "My employer is Hooli.", 1))
        system.update("t1", f"My employer is {VALUE}.", ADA)
        assert system.delete(["t1", "t1/fact/0", "t2"], ADA) == 0
        assert held(system) == held(system, 1) == []
        assert found(system, "Who is my employer?", 9) == []
    assert residue(path, VALUE) == residue(path, "Globex") == residue(path, "Hooli") == []
    assert [entry.op for entry in system.history("t1", ADA)] == [Operation.ADD, Operation.DELETE]
    assert all(entry.text is None for entry in system.history("t1", ADA))
    tell(system, turn("t4", "My employer is Initech.", 6))
    assert held(system) == ["my employer is Initech"]


def test_a_late_request_to_forget_reaches_back_only(tmp_path: Path) -> None:
    """What was told again after the request stays."""
    system = pipeline(tmp_path / "memory.sqlite")
    tell(
        system,
        turn("t1", f"My employer is {VALUE}.", 0),
        turn("t3", "My employer is Globex.", 8),
        turn("t2", "Please delete everything I told you about my employer.", 5),
    )
    assert held(system) == ["my employer is Globex"]
    assert held(system, 2) == []
    tell(system, turn("t4", "Please delete everything I told you about my employer. Rex chewed the violin.", 9))
    assert [memory.text for memory in system.dump(ADA)] == ["Rex chewed the violin"]
    assert residue(tmp_path / "memory.sqlite", VALUE) == []


def test_an_erased_scope_is_not_filled_by_a_replay(tmp_path: Path) -> None:
    """The turns that were erased are not taken again, others are, and erasing twice or nobody harms no one."""
    system = pipeline(tmp_path / "memory.sqlite")
    one = turn("t1", f"My employer is {VALUE}.")
    for scope in (ADA, Scope("bob")):
        tell(system, one, scope=scope)
    for _ in range(2):
        system.erase(ADA)
        tell(system, one)
        system.reopen()
        assert list(system.dump(ADA)) == []
    for name in ("t1", "t1/fact/0"):
        assert [(entry.op, entry.text) for entry in system.history(name, ADA)] == [(Operation.DELETE, None)]
    assert held(system, scope=Scope("bob")) == [f"my employer is {VALUE}"]
    tell(system, turn("t2", "My employer is Globex.", 2))
    assert held(system) == ["my employer is Globex"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    filler=st.lists(st.tuples(st.integers(0, 3000), st.booleans()), max_size=8),
    value=st.from_regex(r"[A-Z][a-z]{7,12}", fullmatch=True).filter(lambda word: len(set(word)) > 4),
)
def test_erasure_leaves_no_bytes_wherever_pages_were_split(
    filler: list[tuple[int, bool]], value: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Long texts around a value, before and after, do not keep it on any page."""
    path = tmp_path_factory.mktemp("erased") / "memory.sqlite"
    system = pipeline(path)
    tell(system, turn("a", f"My employer is {value}."))
    for number, (length, holds) in enumerate(filler):
        text = "x" * length + (f" at {value} " if holds else " ") + "y" * length
        tell(system, turn(f"t{number}", text, 1, role="assistant"))
    tell(system, turn("z", "Please delete everything I told you about my employer.", 2))
    assert residue(path, value) == []
    assert len(list(system.dump(ADA))) == sum(not holds for _, holds in filler)
    system.close()
