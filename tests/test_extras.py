"""What adds an optional part."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from memgauge.extras import extra_named, lacking, this_python

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_an_extra_comes_from_what_is_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout installs from its locks, else by itself; only what was installed from an index names one."""
    monkeypatch.chdir(tmp_path)
    assert extra_named("other", tmp_path).endswith("-m pip install 'memgauge[other]'")
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "dense.lock").touch()
    lock = "-m pip install --require-hashes --no-deps -r requirements/dense.lock"
    assert extra_named("dense", tmp_path).endswith(lock)
    assert extra_named("other", tmp_path).endswith("-m pip install --editable '.[other]'")


def test_what_is_lacking_says_how_it_is_added() -> None:
    """As it is typed here."""
    assert str(lacking("web", "No viewer.")) == f"No viewer. Run: {extra_named('web')}"


def test_python_is_called_as_it_is_called_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter is `python` where that is it, a short path below the folder, else the whole path, quoted."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.chdir(tmp_path)
    assert this_python() == ".venv/bin/python"
    monkeypatch.chdir("/")
    monkeypatch.setattr(sys, "executable", "/a b/python")
    assert this_python() == "'a b/python'"
    monkeypatch.setattr(shutil, "which", lambda _: "/a b/python")
    assert this_python() == "python"
