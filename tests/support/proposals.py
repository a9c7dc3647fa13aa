"""A registry on a git server, forks of it with submissions, and the jobs that check them, run for real."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chaos.submissions.world import git, submission_in
from support import ROOT
from support.workflows import Server

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.workflows import Build

RECIPES = ROOT / "recipes" / "results"
_NO_STORIES = "schema: 1\nsuite: {id: none, version: 1.0.0}\nscenarios: []\n"


@dataclass(frozen=True)
class Hosted:
    """A registry where it is hosted, and the programs of its build server."""

    upstream: Path
    """A bare repository."""
    programs: Path

    @classmethod
    def at(cls, registry: Path, folder: Path) -> Hosted:
        """Host what the branch ``main`` of *registry* has, with the recipes beside it."""
        seed, upstream, programs = folder / "seed", folder / "upstream.git", folder / "programs"
        git(folder, "clone", "--quiet", "--branch=main", registry.as_uri(), str(seed))
        shutil.copytree(RECIPES, seed / "ci", ignore=shutil.ignore_patterns("*.yml"))
        (seed / "ci" / "memgauge.lock").touch()
        (seed / ".gitignore").write_text("check-report/\nnightly/\n", "utf-8")
        git(seed, "add", ".")
        git(seed, "commit", "--quiet", "-m", "Add the recipes")
        git(folder, "clone", "--quiet", "--bare", str(seed), str(upstream))
        hosted = cls(upstream, programs)
        Server.at(folder, programs, _NO_STORIES)
        gh = programs / "gh"
        gh.write_text(
            '#!/bin/sh\necho "$@" >>"$0.said"\nwhile [ "$#" -gt 0 ]; do case "$1" in --body-file) cat "$2" '
            '>>"$0.body";; esac; shift; done\n',
            "utf-8",
        )
        gh.chmod(0o755)
        return hosted

    @property
    def main(self) -> str:
        """Return the commit of the branch that is proposed to."""
        return git(self.upstream, "rev-parse", "main")

    def proposed(self, registry: Path, folder: Path, spoil: Callable[[Path], object] = lambda _: None) -> Path:
        """Fork, add the new submission of *registry* to the fork, and check out what was pushed there.

        *spoil* changes the submission before it is committed.
        """
        fork, work, checkout = folder / "fork.git", folder / "work", folder / "checkout"
        git(folder, "clone", "--quiet", "--bare", self.upstream.as_uri(), str(fork))
        git(folder, "clone", "--quiet", fork.as_uri(), str(work))
        new = submission_in(registry)
        shutil.copytree(new.folder, work / new.place)
        spoil(work / new.place)
        git(work, "checkout", "--quiet", "-b", "mine")
        git(work, "add", "--all")
        git(work, "commit", "--quiet", "-m", "Submit")
        git(work, "push", "--quiet", "origin", "mine")
        git(folder, "clone", "--quiet", self.upstream.as_uri(), str(checkout))
        git(checkout, "fetch", "--quiet", fork.as_uri(), "mine")
        git(checkout, "checkout", "--quiet", "FETCH_HEAD")
        return checkout

    def check(self, checkout: Path) -> Build:
        """Run job A on what was proposed."""
        context = {"github.event.pull_request.base.sha": self.main}
        return self._server(checkout).workflow(RECIPES / "check.yml", "check", context)

    def comment(self, report: Path, folder: Path) -> tuple[Build, str]:
        """Run job B on a report, in a checkout of the default branch; what was posted comes with it."""
        folder.mkdir()
        checkout = folder / "default"
        git(folder, "clone", "--quiet", self.upstream.as_uri(), str(checkout))
        if report.exists():
            shutil.copytree(report, checkout / "check-report", symlinks=True)
        context = {
            "github.event.workflow_run.head_repository.owner.login": "ann",
            "github.event.workflow_run.head_branch": "mine",
            "github.repository": "results/results",
        }
        for name in ("gh.said", "gh.body"):
            (self.programs / name).unlink(missing_ok=True)
        build = self._server(checkout).workflow(RECIPES / "comment.yml", "comment", context)
        body = self.programs / "gh.body"
        return build, body.read_text("utf-8") if body.exists() else ""

    def scheduled(self, name: str, checkout: Path, context: dict[str, str]) -> Build:
        """Run the one job of a scheduled workflow."""
        job = {"nightly": "rebuild", "weekly": "install"}[name]
        return self._server(checkout).workflow(RECIPES / f"{name}.yml", job, context)

    def _server(self, checkout: Path) -> Server:
        return Server(checkout, self.programs)
