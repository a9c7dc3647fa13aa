"""Which commit is measured, where a memory lies in a repository: what tells two builds of it apart."""

from __future__ import annotations

import shutil
import subprocess
from typing import Final

PATIENCE_S: Final = 5


def commit_here() -> str:
    """Return the commit of the repository that we are in, marked where files differ from it; empty elsewhere."""
    git = shutil.which("git")
    if git is None:
        return ""
    asked = ("describe", "--always", "--dirty=-changed", "--abbrev=7", "--exclude=*")
    try:
        done = subprocess.run(  # noqa: S603 - git itself, on the repository of whoever runs us
            [git, "-c", "core.fsmonitor=false", *asked],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
