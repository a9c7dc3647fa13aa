"""Several processes: the same bytes, and a death or an interruption that takes nothing else with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING

from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Processes, executor
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.seal import Seal
from memgauge.runs.record.store import load
from support import ROOT
from support.handmade import many_questions, planned
from support.systems import GUILTY, MARKS

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_content_does_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    """In one process, in two and in three, and in that of the harness, the sealed content is the same."""
    found = set()
    for name in ("inline", "processes:1", "processes:2", "processes:3"):
        made = execute(
            plan(["synthetic:tiny"], ["bm25", "random"], seeds=[7]),
            tmp_path / name,
            executor=executor(name),
        )
        found.add(tuple(Seal.read(folder).content for folder in made))
    assert len(found) == 1


def test_a_dying_process_fails_its_own_conversation_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its questions are errors with a reason, in every attempt; all other conversations are as ever."""
    monkeypatch.setenv(GUILTY, "c1")
    (folder,) = execute(
        planned(many_questions(5, 2), "support.systems:Deadly", limits=Limits(attempts=2)),
        tmp_path,
        executor=Processes(2),
    )
    run = load(folder)
    by_conversation = dict(zip(run.questions["conversation"], run.questions["outcome"], strict=True))
    assert by_conversation == {"c0": "ok", "c1": "error", "c2": "ok", "c3": "ok", "c4": "ok"}
    attempts = run.attempts_of("c1-q0")
    assert [row["attempt"] for row in attempts] == [1, 2]
    assert {row["reason"] for row in attempts} == {"not asked: the process died while running this conversation"}


def test_a_process_that_is_killed_once_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its conversation is played again in a fresh one, and the record shows no trace."""
    monkeypatch.setenv(MARKS, str(tmp_path))
    (folder,) = execute(planned(many_questions(3, 2), "support.systems:Mortal"), tmp_path / "out")
    (whole,) = execute(planned(many_questions(3, 2), "support.systems:Mortal"), tmp_path / "whole")
    assert (tmp_path / "died").exists()
    assert Seal.read(folder).content == Seal.read(whole).content
    assert set(load(folder).questions["outcome"].tolist()) == {"ok"}


def test_an_interrupted_run_ends_at_once_and_silently(tmp_path: Path) -> None:
    """Ctrl-C for the owner alone ends workers too, in the middle of a conversation; they say nothing."""
    script = f"""
        from pathlib import Path
        from memgauge.runs.play.execute import execute
        from memgauge.runs.play.executors import executor
        from support.handmade import many_questions, planned
        if __name__ == "__main__":
            work = planned(many_questions(4), "support.systems:Stalling")
            try:
                execute(work, Path({str(tmp_path / "out")!r}), executor=executor("processes:2"))
            except KeyboardInterrupt:
                print("interrupted")
    """
    (tmp_path / "driver.py").write_text(textwrap.dedent(script), encoding="utf-8")
    paths = os.pathsep.join([str(ROOT / "tests"), str(ROOT / "src")])
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "driver.py")],
        env=os.environ | {"PYTHONPATH": paths, GUILTY: "c1", MARKS: str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "stalled").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said, complaint = process.communicate(timeout=60)
    assert (said, complaint) == ("interrupted\n", "")
