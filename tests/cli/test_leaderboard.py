"""`memgauge systems preflight`, and a system that is served by the leaderboard's contract."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from support.aml import KEY, RECORDED, client_of, face

if TYPE_CHECKING:
    from pathlib import Path

FEW = ("--key", "AML_KEY", "--adds", "4", "--searches", "8")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold the key where keys are held."""
    monkeypatch.setenv("AML_KEY", KEY)


def test_a_preflight_of_our_own_face_is_green(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It ends with 0; a folder holds it for people, programs, build servers and applications."""
    with face() as served:
        assert invoke(["systems", "preflight", served.url, *FEW, "--out", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "All 22 rules that could be tried are kept." in out
    assert KEY not in out
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "preflight.html",
        "preflight.json",
        "preflight.md",
        "preflight.xml",
    ]
    saved = json.loads((tmp_path / "out" / "preflight.json").read_text("utf-8"))
    assert (saved["kind"], saved["value"]["cycle"]) == ("preflight", 2)


def test_a_broken_rule_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    """Here it is the key, which is another."""
    with face() as served:
        assert invoke(["systems", "preflight", served.url, "--json", "--adds", "2", "--searches", "2"]) == 1
    rows = {row["key"]: row for row in json.loads(capsys.readouterr().out)["value"]["rows"]}
    assert rows["key"]["verdict"] == "vacuous"
    assert rows["success"]["verdict"] == "fail"
    assert rows["visible"]["verdict"] == "error"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["http://127.0.0.1:9", "--cycle", "3"], "There are 1, 2"),
        (["http://127.0.0.1:9", "--adds", "65"], "Take 1 to 64"),
        (["ftp://127.0.0.1:9"], "is no address"),
        (["http://127.0.0.1:9", "--key", "NOT_SET_HERE"], "is not set"),
        (["http://127.0.0.1:9", "--out", "x.exe"], "no ending"),
    ],
)
def test_what_cannot_be_looked_at_is_a_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong use is exit code 2."""
    assert invoke(["systems", "preflight", *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_journal_is_of_this_face_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The other face has no use for one."""
    assert invoke(["systems", "serve", "bm25", "--journal", str(tmp_path / "j.db")]) == 2
    assert "Add --face aml" in capsys.readouterr().err


def test_a_system_is_served_and_a_killed_one_comes_back(tmp_path: Path) -> None:
    """What was answered with 200 is there after a process that was killed; Ctrl-C ends the next in peace."""
    command = [sys.executable, "-m", "memgauge", "systems", "serve", "bm25", "--face", "aml"]
    token = tmp_path / "token"
    token.write_text(KEY, "utf-8")
    words = [*command, "--token-file", str(token), "--journal", str(tmp_path / "journal.db")]
    for last in (False, True):
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as serving:
            assert serving.stdout
            url = next(word for word in serving.stdout.readline().split() if word.startswith("http")).rstrip(":")
            client = client_of(url)
            assert client.add(RECORDED["add"]).value == RECORDED["added"]
            assert len(client.search(RECORDED["search"]).value["data"]) == 1
            client.close()
            serving.send_signal(signal.SIGINT if last else signal.SIGKILL)
            rest = serving.stdout.read()
        assert ("Stopped." in rest) is last
    assert serving.returncode == 0


def test_whoever_names_no_journal_is_told_what_a_restart_does() -> None:
    """Answered Adds are forgotten; the key that was made is printed as it has to be set."""
    command = [sys.executable, "-m", "memgauge", "systems", "serve", "bm25", "--face", "aml"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout
        lines = [serving.stdout.readline() for _ in range(3)]
        serving.terminate()
    assert "export MEMGAUGE_SERVE_TOKEN=" in lines[1]
    assert "--journal FILE" in lines[2]
