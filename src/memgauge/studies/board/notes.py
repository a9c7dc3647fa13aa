"""What lies beside a bundle: how its lane was played, where, when and how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from memgauge.errors import MalformedDataError
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.machine import Machine  # noqa: TC001 - pydantic reads it

if TYPE_CHECKING:
    from pathlib import Path

BUNDLE: Final = ".zip"
NOTE: Final = ".json"
REPEATED: Final = ".repeat"
"""Behind the key of a lane that was played again from scratch."""
WARMED: Final = "warmed.json"


class LaneNote(BaseModel):
    """How a lane was played."""

    model_config = ConfigDict(frozen=True)

    key: str
    command: str
    """As a user types it."""
    began: str
    """The day of the first sitting."""
    seconds: float
    """Of all sittings, opening and checking included."""
    load: float
    """Of the machine when the last sitting began."""
    machine: Machine
    problem: str = ""
    """Why there is no bundle."""

    def write(self, folder: Path) -> None:
        """Write it beside the bundle."""
        write_atomically(folder / f"{self.key}{NOTE}", self.model_dump_json(indent=2) + "\n")


class Warming(BaseModel):
    """What embedding every text of the dataset took, before any lane was played."""

    model_config = ConfigDict(frozen=True)

    embedder: str
    texts: int
    seconds: float

    @property
    def rate(self) -> float:
        """Return texts a second."""
        return self.texts / self.seconds if self.seconds else 0.0


def read_note(folder: Path, key: str) -> LaneNote | None:
    """Read how a lane was played; ``None`` where it was not.

    Raises:
        MalformedDataError: The file says something else.
    """
    path = folder / f"{key}{NOTE}"
    if not path.is_file():
        return None
    try:
        return LaneNote.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise MalformedDataError(f"{path} is no note of a lane: {error}.", "Remove it and play again.") from error
