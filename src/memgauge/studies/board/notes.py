"""What lies beside a bundle: how its lane was played, where, when and how long it took."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from memgauge.errors import MalformedDataError
from memgauge.runs.record.files import write_atomically

if TYPE_CHECKING:
    from datetime import datetime

BUNDLE: Final = ".zip"
NOTE: Final = ".json"
REPEATED: Final = ".repeat"
"""Behind the key of a lane that was played again from scratch."""
WARMED: Final = "warmed.json"


class Machine(BaseModel):
    """Where something was played."""

    model_config = ConfigDict(frozen=True)

    processor: str
    cores: int
    gigabytes: float
    system: str


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


def this_machine() -> Machine:
    """Describe the machine at hand."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return Machine(
        processor=next(names, platform.processor() or "unknown"),
        cores=os.cpu_count() or 1,
        gigabytes=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        system=f"{platform.system()} {platform.machine()}",
    )


def day_of(moment: datetime) -> str:
    """Write the day of a moment."""
    return moment.date().isoformat()
