"""The same bytes wherever the work is done, and a death that takes nothing else with it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from memgauge.runs.execute import execute
from memgauge.runs.executors import Inline, Processes, Task, _broken, _submit, executor, perform
from memgauge.runs.manifest import Limits
from memgauge.runs.plan import plan
from memgauge.runs.seal import Seal
from memgauge.runs.store import load
from memgauge.streams import clean
from support_data import many_questions, planned
from support_systems import GUILTY

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_one_worker_is_this_process() -> None:
    """More than one are several."""
    assert isinstance(executor(1), Inline)
    assert isinstance(executor(2), Processes)


def test_content_does_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    """In this process, in two and in three, the sealed content is the same."""
    found = set()
    for workers in (1, 2, 3):
        made = execute(
            plan(["synthetic:tiny"], ["bm25", "random"], seeds=[7]),
            tmp_path / str(workers),
            executor=executor(workers),
        )
        found.add(tuple(Seal.read(folder).content for folder in made))
    assert len(found) == 1


def test_a_dying_process_fails_its_own_conversation_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its questions are errors with a reason, in every attempt; all other conversations are as ever."""
    monkeypatch.setenv(GUILTY, "c1")
    (folder,) = execute(
        planned(many_questions(5, 2), "support_systems:Deadly", limits=Limits(attempts=2)),
        tmp_path,
        executor=Processes(2),
    )
    run = load(folder)
    by_conversation = dict(zip(run.questions["conversation"], run.questions["outcome"], strict=True))
    assert by_conversation == {"c0": "ok", "c1": "error", "c2": "ok", "c3": "ok", "c4": "ok"}
    attempts = run.attempts_of("c1-q0")
    assert [row["attempt"] for row in attempts] == [1, 2]
    assert {row["reason"] for row in attempts} == {"not asked: the process died while running this conversation"}


def test_a_system_that_a_worker_cannot_open_fails_there() -> None:
    """What cannot be opened in the worker is a failure of every question, and no crash."""
    (cell,) = planned(many_questions(1, 2), "support_systems:Notebook").cells
    (case,) = many_questions(1, 2).cases()
    broken = cell.manifest.model_copy(
        update={"system": cell.manifest.system.model_copy(update={"ref": "support_systems:Absent"})}
    )
    done = perform(Task(0, 0, "c", clean(case), broken))
    assert done.failed == 2


def test_a_task_for_a_dead_pool_is_taken_back() -> None:
    """A worker that dies between two tasks costs neither; the future says that it must be done elsewhere."""
    (cell,) = planned(many_questions(1, 2), "support_systems:Notebook").cells
    (case,) = many_questions(1, 2).cases()
    with Processes._pool(1) as pool:
        pool.submit(os._exit, 9).exception()
        assert _broken(_submit(pool, Task(0, 0, "c", clean(case), cell.manifest)))
