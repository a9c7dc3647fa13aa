"""Ray's token is shown where one is at hand and nobody said otherwise."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.runs.play.executors.tokens import MODE, at_hand, show_token

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a home without a token, in a process that has not loaded Ray."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(MODE, "")  # so that it is taken back
    for name in (MODE, "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delitem(sys.modules, "ray", raising=False)
    return tmp_path


def test_without_a_token_nothing_is_shown(home: Path) -> None:
    """A cluster that asks for none is asked as before."""
    assert not (home / ".ray").exists()
    show_token()
    assert MODE not in os.environ


@pytest.mark.parametrize("where", ["home", "value", "file"])
def test_a_token_is_found_where_ray_looks(home: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """In the usual file, in the environment, or in a file that the environment names."""
    path = home / ".ray" / "auth_token" if where == "home" else home / "token"
    path.parent.mkdir(exist_ok=True)
    path.write_text("t" * 64)
    if where != "home":
        monkeypatch.setenv(*(("RAY_AUTH_TOKEN", "t") if where == "value" else ("RAY_AUTH_TOKEN_PATH", str(path))))
    assert at_hand()
    show_token()
    assert os.environ[MODE] == "token"


def test_what_the_user_said_stands(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mode that is set is not touched; and once Ray is loaded it would come too late."""
    monkeypatch.setenv("RAY_AUTH_TOKEN", "t")
    monkeypatch.setitem(sys.modules, "ray", sys)
    show_token()
    assert MODE not in os.environ
    monkeypatch.delitem(sys.modules, "ray")
    monkeypatch.setenv(MODE, "disabled")
    show_token()
    assert os.environ[MODE] == "disabled"
    assert home.is_dir()
