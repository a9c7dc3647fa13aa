"""A local runner of build servers' files: their shell steps are run for real, with the variables of the server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from support import ROOT
from support.golden import write_suite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

TWO_FACTS = """\
schema: 1
suite: {id: two, version: 1.0.0}
scenarios:
- id: persistence.two
  title: of two facts that answer a question both come back
  family: persistence
  steps:
  - say: "My sister plays {instrument}."
    sets: {instrument: instrument}
  - say: "My sister lives in {city}."
    sets: {city: city}
  - ask: "What of my sister?"
    about: instrument
  - ask: "What of my sister?"
    about: city
"""
"""Stories that a memory passes which returns two hits."""
_EXPRESSION = re.compile(r"\$\{\{\s*([\w.]+)\s*\}\}")


@dataclass(frozen=True)
class Build:
    """How a build ended."""

    code: int
    printed: str
    summary: str
    installed: str
    """What pip was asked for; it is not asked, because memgauge is at hand."""


@dataclass(frozen=True)
class Server:
    """A build server at a repository, whose programs are those of this test run."""

    repository: Path
    programs: Path

    @classmethod
    def at(cls, repository: Path, programs: Path, suite: str) -> Server:
        """Offer memgauge, which plays the stories of *suite* alone, and a pip that notes what it is asked for."""
        programs.mkdir(exist_ok=True)
        stories = f'case "$1 $2" in "study golden") set -- "$@" --suite {write_suite(programs, suite)};; esac\n'
        scripts = {
            "memgauge": f'{stories}exec {sys.executable} -m memgauge "$@"\n',
            "pip": f'echo "$@" >>{programs}/installed\n',
            "python": f'if [ "$1 $2" = "-m pip" ]; then echo "$@" >>{programs}/installed; exit 0; fi\n'
            f'exec {sys.executable} "$@"\n',
        }
        for name, script in scripts.items():
            (programs / name).write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
            (programs / name).chmod(0o755)
        return cls(repository, programs)

    def action(self, inputs: Mapping[str, str], context: Mapping[str, str]) -> Build:
        """Run the steps of our composite action, as a workflow that gives it *inputs*."""
        action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
        known = {name: str(each.get("default", "")) for name, each in action["inputs"].items()}
        assert set(inputs) <= set(known)
        values = dict(context) | {
            f"inputs.{name}": _expanded(value, context) for name, value in {**known, **inputs}.items()
        }
        variables = {"GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": str(ROOT)}
        return self._run(action["runs"]["steps"], values, variables)

    def workflow(self, path: Path, job: str, context: Mapping[str, str]) -> Build:
        """Run the shell steps of a job of a workflow of GitHub; what it uses from elsewhere is left out."""
        steps = yaml.safe_load(path.read_text("utf-8"))["jobs"][job]["steps"]
        return self._run([step for step in steps if "run" in step], context, {"GITHUB_ACTIONS": "true"})

    def gitlab(self, path: Path, job: str, variables: Mapping[str, str]) -> Build:
        """Run the script of a job of GitLab, one shell for all lines, which ends with the first that fails."""
        read = yaml.safe_load(path.read_text("utf-8"))[job]
        given = {name: str(value) for name, value in read.get("variables", {}).items()}
        return self._run([{"run": "\n".join(read["script"])}], {}, given | dict(variables))

    def _run(
        self, steps: Sequence[Mapping[str, Any]], context: Mapping[str, str], variables: Mapping[str, str]
    ) -> Build:
        summary = self.programs / "summary.md"
        summary.write_text("", encoding="utf-8")
        (self.programs / "installed").write_text("", encoding="utf-8")
        printed, code = "", 0
        for step in steps:
            own = {name: _expanded(str(value), context) for name, value in step.get("env", {}).items()}
            if code and step.get("if") != "always()":
                continue
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", _expanded(step["run"], context)],
                cwd=self.repository,
                env={**self._environment(), **variables, "GITHUB_STEP_SUMMARY": str(summary), **own},
                capture_output=True,
                text=True,
                check=False,
            )
            printed, code = printed + done.stdout + done.stderr, code or done.returncode
        installed = (self.programs / "installed").read_text("utf-8")
        return Build(code, printed, summary.read_text("utf-8"), installed)

    def _environment(self) -> dict[str, str]:
        path = f"{self.programs}:{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src")}


def _expanded(text: str, context: Mapping[str, str]) -> str:
    return _EXPRESSION.sub(lambda found: context.get(found[1], ""), text)
