"""What a node does with a task, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.runs.play.executors import Task, TaskResult, perform
from memgauge.runs.play.executors.code import _hash, code, differences
from memgauge.runs.play.executors.node import OwnerNode, Refusal, work
from memgauge.streams import clean
from support.handmade import many_questions, planned

if TYPE_CHECKING:
    import pytest


def task() -> Task:
    """Make a task of two questions."""
    (cell,) = planned(many_questions(1, 2), "none").cells
    (case,) = many_questions(1, 2).cases()
    return Task(0, 0, "c0", clean(case), cell.manifest)


def test_a_node_with_the_same_code_does_the_task() -> None:
    """It returns what this process would, from a stream that came apart."""
    whole = task()
    found = work(replace(whole, stream=()), whole.stream, OwnerNode(dict(code()), ""))
    assert isinstance(found, TaskResult)
    assert found.failed == perform(whole).failed == 0
    assert bytes(found.lines).count(b"\n") == bytes(perform(whole).lines).count(b"\n")


def test_a_node_works_where_the_owner_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it has a folder of that path; otherwise it stays."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    work(task(), task().stream, OwnerNode(dict(code()), str(tmp_path / "absent")))
    assert Path.cwd() == tmp_path
    work(task(), task().stream, OwnerNode(dict(code()), str(tmp_path / "there")))
    assert Path.cwd() == tmp_path / "there"


def test_a_node_with_other_versions_refuses() -> None:
    """It says which differ, and runs nothing."""
    other = {**code(), "numpy": "1.0", "memgauge's files": "0" * 12}
    found = work(task(), (), OwnerNode(other, ""))
    assert isinstance(found, Refusal)
    assert f"numpy is {code()['numpy']}, not 1.0" in found.reason
    assert "memgauge's files is" in found.reason
    assert differences(code(), code()) == ""


def test_a_node_that_cannot_open_a_system_refuses() -> None:
    """The owner could, so this is the fault of the node and not of the system."""
    whole = task()
    system = whole.manifest.system.model_copy(update={"ref": "support.systems:Absent"})
    broken = replace(whole, manifest=whole.manifest.model_copy(update={"system": system}))
    found = work(broken, broken.stream, OwnerNode(dict(code()), ""))
    assert isinstance(found, Refusal)
    assert "Absent" in found.reason


def test_any_change_of_a_file_changes_the_hash(tmp_path: Path) -> None:
    """Its content or its name; what Python compiles does not count."""
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    first = _hash(tmp_path)
    (tmp_path / "a.cpython-311.pyc").touch()
    assert _hash(tmp_path) == first
    (tmp_path / "a.py").write_text("x = 2\n", encoding="utf-8")
    second = _hash(tmp_path)
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert len({first, second, _hash(tmp_path)}) == 3
