"""Which closed issues of a local clone can become an instance, and why the others cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.studies.track.curation.seed import MergedChange
from memgauge.studies.track.git.command import GitFailed, git

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.studies.track.curation.dump import Dump, Pull
    from memgauge.studies.track.curation.seed import ClosedIssue

FILES = 2
"""Files that a change may touch: what is small can be verified. Source: MEMTRACK, bottom-up approach."""


@dataclass(frozen=True)
class IssueCandidate:
    """One closed issue, with the change that settled it, or the reason why it is not taken."""

    issue: ClosedIssue
    change: MergedChange | None
    why_not: str = ""

    @property
    def remarks(self) -> int:
        """Count what was said about it, below issue and change."""
        return len(self.issue.remarks) + (len(self.change.remarks) if self.change else 0)


def candidates(clone: Path, dump: Dump, files: int = FILES) -> tuple[IssueCandidate, ...]:
    """Look at every closed issue; usable ones come first, those that were talked about most at the front.

    Raises:
        DataNotFoundError: The clone is not there.
    """
    at = git_folder(clone)
    every = [_candidate(at, issue, dump.pulls, files) for issue in dump.issues]
    return tuple(
        sorted(every, key=lambda candidate: (candidate.change is None, -candidate.remarks, candidate.issue.number))
    )


def choose(issues: Sequence[IssueCandidate], number: int | None = None) -> IssueCandidate:
    """Take the issue of a number, or the first that can be used.

    Raises:
        ConfigError: It cannot be used, or none can.
    """
    if number is None:
        usable = next((candidate for candidate in issues if candidate.change is not None), None)
        if usable is None:
            raise ConfigError(f"None of {len(issues)} closed issues can be used.", "See why with --list.")
        return usable
    match = next((candidate for candidate in issues if candidate.issue.number == number), None)
    if match is None:
        raise ConfigError(f"Issue {number} is not among the closed issues of the dump.", "See them with --list.")
    if match.change is None:
        raise ConfigError(f"Issue {number} cannot be used: {match.why_not}.")
    return match


def git_folder(clone: Path) -> Path:
    """Return the git directory of a clone, bare or not.

    Raises:
        DataNotFoundError: There is none.
    """
    for at in (clone / ".git", clone):
        if (at / "HEAD").is_file():
            return at
    raise DataNotFoundError(f"{clone} is no clone of a repository.", "Clone it first; nothing is fetched here.")


def branch_of(clone: Path) -> str:
    """Return the branch that a clone stands on."""
    return (git_folder(clone) / "HEAD").read_text("utf-8").strip().removeprefix("ref: refs/heads/")


def _candidate(at: Path, issue: ClosedIssue, pulls: Sequence[Pull], files: int) -> IssueCandidate:
    closing_pulls = [pull for pull in pulls if issue.number in pull.closes]
    if not closing_pulls:
        return IssueCandidate(issue, None, "no merged pull request says that it closes it")
    if len(closing_pulls) > 1:
        numbers = ", ".join(f"#{pull.number}" for pull in closing_pulls)
        return IssueCandidate(
            issue, None, f"several pull requests close it ({numbers}), so no single change settles it"
        )
    if closing_pulls[0].merged < issue.opened:
        return IssueCandidate(issue, None, "its pull request was merged before it was opened")
    change = _looked_up(at, closing_pulls[0], files)
    return IssueCandidate(issue, None, change) if isinstance(change, str) else IssueCandidate(issue, change)


def _looked_up(at: Path, pull: Pull, files: int) -> MergedChange | str:
    """Return a change as the clone has it, or why it cannot be used."""
    try:
        base = git("rev-parse", "--verify", "--end-of-options", f"{pull.commit}^1", at=at).decode("ascii").strip()
        listing = git("diff", "--name-only", "--no-renames", "-z", base, pull.commit, at=at).decode(
            "utf-8", "replace"
        )
        paths = [path for path in listing.split("\0") if path]
        if not 0 < len(paths) <= files:
            return f"its change touches {len(paths)} files, and at most {files} are wanted"
        contents = {path: _content(at, pull.commit, path) for path in paths}
        return MergedChange(**pull.model_dump(exclude={"closes"}), base=base, files=contents)
    except GitFailed:
        return f"the clone does not have the commit {pull.commit[:12]} with its parent"
    except UnicodeDecodeError:
        return "its change touches a file that is no text"


def _content(at: Path, commit: str, path: str) -> str | None:
    """Return a file after a commit; ``None`` where the commit removed it."""
    if not git("ls-tree", "-z", commit, "--", path, at=at):
        return None
    return git("cat-file", "blob", f"{commit}:{path}", at=at).decode("utf-8")
