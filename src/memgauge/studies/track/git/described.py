"""What can be said about served repositories: their names, branches and last commits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.studies.track.git.command import GitFailed, git

if TYPE_CHECKING:
    from pathlib import Path

_FORMAT = "%H%x00%an%x00%ae%x00%aI%x00%B"


@dataclass(frozen=True, slots=True)
class Described:
    """One repository as a list of them shows it."""

    name: str
    default_branch: str
    empty: bool


@dataclass(frozen=True, slots=True)
class Head:
    """The last commit of a branch."""

    sha: str
    author: str
    email: str
    date: str
    message: str


def repositories_at(folder: Path, query: str = "") -> list[Described]:
    """Describe the repositories of *folder* whose names contain *query*, by name."""
    found = sorted(path for path in folder.glob("*.git") if query.lower() in path.stem.lower())
    return [Described(path.stem, branch := _default(path), branch_of(path, branch) is None) for path in found]


def branch_of(repository: Path, branch: str) -> Head | None:
    """Return the last commit of a branch; ``None`` where there is no such branch."""
    try:
        shown = git("log", "-1", f"--format={_FORMAT}", f"refs/heads/{branch}", "--", at=repository)
    except GitFailed:
        return None
    sha, author, email, date, message = shown.decode("utf-8", "replace").split("\0", 4)
    return Head(sha, author, email, date, message.strip())


def _default(repository: Path) -> str:
    return (repository / "HEAD").read_text(encoding="utf-8").strip().removeprefix("ref: refs/heads/")
