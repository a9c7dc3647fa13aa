"""What an outside agent did while it was served: kept line by line, so that the last line may be torn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.studies.track.play.played import ANSWERS, Answer, PlayedInstance
from memgauge.studies.track.play.trajectory import TRAJECTORY, is_torn, read_rows, read_trajectory

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ServedInstance:
    """What was kept of an instance that was served."""

    played: PlayedInstance
    torn: tuple[str, ...]
    """Files whose last line was cut off when the server was killed; it is left out."""


def read_served(folder: Path, instance: str) -> ServedInstance:
    """Read what was kept, as far as it is whole; without a file of answers none was given.

    Raises:
        MalformedDataError: A line is neither call nor answer.
    """
    path = folder / ANSWERS
    answers = tuple(read_rows(path, Answer, "an answer", torn=True)) if path.exists() else ()
    played = PlayedInstance(instance, 0, read_trajectory(folder, torn=True), answers)
    paths = [path for path in (folder / TRAJECTORY, path) if path.exists()]
    return ServedInstance(played, tuple(path.name for path in paths if is_torn(path)))
