"""One task, wherever it is done: data in, bytes out."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import IdentityError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Task, perform
from memgauge.runs.play.executors.base import refuse
from memgauge.runs.play.plan import plan
from memgauge.streams import clean
from support.handmade import many_questions, planned

if TYPE_CHECKING:
    from pathlib import Path


def task(system: str = "support.systems:Notebook") -> Task:
    """Make a task of two questions."""
    (cell,) = planned(many_questions(1, 2), system).cells
    (case,) = many_questions(1, 2).cases()
    return Task(0, 0, "c0", clean(case), cell.manifest)


def test_a_system_that_a_worker_cannot_open_fails_there() -> None:
    """What cannot be opened in the worker is a failure of every question, and no crash."""
    whole = task()
    system = whole.manifest.system.model_copy(update={"ref": "support.systems:Absent"})
    broken = Task(0, 0, "c0", whole.stream, whole.manifest.model_copy(update={"system": system}))
    assert perform(broken).failed == 2


def test_a_result_is_the_lines_of_the_journal() -> None:
    """It can be pickled, and ends with the row that closes an attempt."""
    sent = pickle.loads(pickle.dumps(task()))  # noqa: S301 - our own bytes
    result = pickle.loads(pickle.dumps(perform(sent)))  # noqa: S301 - our own bytes
    assert result.failed == 0
    assert bytes(result.lines).splitlines()[-1].startswith(b'{"t":"end"')


def test_a_refused_task_fails_every_question() -> None:
    """With the reason that is given."""
    result = refuse(task(), "nobody was there")
    assert result.failed == 2
    assert bytes(result.lines).count(b'"reason":"not asked: nobody was there"') == 2


def test_code_that_changed_since_the_plan_is_not_run(tmp_path: Path) -> None:
    """A home-made system whose file is edited while its run is under way stops the run and is not recorded."""
    file = tmp_path / "mine.toml"
    file.write_text('system = "bm25"\n', encoding="utf-8")
    work = plan(["synthetic:tiny"], [str(file)])
    file.write_text('system = "bm25"\n[parameters]\nk1 = 0.9\n', encoding="utf-8")
    with pytest.raises(IdentityError, match="is not that of its plan"):
        execute(work, tmp_path / "out")
    (journal,) = (tmp_path / "out").rglob("journal.jsonl")
    assert journal.read_bytes() == b""
