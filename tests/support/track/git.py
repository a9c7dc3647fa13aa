"""A repository somewhere else, for tests of the track study's Git half."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_WHO = {"NAME": "Ana", "EMAIL": "ana@example.org", "DATE": "2025-01-01T09:00:00+0000"}
_ENVIRONMENT = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}


@dataclass(frozen=True)
class Origin:
    """A repository somewhere else, with its commits oldest first."""

    path: Path
    commits: tuple[str, ...]

    def git(self, *arguments: str) -> str:
        """Run git there as its owner would."""
        return run_git(*arguments, at=self.path)

    def bundle(self, at: Path, *refs: str) -> Path:
        """Write a bundle."""
        self.git("bundle", "create", "-q", str(at), *(refs or ("--all", "HEAD")))
        return at


def run_git(*arguments: str, at: Path) -> str:
    """Run git in a folder, with a clock and an author that never change."""
    environment = {"PATH": os.defpath, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", **_ENVIRONMENT}
    done = subprocess.run(["git", *arguments], cwd=at, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()
