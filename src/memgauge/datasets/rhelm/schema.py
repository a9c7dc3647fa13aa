"""The shapes of RHELM's files, as far as they are read; what gives answers away is not read at all."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from pydantic import Field, TypeAdapter

from memgauge.datasets.places import REMEDY, FieldPath
from memgauge.datasets.strict import StrictEntry
from memgauge.errors import MalformedDataError
from memgauge.text.jsons import json_of, json_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.datasets.rhelm.source import PersonFile

_RULE: Final = re.compile(r"^=+\s*$", re.MULTILINE)
_EMAIL_NAME: Final = re.compile(r"emails/[^/]+/(\d+)_email_(\d{4})_(\d\d)_(\d\d)\.txt")
_FILE_NAME: Final = re.compile(r"attachments/[^/]+/(\d+)_[^/]+")


class RhelmPair(StrictEntry):
    """One thing said by a person and the reply to it."""

    turn: Annotated[int, Field(ge=1)]
    timestamp: str
    user: str
    assistant: str
    research_document: str | None = None
    """The stem of an attachment."""


class RhelmDay(StrictEntry):
    """One conversation a day."""

    date: str
    conversation: Annotated[list[RhelmPair], Field(min_length=1)]


class RhelmQuestion(StrictEntry):
    """One question with its labels."""

    id: str
    question: str
    answer: str
    question_date: str
    question_type: str
    supporting_evidence: list[str]


class EmailFile(NamedTuple):
    """The mails of one day."""

    number: str
    day: date
    mails: tuple[str, ...]


class Attachment(NamedTuple):
    """One document, which has no date of its own: that of the mails with the same number is used."""

    number: str
    name: str
    text: str


_DAY = TypeAdapter(RhelmDay)
_QUESTION = TypeAdapter(RhelmQuestion)


def day_of(path: Path, file: PersonFile) -> tuple[date, RhelmDay]:
    """Read one conversation.

    Raises:
        MalformedDataError: A field is not what it must be, or two pairs have one number.
    """
    place = FieldPath(f"{path}: {file.name}")
    try:
        written = json_of(file.content)
    except ValueError as error:
        raise MalformedDataError(f"{place.file} is not JSON: {error}.", REMEDY) from error
    entry = place.checked(_DAY, written, REMEDY)
    seen: set[int] = set()
    for position, pair in enumerate(entry.conversation):
        where = place.at("conversation", position)
        if pair.turn in seen:
            raise where.at("turn").wrong(f"{pair.turn} is also the number of an earlier pair", REMEDY)
        seen.add(pair.turn)
        moment(where.at("timestamp"), pair.timestamp)
    return day(place.at("date"), entry.date), entry


def questions_of(path: Path, file: PersonFile) -> Iterator[tuple[FieldPath, RhelmQuestion]]:
    """Read the questions, each with its place.

    Raises:
        MalformedDataError: A line is no question.
    """
    name = path / file.name
    for number, row in json_rows(file.content.split(b"\n"), name, REMEDY):
        place = FieldPath(f"{name}, line {number}")
        yield place, place.checked(_QUESTION, row, REMEDY)


def emails_of(path: Path, file: PersonFile) -> EmailFile:
    """Read the mails of one day, which lines of ``=`` part.

    Raises:
        MalformedDataError: The file is not named after a day, or is no text.
    """
    match = _EMAIL_NAME.fullmatch(file.name)
    if match is None:
        raise MalformedDataError(f"{path}: {file.name}: no NN_email_YYYY_MM_DD.txt.", "Name it as upstream does.")
    try:
        on = date(*map(int, match.groups()[1:]))
    except ValueError as error:
        raise MalformedDataError(f"{path}: {file.name}: {error}.", "Name it as upstream does.") from error
    blocks = (block.strip() for block in _RULE.split(_text(path, file)))
    return EmailFile(match[1], on, tuple(filter(None, blocks)))


def attachment_of(path: Path, file: PersonFile) -> Attachment:
    """Read one document.

    Raises:
        MalformedDataError: Its name has no number, or it is no text.
    """
    match = _FILE_NAME.fullmatch(file.name)
    if match is None:
        raise MalformedDataError(f"{path}: {file.name}: no NN_….", "Name it as upstream does.")
    return Attachment(match[1], file.name.rpartition("/")[2], _text(path, file))


def day(place: FieldPath, text: str) -> date:
    """Read ``2024-05-26``.

    Raises:
        MalformedDataError: It is no day.
    """
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise place.wrong(f"{text!r} is not a day: {error}", REMEDY) from error


def moment(place: FieldPath, text: str) -> datetime:
    """Read ``2024-05-26T07:49:00``.

    Raises:
        MalformedDataError: It is no time, or one of a zone.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise place.wrong(f"{text!r} is not a time: {error}", REMEDY) from error
    if at.tzinfo is not None:
        raise place.wrong(f"{text!r} is of a time zone, where the person's own time is wanted", REMEDY)
    return at


def _text(path: Path, file: PersonFile) -> str:
    try:
        return file.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedDataError(f"{path}: {file.name}: not UTF-8: byte {error.start}.", REMEDY) from error
