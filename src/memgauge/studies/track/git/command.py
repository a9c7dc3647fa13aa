"""Git commands that depend on nothing but their arguments: no user's settings, no network, no prompt."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

from memgauge.errors import MissingExtraError, UserError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class GitFailed(UserError):  # noqa: N818 - named for what happened
    """A git command ended with an error; carries what git said."""


def git_binary() -> str:
    """Return where git is.

    Raises:
        MissingExtraError: There is none.
    """
    binary = shutil.which("git")
    if binary is None:
        raise MissingExtraError("The track study needs git, and there is none on the path.", "Install git.")
    return binary


def git_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return all that git may know of its surroundings.

    Repositories may belong to another user (a cache, a mounted folder): they are only read from, so their owner is
    not asked for.
    """
    return {
        "PATH": os.defpath,
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "file",
        "GIT_NO_LAZY_FETCH": "1",
        **(extra or {}),
    }


def git(
    *arguments: str,
    at: Path,
    stdin: bytes = b"",
    accepted: tuple[int, ...] = (0,),
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """Run git on the repository *at* and return what it printed.

    Raises:
        GitFailed: It ended with a code that is not *accepted*.
    """
    completed = subprocess.run(  # noqa: S603 - git itself, with arguments that we make and no shell
        [git_binary(), f"--git-dir={at}", *arguments],
        input=stdin,
        capture_output=True,
        env=git_environment(environment),
        check=False,
    )
    if completed.returncode not in accepted:
        reason = completed.stderr.decode("utf-8", "replace").strip() or f"exit code {completed.returncode}"
        raise GitFailed(f"git {arguments[0]} failed on {at}: {reason}")
    return completed.stdout
