"""Footprint: what a memory wrote is known from outside, whatever it declares."""

from __future__ import annotations

import math
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.golden.anomalies import Anomaly
from memgauge.studies.golden.driver import Driver
from memgauge.studies.golden.play import Play
from memgauge.studies.golden.scenario import LAYERS, Scenario
from memgauge.systems.reference.ideal import Ideal
from memgauge.systems.wire.written import WrittenFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.records import Receipt, Scope, Turn


def _by_sqlite(folder: Path) -> str:
    with closing(sqlite3.connect(folder / "side.db")) as store, store:
        store.execute("CREATE TABLE t (x)")
    store.close()
    return "side.db"


def _by_rename(folder: Path) -> str:
    (folder / "a").write_text("x", "utf-8")
    (folder / "a").rename(folder / "b")
    return "b"


def _by_copy(folder: Path) -> str:
    (folder / "a").write_text("x", "utf-8")
    shutil.copyfile(folder / "a", folder / "copy.bak")
    return "copy.bak"


def _by_descriptor(folder: Path) -> str:
    opened = os.open(folder / "raw", os.O_CREAT | os.O_WRONLY)
    os.close(opened)
    return "raw"


def _in_a_new_folder(folder: Path) -> str:
    made = Path(tempfile.mkdtemp(dir=folder))
    subprocess.run([sys.executable, "-c", f"open({str(made / 'deep')!r}, 'w').close()"], check=True)
    return "deep"


@pytest.mark.parametrize("write", [_by_sqlite, _by_rename, _by_copy, _by_descriptor, _in_a_new_folder])
def test_whatever_is_written_is_named(write: Callable[[Path], str], tmp_path: Path) -> None:
    """Files that were opened, moved, copied or made in a new folder; not those of before or only read."""
    (tmp_path / "before").write_text("x", "utf-8")
    footprint = WrittenFiles()
    name = write(tmp_path)
    (tmp_path / "before").read_text("utf-8")
    names = [file.name for file in footprint.files()]
    assert name in names
    assert "before" not in names


def test_what_a_process_below_holds_open_is_named(tmp_path: Path) -> None:
    """A process of its own is looked at from outside."""
    program = f"import sys; f = open({str(tmp_path / 'held')!r}, 'w'); print('ok', flush=True); sys.stdin.read()"
    footprint = WrittenFiles()
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ok\n"
        assert tmp_path / "held" in footprint.files()
        child.communicate()


def test_what_a_command_names_is_looked_at_and_what_lies_beside_a_store(tmp_path: Path) -> None:
    """A process that is over left a file; folders that were there before are not searched."""
    footprint, store = WrittenFiles(), tmp_path / "store"
    subprocess.run(["/bin/sh", "-c", f"echo x > {tmp_path}/copy"], check=True, cwd=tmp_path)
    store.mkdir()
    subprocess.run(["/bin/sh", "-c", "echo x > store.bak"], check=True, cwd=tmp_path)
    assert [file.name for file in footprint.files([store])] == ["copy", "store.bak"]


class Logging(Ideal):
    """Forgets as it must, and keeps a log of which it says nothing."""

    log = Path()

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Keep what is said, and write it down elsewhere."""
        with self.log.open("a", encoding="utf-8") as file:
            file.writelines(turn.text + "\n" for turn in turns)
        return super().ingest(turns, scope)


def test_a_log_that_nobody_declared_is_residue(tmp_path: Path) -> None:
    """What was erased lies in a file that the memory does not name."""
    steps = [
        {"say": "My bank is {bank}.", "sets": {"bank": "bank"}},
        {"erase": "bank"},
        {"assert": {"residue": True}},
    ]
    scenario = Scenario.model_validate({"id": "log", "title": "log", "family": "log", "steps": steps})
    found = {}
    for kind in (Logging, Ideal):
        memory = kind()
        if isinstance(memory, Logging):
            memory.log = tmp_path / "memory.log"
        play = Play(scenario, Driver(memory, timeout_s=math.inf), "0", LAYERS)
        play.run()
        found[kind] = [finding.anomaly for finding in play.findings]
    assert found == {Logging: [Anomaly.RESIDUE], Ideal: []}
