"""What an instance grows from: a task in words, or a closed issue with the change that settled it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.studies.track.timeline.files import read_model, read_text, write_model
from memgauge.studies.track.timeline.models import Moment  # noqa: TC001 - pydantic reads it while running

if TYPE_CHECKING:
    from pathlib import Path

SEED = "seed.json"
"""What the file is called, in the folder of an instance."""


class Approach(StrEnum):
    """From where an instance is made; the document's three ways."""

    BOTTOM_UP = "bottom-up"
    """From a closed issue and the change that settled it."""
    TOP_DOWN = "top-down"
    """From a task that a person describes."""
    HYBRID = "hybrid"
    """From either, refined again and again between a person and a model."""


class CurationModel(BaseModel):
    """What lies in the folder of an instance beside its timeline, or a part of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Remark(CurationModel):
    """One comment below an issue or a change."""

    author: str
    at: Moment
    text: str


class ClosedIssue(CurationModel):
    """A closed issue."""

    number: int
    title: str
    body: str = ""
    author: str
    opened: Moment
    closed: Moment
    remarks: tuple[Remark, ...] = ()


class MergedChange(CurationModel):
    """A merged pull request, with what it did to text files."""

    number: int
    title: str
    body: str = ""
    author: str
    opened: Moment
    merged: Moment
    commit: str
    base: str
    """The commit before it: where the code base of the instance is cut."""
    files: dict[str, str | None]
    """Content after the change by path, ``None`` for a removed file."""
    remarks: tuple[Remark, ...] = ()


class IssueOrigin(CurationModel):
    """Where an issue comes from."""

    repository: str
    branch: str = "main"
    clone: str
    """The folder on this machine that the code base is taken from."""
    issue: ClosedIssue
    change: MergedChange


class Seed(CurationModel):
    """The beginning of an instance."""

    schema_version: Literal[1] = 1
    name: str
    approach: Approach
    title: str = ""
    task: str = ""
    """What happens, in words; also the aim of an instance that grows from an issue, if somebody gave one."""
    origin: IssueOrigin | None = None


def write_seed(folder: Path, seed: Seed) -> None:
    """Write the seed of an instance."""
    write_model(folder / SEED, seed)


def read_seed(folder: Path) -> Seed:
    """Read the seed of an instance.

    Raises:
        DataNotFoundError: There is none.
        MalformedDataError: It is no seed; the message names line and field.
    """
    path = folder / SEED
    if not path.is_file():
        raise DataNotFoundError(f"{path} is not there.", "Begin with `memgauge study track curate seed`.")
    return read_model(path, Seed)


def read_task(path: Path) -> str:
    """Read a task in words.

    Raises:
        DataNotFoundError: It is not there.
        MalformedDataError: It is no text, or says nothing.
    """
    task = read_text(path, "Name a text file.").strip()
    if not task:
        raise MalformedDataError(f"{path} says nothing.", "Describe in a few sentences who does what, and where.")
    return task
