"""A small code base with a past, a present and a future."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.track.git import Origin, run_git

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def origin(made: Origin, tmp_path: Path) -> Origin:
    """Copy a repository of three commits, with a tag and a branch at the last one."""
    shutil.copytree(made.path, tmp_path / "origin")
    return Origin(tmp_path / "origin", made.commits)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Origin:
    """Make that repository once."""
    path = tmp_path_factory.mktemp("made")
    run_git("init", "-q", "-b", "main", at=path)
    commits = []
    for number, word in enumerate(("past", "present", "future")):
        (path / "word.txt").write_text(f"{word}\n", encoding="utf-8")
        (path / f"{number}.txt").write_text(f"{word} file\n", encoding="utf-8")
        run_git("add", ".", at=path)
        run_git("commit", "-q", "-m", f"The {word}", at=path)
        commits.append(run_git("rev-parse", "HEAD", at=path))
    run_git("tag", "v3", at=path)
    run_git("branch", "release", at=path)
    return Origin(path, tuple(commits))


@pytest.fixture(autouse=True)
def own_git_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every test import repositories for itself."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def short() -> Iterator[Callable[[str], Path]]:
    """Name a socket by a path that is short enough."""
    with tempfile.TemporaryDirectory(prefix="mg") as folder:
        yield lambda name: Path(folder) / name
