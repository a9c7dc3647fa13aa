"""What the documentation shows works as shown."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from support import ROOT

if TYPE_CHECKING:
    from pathlib import Path

README = (ROOT / "README.md").read_text("utf-8")
GUIDE = (ROOT / "docs" / "instrument.md").read_text("utf-8")


def _block(text: str, language: str, containing: str) -> str:
    blocks = re.finditer(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)
    return next(str(block[1]) for block in blocks if containing in block[1])


def test_the_memory_of_the_readme_conforms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The example memory has at most 30 lines of code, passes its check, and runs beside bm25."""
    source = _block(README, "python", "class MyMemory")
    assert len([line for line in source.splitlines() if line.strip()]) <= 30
    (tmp_path / "mymemory.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert invoke(["systems", "check", "mymemory:MyMemory"]) == 0
    assert invoke(["run", "-d", "synthetic:tiny", "-s", "mymemory:MyMemory", "-s", "bm25"]) == 0
    assert invoke(["score"]) == 0
    assert "mymemory:MyMemory" in capsys.readouterr().out


def test_the_python_example_of_the_guide_runs(tmp_path: Path) -> None:
    """The Python example prints one line a system, with interval and denominator."""
    code = _block(GUIDE, "python", "leaderboards")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [line.split(":")[0] for line in done.stdout.splitlines()] == ["bm25", "tfidf"]
    assert "25/32 (7 no evidence)" in done.stdout


@pytest.mark.parametrize("text", [README, GUIDE], ids=["README", "guide"])
def test_every_command_that_is_shown_exists(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every `memgauge …` of the documentation names a command that has a help text."""
    shown = {m for m in re.findall(r"memgauge (data \w+|systems \w+|[a-z]+)\b", text) if m not in {"runs", "is"}}
    commands = sorted(shown & _known(capsys) | {m for m in shown if " " in m})
    assert commands
    for command in commands:
        assert invoke([*command.split(), "--help"]) == 0, command


def _known(capsys: pytest.CaptureFixture[str]) -> set[str]:
    invoke(["--help"])
    return set(re.findall(r"[a-z]+", capsys.readouterr().out))


def test_every_link_leads_somewhere() -> None:
    """Every relative link of README and guide names a file of the project."""
    for text, base in ((README, ROOT), (GUIDE, ROOT / "docs")):
        links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if not link.startswith("http")]
        assert links
        assert [link for link in links if not (base / link).exists()] == []
