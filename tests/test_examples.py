"""The examples work: the gate for CI, and the files that build servers read."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from support import ROOT
from support.docs import blocks, pages
from support.golden import write_suite
from support.workflows import TWO_FACTS

if TYPE_CHECKING:
    from pathlib import Path

CI = ROOT / "recipes" / "ci"
GATE = CI / "gate.sh"


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository that holds the memory of the README."""
    folder = tmp_path_factory.mktemp("repository")
    (source,) = (one.text for one in blocks("README.md", pages()["README.md"]) if "mymemory.py" in one.all("file"))
    (folder / "mymemory.py").write_text(source, encoding="utf-8")
    _git(folder, "init", "--quiet")
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "-m", "one")
    return folder


def _gate(repository: Path, suite: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the script as a build server does, in the repository, with variables; of its stories only *suite*."""
    programs = repository.parent / "programs"
    programs.mkdir(exist_ok=True)
    stories = f'case "$1 $2" in "study golden") set -- "$@" --suite {write_suite(programs, suite)};; esac\n'
    (programs / "memgauge").write_text(
        f'#!/bin/sh\n{stories if suite else ""}exec {sys.executable} -m memgauge "$@"\n'
    )
    (programs / "memgauge").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        **variables,
    }
    return subprocess.run(
        ["bash", str(GATE)], cwd=repository, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow  # that it can be passed: tests/test_recipes.py tries what is worse and what is better every time
def test_the_gate_lets_an_unchanged_memory_through(repository: Path) -> None:
    """The script ends with 0, keeps reports for both servers, and leaves the repository as it was."""
    done = _gate(repository, BASE="HEAD", OUT="report")
    assert done.returncode == 0, done.stdout + done.stderr
    made = {path.name for path in (repository / "report").iterdir()}
    assert {
        "golden.xml",
        "golden.md",
        "golden.html",
        "score.xml",
        "score.md",
        "gate.xml",
        "gate.md",
        "runs",
    } <= made
    assert (repository / "report" / "score.md").read_text("utf-8").startswith("## synthetic:small")
    assert "passed" in (repository / "report" / "gate.md").read_text("utf-8")
    assert len(_git(repository, "worktree", "list").splitlines()) == 1


def test_the_gate_tells_a_mistake_from_a_failure(repository: Path) -> None:
    """A memory that is not there ends with 2."""
    done = _gate(repository, TWO_FACTS, MEMORY="nowhere:Memory", OUT="mistake")
    assert done.returncode == 2
    assert "no module named 'nowhere'" in done.stderr


def _steps(name: str) -> dict[Any, Any]:
    loaded = yaml.safe_load((CI / name).read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_github_runs_the_gate_and_shows_what_it_wrote() -> None:
    """The workflow may only read, runs the script against the target branch, and keeps the report on failure."""
    workflow = _steps("github.yml")
    assert workflow["permissions"] == {"contents": "read"}
    steps = workflow["jobs"]["gate"]["steps"]
    (gate,) = (step for step in steps if step.get("run") == "ci/gate.sh")
    assert set(gate["env"]) == {"MEMORY", "BASE"}
    assert [step["if"] for step in steps if "memory-report" in str(step)] == ["always()"]


def test_gitlab_runs_the_gate_and_reads_its_reports() -> None:
    """The job runs the script against the target branch and hands JUnit over whatever happened."""
    job = _steps("gitlab-ci.yml")["memory"]
    assert any(line.endswith("ci/gate.sh") for line in job["script"])
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"]["junit"] == "memory-report/*.xml"


@pytest.mark.parametrize("name", ["gate.sh", "github.yml", "gitlab-ci.yml"])
def test_the_page_shows_the_example_as_it_is(name: str) -> None:
    """What the page on CI prints is the file that is tested here."""
    shown = [block.text for block in blocks("docs/how-to/ci.md", pages()["docs/how-to/ci.md"])]
    assert (CI / name).read_text("utf-8") in shown


def test_the_gate_can_be_started() -> None:
    """The script is executable."""
    assert os.access(GATE, os.X_OK)
