"""Served repositories and their branches, described as the interface of a Gitea server does."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memgauge.studies.track.git.answered import refs_state
from memgauge.studies.track.git.command import GitFailed, git

if TYPE_CHECKING:
    from pathlib import Path

OWNER = "pgym"
"""Whose the repositories are, in every address."""
ADDRESS = f"http://git.local:3000/{OWNER}"
"""Where an agent finds repositories, whatever serves them."""
_FORMAT = "%H%x00%an%x00%ae%x00%aI%x00%B"


def repositories_at(folder: Path, query: str = "") -> list[dict[str, Any]]:
    """Describe the repositories of *folder* whose names contain *query*, by name."""
    return [_repository(path) for path in sorted(folder.glob("*.git")) if query.lower() in path.stem.lower()]


def branch_of(repository: Path, branch: str) -> dict[str, Any] | None:
    """Describe a branch with its last commit; ``None`` where there is none."""
    try:
        log_entry = _logged(repository, f"refs/heads/{branch}", refs_state(repository))
    except GitFailed:
        return None
    sha, author, email, date, message = log_entry.split("\0", 4)
    who = {"name": author, "email": email}
    commit = {"id": sha, "message": message.strip(), "author": who, "timestamp": date}
    return {"name": branch, "commit": commit}


@lru_cache(1_024)
def _logged(repository: Path, ref: str, _state: str) -> str:
    """Ask git for the last commit of a ref, once for where the refs stand."""
    return git("log", "-1", f"--format={_FORMAT}", ref, "--", at=repository).decode("utf-8", "replace")


def _repository(path: Path) -> dict[str, Any]:
    branch = (path / "HEAD").read_text(encoding="utf-8").strip().removeprefix("ref: refs/heads/")
    return {
        "name": path.stem,
        "full_name": f"{OWNER}/{path.stem}",
        "owner": {"login": OWNER},
        "empty": branch_of(path, branch) is None,
        "default_branch": branch,
        "clone_url": f"{ADDRESS}/{path.stem}.git",
    }
