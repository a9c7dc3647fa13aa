"""The proxy from a shell: it says where it is, is asked by others, and its notes are summed when it has ended."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from memgauge.cli import invoke
from memgauge.frame.exits import OK, WRONG_USE
from support.asking_product import PaidModels
from support.metered import ask

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_proxy_runs_until_it_is_interrupted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was asked under two names is told apart, and priced."""
    command = [sys.executable, "-m", "memgauge", "models", "meter"]
    with PaidModels() as server:
        process = subprocess.Popen(
            [*command, server.url, "--out", str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        found = re.match(r"(http://\S+) passes on to", process.stdout.readline())
        assert found is not None
        for product in ("mine", "yours"):
            assert ask(found[1].replace("/v1", f"/as/{product}/reading/v1"), model="gpt-4.1-mini")[0] == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == OK
        assert "Stopped." in process.stdout.read()
        process.stdout.close()
    assert invoke(["models", "spent", str(tmp_path), "--json"]) == OK
    value = json.loads(capsys.readouterr().out)["value"]
    assert [(group["product"], group["phase"], group["calls"]) for group in value["groups"]] == [
        ("mine", "reading", 1),
        ("yours", "reading", 1),
    ]
    assert value["usd"] > 0
    assert invoke(["models", "spent", str(tmp_path)]) == OK
    assert "2 calls of models for 0.0000 USD" in capsys.readouterr().out


def test_mistakes_are_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No address, and nothing that was noted."""
    assert invoke(["models", "meter", "nowhere", "--out", str(tmp_path)]) == WRONG_USE
    assert "That is no address of a server." in capsys.readouterr().err
    assert invoke(["models", "spent", str(tmp_path / "none")]) == WRONG_USE
    assert "Name the --out of" in capsys.readouterr().err
