"""`memgauge view`: serves, exports, and refuses what would expose runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said


def test_pages_are_served_until_interrupted(made: Path) -> None:
    """The command says where it serves, answers there, and goes at an interrupt."""
    command = [sys.executable, "-m", "memgauge", "view", str(made), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        told = ""
        while "}" not in told:
            told += server.stdout.readline()
        address = json.loads(told)["address"].replace("localhost", "127.0.0.1")
        with urllib.request.urlopen(address, timeout=60) as reply:  # noqa: S310 - our own server
            assert "bm25" in reply.read().decode()
        os.kill(server.pid, signal.SIGINT)
        assert server.wait(timeout=30) in {0, 130, -signal.SIGINT}
        assert server.stderr is not None
        assert "Traceback" not in server.stderr.read()


@pytest.mark.slow
def test_an_export_says_what_it_wrote(memgauge: Callable[..., Said], made: Path, tmp_path: Path) -> None:
    """The pages lie in the folder, and the counts are those of the files."""
    out = tmp_path / "site"
    told = memgauge("view", made, "--export", out, "--questions", 1, "--memories", 0, "--json")
    assert told.code == 0
    assert told.data["problems"] == []
    assert told.data["pages"] == len(list(out.glob("*.html")))
    again = memgauge("view", made, "--export", out)
    assert again.code == 2
    assert "not empty" in again.err


def test_others_need_a_token(
    memgauge: Callable[..., Said], made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that others reach is refused without a token, with a short one, and with a file that is not there."""
    refused = memgauge("view", made, "--host", "0.0.0.0")  # noqa: S104 - what must be refused
    assert refused.code == 2
    assert "--token-file" in refused.err
    monkeypatch.setenv("MEMGAUGE_VIEW_TOKEN", "short")
    assert "can be guessed" in memgauge("view", made, "--host", "0.0.0.0").err  # noqa: S104 - the same
    assert "Cannot read a token" in memgauge("view", made, "--token-file", tmp_path / "none").err


def test_wrong_use_is_a_sentence(memgauge: Callable[..., Said], made: Path, tmp_path: Path) -> None:
    """A folder that is not there, and an address that cannot be bound, are said."""
    assert "There is no" in memgauge("view", tmp_path / "none").err
    taken = memgauge("view", made, "--host", "127.0.0.1", "--port", "70000")
    assert taken.code == 2
