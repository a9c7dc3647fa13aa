"""A journal that is large is sealed with little memory, to the same bytes."""

from __future__ import annotations

from shutil import copytree
from typing import TYPE_CHECKING

from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record import seal

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_large_journal_is_sealed_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables, content and seal are the same, and nothing else is left in the folder."""
    (run,) = execute(plan(["synthetic:tiny"], ["bm25"]), tmp_path / "runs", executor=Inline(), check=False)
    again = copytree(run, tmp_path / "again")
    (again / seal.FILE).unlink()
    monkeypatch.setattr(seal, "_LARGE", 0)
    assert seal.seal(again) == seal.Seal.read(run)
    assert sorted(path.name for path in again.iterdir()) == sorted(path.name for path in run.iterdir())
