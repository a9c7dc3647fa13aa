"""What differs from a base, as git says it: committed, staged, changed and new files alike."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.submissions.checks.subject import PathChange

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Literal

_PATIENCE_S: Final = 120.0


def changes_against(base: str, root: Path) -> tuple[PathChange, ...]:
    """List what differs between the working tree at *root* and the commit in which it left *base*.

    *base* is a commit, branch or tag; the *root* of a registry may be a folder of a larger repository.

    Raises:
        ConfigError: There is no repository, or no such commit.
        MissingExtraError: There is no git.
    """
    if base.startswith("-"):
        raise ConfigError(f"--base {base!r} is no commit.", "Name a commit, a branch or a tag.")
    top = _git(root, "rev-parse", "--show-toplevel").strip()
    fork = _git(root, "merge-base", base, "HEAD").strip()
    listed = _git(root, "diff", "--name-status", "--no-renames", "-z", fork, "--").split("\0")
    changed = dict(_pairs(listed, top, root))
    for name in _git(root, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", ":/").split("\0"):
        if name:
            changed[_below(top, name, root)] = "added"
    return tuple(PathChange(path, changed[path]) for path in sorted(changed))


def _pairs(
    listed: list[str], top: str, root: Path
) -> Iterator[tuple[str, Literal["added", "changed", "removed"]]]:
    for status, name in zip(listed[::2], listed[1::2], strict=False):
        kind: Literal["added", "changed", "removed"] = (
            "added" if status == "A" else "removed" if status == "D" else "changed"
        )
        yield _below(top, name, root), kind


def _below(top: str, name: str, root: Path) -> str:
    return os.path.relpath(os.path.join(top, name), root.resolve())  # noqa: PTH118 - names of git, which are text


def _git(folder: Path, *arguments: str) -> str:
    program = shutil.which("git")
    if program is None:
        raise MissingExtraError("--base needs git, which is not here.", "Install git.")
    command = [program, "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - git itself
            command, capture_output=True, text=True, errors="surrogateescape", check=False, timeout=_PATIENCE_S
        )
    except subprocess.TimeoutExpired as error:
        raise ConfigError(f"git did not answer within {_PATIENCE_S:g} s.", "Is the repository locked?") from error
    if done.returncode:
        words = " ".join(done.stderr.split())[:300]
        raise ConfigError(f"git {arguments[0]} in {folder}: {words or done.returncode}.", "Check --base.")
    return done.stdout
