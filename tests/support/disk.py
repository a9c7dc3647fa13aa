"""Disks that are full, can only be read or keep attributes of files, for as long as a test needs them."""

from __future__ import annotations

import os
import resource
import shlex
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_APART = ("unshare", "--map-root-user", "--mount", "sh", "-ec")
"""A shell whose mounts nobody else sees."""


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond *size* bytes; Python ignores the signal, so writes fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def said_where(mounting: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run memgauge in a process of its own where *mounting* was done first; skip where nobody may mount."""
    try:
        subprocess.run([*_APART, mounting], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting needs namespaces of users")
    command = shlex.join([sys.executable, "-m", "memgauge", *arguments])
    return subprocess.run([*_APART, f"{mounting}\n{command}"], capture_output=True, text=True, check=False)


def read_only(folder: Path) -> str:
    """Return what mounts a folder so that it can only be read."""
    place = shlex.quote(str(folder))
    return f"mount --bind {place} {place} && mount -o remount,bind,ro {place}"


def tiny(folder: Path) -> str:
    """Return what mounts a file system of a few pages at a folder."""
    return f"mount -t tmpfs -o size=8k none {shlex.quote(str(folder))}"


def require_attributes(file: Path) -> None:
    """Skip a test where *file* cannot be given an extended attribute."""
    try:
        os.setxattr(file, "user.tried", b"")
        os.removexattr(file, "user.tried")
    except (AttributeError, OSError) as error:
        pytest.skip(f"Extended attributes cannot be written here: {error}")
