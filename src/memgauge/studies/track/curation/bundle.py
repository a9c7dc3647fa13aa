"""The code base of an instance as one file beside its timeline, cut before the change that is asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.studies.track.git.command import git
from memgauge.studies.track.git.repository import import_cut

if TYPE_CHECKING:
    from pathlib import Path

BUNDLE = "repository.bundle"


def write_bundle(clone: Path, commit: str, folder: Path) -> str:
    """Write the bundle of *clone* up to *commit* into *folder*, and return its name.

    Raises:
        DataError: The clone lacks objects that the commit needs.
    """
    cached, _ = import_cut(clone, commit)
    folder.mkdir(parents=True, exist_ok=True)
    git("bundle", "create", "--quiet", str((folder / BUNDLE).absolute()), "refs/heads/cut", at=cached)
    return BUNDLE
