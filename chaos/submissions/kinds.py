"""What a way to spoil a submission is, and where things lie around one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chaos.submissions.world import OLD

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Spoiling:
    """One way to spoil a submission."""

    kind: str
    check: str
    """That is meant for it."""
    spoil: Callable[[Path], object]
    """Spoils the submission in this folder, which lies in a registry in git."""
    names: str
    """The file or the field that the finding must name."""
    forged: bool = False
    """Whether it is one of the kinds that somebody sends who wants a better row."""
    only_asked: bool = False
    """Whether it is marked with a question, and not refused."""

    @property
    def slug(self) -> str:
        """Return the name of a folder for it."""
        return re.sub(r"[^a-z0-9]+", "-", self.kind.lower()).strip("-")


def root_of(folder: Path) -> Path:
    """Return the root of the registry that a submission lies in."""
    return folder.parents[3]


def others_in(folder: Path) -> Path:
    """Return the submission that was there before."""
    return next((root_of(folder) / "submissions").glob(f"*/*/{OLD}"))


def append(folder: Path, name: str, text: str) -> None:
    """Add to the end of a file."""
    path = folder / name
    path.write_text(path.read_text("utf-8") + text, "utf-8")


def replace(folder: Path, name: str, old: str, new: str) -> None:
    """Replace words of a file, which are there."""
    path = folder / name
    text = path.read_text("utf-8")
    assert old in text  # noqa: S101 - or nothing was spoilt
    path.write_text(text.replace(old, new), "utf-8")
