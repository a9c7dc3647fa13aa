"""The shape of a file of MemDaily: trajectories, each with its messages and its question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, model_validator

from memgauge.datasets.places import FieldPath
from memgauge.datasets.strict import StrictEntry
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

_ERROR: Final = re.compile(r"\[ERROR[A-Z]?\]")
_CHINESE: Final = re.compile(
    r"(\d{4})年(\d{1,2})月(\d{1,2})日\s*(?:周|星期)?[一二三四五六日天]?\s*(\d{1,2}):(\d{2})"
)
_WEEKDAY: Final = re.compile(r"\s*(?:mon|tues|wednes|thurs|fri|satur|sun)day\s*$", re.IGNORECASE)


class StepEntry(StrictEntry):
    """One message."""

    mid: int
    message: str
    time: str
    place: str = ""


class OptionedQuestion(StrictEntry):
    """One question with its options."""

    qid: int | str = 0
    question: str
    answer: str
    target_step_id: list[int]
    choices: dict[str, str]
    ground_truth: str
    time: str = ""

    @model_validator(mode="after")
    def _answered(self) -> OptionedQuestion:
        if self.ground_truth not in self.choices:
            raise ValueError(f"ground_truth {self.ground_truth!r} is none of the choices")
        return self

    @property
    def options(self) -> tuple[str, ...]:
        """Return the options in the order of their letters."""
        return tuple(self.choices[letter] for letter in sorted(self.choices))

    @property
    def right(self) -> int:
        """Return the place of the right one."""
        return sorted(self.choices).index(self.ground_truth)


class TrajectoryEntry(StrictEntry):
    """One life; questions are checked one by one, for some are error messages of their generator."""

    tid: int | str
    message_list: list[StepEntry]
    question_list: list[Any]


_FILE = TypeAdapter(list[TrajectoryEntry])
_QUESTION = TypeAdapter(OptionedQuestion)


def read_trajectories(path: Path) -> Iterator[tuple[FieldPath, TrajectoryEntry]]:
    """Read a file, each trajectory with its place.

    Raises:
        MalformedDataError: It is not JSON, or a field is not what it must be; the message names the place.
    """
    place = FieldPath(str(path))
    entries = place.checked(_FILE, json_file(path, "Bring the file again."))
    return ((place.at(number), entry) for number, entry in enumerate(entries))


def read_choice(place: FieldPath, written: object) -> OptionedQuestion | None:
    """Read a question; ``None`` where it is an error message.

    Raises:
        MalformedDataError: A field is not what it must be; the message names the place.
    """
    return None if is_error(written) else place.checked(_QUESTION, written)


def is_error(written: object) -> bool:
    """Whether the generator wrote ``[ERRORQ]``, ``[ERRORA]`` or ``[ERRORC]`` into a question, anywhere."""
    if isinstance(written, dict):
        return any(map(is_error, written.values()))
    if isinstance(written, list):
        return any(map(is_error, written))
    return isinstance(written, str) and _ERROR.match(written.strip()) is not None


def read_moment(place: FieldPath, written: str) -> datetime:
    """Read a time as ``2024年04月01日 周一 08:39`` or ``'2024-04-01 08:39' Monday``; the weekday is cut.

    Raises:
        MalformedDataError: It is none.
    """
    if match := _CHINESE.fullmatch(written.strip()):
        year, month, day, hour, minute = map(int, match.groups())
        return place.date(f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}")
    return place.date(_WEEKDAY.sub("", written).strip().strip("'\""))
