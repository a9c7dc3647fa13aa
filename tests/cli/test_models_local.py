"""`memgauge models list, install, remove, serve, check`: what is said, without any weights."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from memgauge.systems.models.catalogue import model_names
from support.engines import ToyVectors, ToyWriter, serving

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for environments in a folder of the test."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))


def test_the_list_says_how_each_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    """Every model with its kind, and the command that brings it."""
    assert invoke(["models", "list", "--json"]) == 0
    rows = {row["model"]: row for row in json.loads(capsys.readouterr().out)}
    assert set(rows) == set(model_names())
    assert (rows["e5"]["kind"], rows["e5"]["here"]) == ("embeddings", "memgauge models install e5")
    assert invoke(["models", "list"]) == 0
    assert "--system mem0:embedder=minilm" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["install"], "Nothing to install"),
        (["install", "minlm"], "Did you mean minilm"),
        (["serve", "e5"], "memgauge models install e5"),
        (["check", "nonsense"], "no model 'nonsense'"),
        (["check", "e5"], "memgauge models install e5"),
        (["remove", "e5", "minilm-8bit"], "`memgauge models remove minilm` removes the one that it runs in"),
    ],
)
def test_a_mistake_is_a_sentence(command: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not there is named, with what to do."""
    assert invoke(["models", *command]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_what_is_not_installed_is_not_removed(capsys: pytest.CaptureFixture[str]) -> None:
    """It is said and no error."""
    assert invoke(["models", "remove", "e5"]) == 0
    assert "e5: was not installed" in capsys.readouterr().out


def test_a_model_at_an_address_is_checked(capsys: pytest.CaptureFixture[str]) -> None:
    """What it does is a pass, what it does not do is unsupported or a failure, and a failure is exit code 1."""
    with serving(ToyVectors()) as server:
        invoke(["models", "check", f"toy@{server.url}", "--json"])
        (report,) = json.loads(capsys.readouterr().out)
        verdicts = {probe["name"]: probe["verdict"] for probe in report["probes"]}
        assert (
            verdicts["says who it is"] == verdicts["embeds"] == verdicts["tells queries from documents"] == "pass"
        )
        assert "writes" not in verdicts
    with serving(ToyWriter()) as server:
        assert invoke(["models", "check", f"openai:toy@{server.url}"]) == 1
        out = capsys.readouterr().out
        assert "pass        writes" in out
        assert "fail        keeps to a schema: it wrote '0 1 2" in out
    assert invoke(["models", "check", f"toy@{server.url}", "--json"]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    assert {probe["verdict"] for probe in report["probes"]} == {"unsupported"}
