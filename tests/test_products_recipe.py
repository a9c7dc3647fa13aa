"""The weekly recipe over products: its shell steps, run for real, keep an issue where something changed."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from support import ROOT
from support.aging import GADGET, described, wheel
from support.workflows import Server

if TYPE_CHECKING:
    from pathlib import Path

RECIPES = ROOT / "recipes" / "products"
_NO_STORIES = "schema: 1\nsuite: {id: none, version: 1.0.0}\nscenarios: []\n"
GH = """#!/bin/sh
echo "$@" >>"$0.said"
if [ "$1 $2" = "issue list" ]; then cat "$0.open" 2>/dev/null; exit 0; fi
while [ "$#" -gt 0 ]; do case "$1" in --body-file) cat "$2" >"$0.body";; esac; shift; done
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """Return a server at a folder with the recipe, whose pip sees a folder and whose gh notes what it is told."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    repository = tmp_path / "repository"
    (repository / "ci").mkdir(parents=True)
    shutil.copy(RECIPES / "weekly.sh", repository / "ci" / "weekly.sh")
    server = Server.at(repository, tmp_path / "programs", _NO_STORIES)
    (server.programs / "gh").write_text(GH, "utf-8")
    (server.programs / "gh").chmod(0o755)
    return server


def test_where_nothing_changed_no_issue_is_opened(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A product without packages; the page of all products is the summary of the build."""
    monkeypatch.setenv("PRODUCTS", "zep")
    build = server.workflow(RECIPES / "weekly.yml", "aged", {})
    assert build.code == 0, build.printed
    assert not (server.programs / "gh.said").exists()
    assert "| zep | api-v4 |" in build.summary
    assert "ci/memgauge.lock" in build.installed


@pytest.mark.slow  # pip makes environments
def test_a_version_that_broke_something_opens_an_issue_and_then_keeps_it_up(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what changed as Markdown; where the issue is open already, it is edited."""
    monkeypatch.setenv("PRODUCTS", str(described(tmp_path)))
    wheel(tmp_path / "wheels", "1.1", GADGET.replace("[:most]", "[:most][1:]"))
    build = server.workflow(RECIPES / "weekly.yml", "aged", {})
    assert build.code == 1, build.printed
    said = server.programs / "gh.said"
    assert "issue create --title gadget: its newest version is otherwise" in said.read_text("utf-8")
    assert "✗ finds a stored turn" in (server.programs / "gh.body").read_text("utf-8")
    assert "| gadget | 1.0 |" in build.summary
    (server.programs / "gh.open").write_text("7\n", "utf-8")
    said.unlink()
    assert server.workflow(RECIPES / "weekly.yml", "aged", {}).code == 1
    assert "issue edit 7 --body-file aged/gadget/aged.md" in said.read_text("utf-8")
    assert "create" not in said.read_text("utf-8")
    assert not list((tmp_path / "home" / "systems").glob("gadget*/environment.json"))


def test_the_job_may_write_issues_and_nothing_else() -> None:
    """No step spells what others wrote."""
    workflow = yaml.safe_load((RECIPES / "weekly.yml").read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read", "issues": "write"}
    assert not [step for step in workflow["jobs"]["aged"]["steps"] if "${{" in step.get("run", "")]
