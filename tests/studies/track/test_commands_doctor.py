"""`memgauge study track doctor`, as it is called."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.frame.output import Printing
from memgauge.studies.track.commands_doctor import doctor
from memgauge.studies.track.sandbox import doctor as module
from memgauge.studies.track.sandbox.doctor import Diagnosis, SandboxCheck

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

GOOD = SandboxCheck("git: a clone works", ok=True)
BAD = SandboxCheck("network: closed", ok=False, found="a port of the machine outside, 127.0.0.1:1")


@pytest.fixture
def diagnosed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the doctor find what a test says."""

    def say(kind: str, *checks: SandboxCheck) -> None:
        monkeypatch.setattr(module, "examine", lambda _: Diagnosis(kind, "user 1000", checks))

    return say


def test_health_is_code_0(diagnosed: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """Every check is a line, and the last one counts."""
    diagnosed("bubblewrap", GOOD)
    assert doctor() == 0
    assert capsys.readouterr().out.splitlines() == [
        "bubblewrap, started by user 1000",
        "  holds   git: a clone works",
        "1 of 1 checks hold",
    ]


def test_what_is_broken_is_code_1_and_told(
    diagnosed: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """What could be reached stands below the check; without a sandbox there is a warning above everything."""
    diagnosed("none", GOOD, BAD)
    assert doctor(sandbox="none") == 1
    said = capsys.readouterr().out
    assert said.startswith("There is no sandbox")
    assert "  BROKEN  network: closed\n          a port of the machine outside" in said


def test_a_sandbox_that_does_not_work_is_wrong_use(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing is one sentence."""
    monkeypatch.setenv("PATH", str(tmp_path))
    said = memgauge("study", "track", "doctor", "--sandbox", "docker")
    assert said.code == 2
    assert said.err.startswith("memgauge: This sandbox does not work here: docker: docker is not installed.")


def test_help_explains(memgauge: Callable[..., Said]) -> None:
    """The command says what it proves."""
    said = memgauge("study", "track", "doctor", "--help")
    assert said.code == 0
    assert "prove from inside the sandbox that it cannot be reached" in " ".join(said.out.split())


def test_data_says_the_same(diagnosed: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """With --json there is the whole diagnosis and its verdict."""
    diagnosed("landlock", GOOD, BAD)
    assert doctor(shown=Printing(json=True)) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["healthy"] is False
    assert data["checks"][1] == {"name": BAD.name, "ok": False, "found": BAD.found}
