"""A run of somebody's memory records the commit that it lies at; nothing else does."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from memgauge.runs.play.commit import commit_here
from memgauge.runs.play.plan import plan

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def _git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, check=True)


def test_the_commit_is_named_and_so_is_a_change_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven digits, marked where files differ from it, whatever is tagged; nothing outside of a repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert commit_here() == ""
    _git(tmp_path, "init", "--quiet")
    assert commit_here() == ""
    (tmp_path / "memory.py").write_text("a = 1\n")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "--quiet", "-m", "one")
    _git(tmp_path, "tag", "-a", "v1", "-m", "v1")
    commit = commit_here()
    assert re.fullmatch(r"[0-9a-f]{7,}", commit)
    (tmp_path / "memory.py").write_text("a = 2\n")
    assert commit_here() == f"{commit}-changed"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_here() == ""


def test_only_memories_from_elsewhere_have_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own are named by their version; who a run is does not depend on its commit."""
    monkeypatch.setattr("memgauge.runs.play.plan.commit_here", lambda: "abc1234")
    named, ours = plan(["synthetic:tiny"], ["support.systems:Notebook", "bm25"]).cells
    assert named.manifest.environment["commit"] == "abc1234"
    assert "commit" not in ours.manifest.environment
    monkeypatch.setattr("memgauge.runs.play.plan.commit_here", lambda: "")
    (again,) = plan(["synthetic:tiny"], ["support.systems:Notebook"]).cells
    assert "commit" not in again.manifest.environment
    assert again.manifest.identity == named.manifest.identity
