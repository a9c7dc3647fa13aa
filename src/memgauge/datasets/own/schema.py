"""The shapes of the files of a folder of data, read strictly and line by line."""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from memgauge.datasets.places import json_path
from memgauge.datasets.times import NaiveTime  # noqa: TC001 - pydantic needs it at run time
from memgauge.errors import MalformedDataError
from memgauge.misfits import reason
from memgauge.show.safety import plain_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class OwnEntry(BaseModel):
    """One line; a field that is not known is a mistake, not an extension."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class TurnEntry(OwnEntry):
    """One utterance."""

    conversation: str
    session: str
    id: str
    speaker: str
    role: str = "user"
    at: NaiveTime = None
    text: str


class QuestionEntry(OwnEntry):
    """One question with what is right."""

    id: str
    conversation: str
    text: str
    category: Annotated[str, AfterValidator(plain_line)] = "question"
    asked_at: NaiveTime = None
    answers: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    stale: tuple[str, ...] | None = None
    decoys: tuple[str, ...] = ()
    abstain: bool = False
    trap: str | None = None


class FactEntry(OwnEntry):
    """One thing that is true for a while."""

    conversation: str
    id: str
    subject: str = "user"
    slot: str
    value: str
    functional: bool = True
    valid_from: NaiveTime = None
    valid_to: NaiveTime = None
    turns: tuple[str, ...] = ()


E = TypeVar("E", bound=OwnEntry)


def read_lines(path: Path, kind: type[E]) -> Iterator[tuple[int, E]]:
    """Read one entry a line, numbered from 1; a byte order mark is none of it.

    Raises:
        MalformedDataError: A line that is not an entry; the message names line and field.
    """
    with path.open("rb") as lines:
        if lines.read(len(BOM_UTF8)) != BOM_UTF8:
            lines.seek(0)
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield number, kind.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]
                where = json_path(first["loc"])
                raise MalformedDataError(
                    f"{path}, line {number}, {where}: {reason(first)}.",
                    "Correct the line; docs/own-data.md has the form.",
                ) from error
