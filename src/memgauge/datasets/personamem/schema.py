"""The shapes of PersonaMem's files: tables of questions, histories as lists of messages, and a reshaped copy."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter

from memgauge.datasets.beam.schema import json_or_literal
from memgauge.datasets.places import FieldPath
from memgauge.datasets.strict import StrictEntry
from memgauge.errors import MalformedDataError
from memgauge.text.csv_fields import large_fields

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

REMEDY: Final = "Take the file as it is published."
_OPTION: Final = re.compile(r"^\(([a-z])\)\s*", re.MULTILINE)
_KEY: Final = re.compile(r"\(?([a-z])\)?")


class PersonaMessage(StrictEntry):
    """One message; those of the role ``system`` say in prose who the persona is."""

    role: str
    content: str


class ReshapedMeta(StrictEntry):
    """What the reshaped copy says of a question."""

    question_type: str
    retrieval_query: str | None = None
    """The question without its options."""


class ReshapedQuery(StrictEntry):
    """A question of the reshaped copy; its options stand in its text."""

    id: str
    query: str
    gold_answers: list[str]
    gold_ids: list[str]
    """Every session before the question: no evidence."""
    user_id: str
    meta: ReshapedMeta


class ReshapedDocument(StrictEntry):
    """A session of the reshaped copy."""

    id: str
    content: str
    user_id: str | None = None


MESSAGES: Final = TypeAdapter(list[PersonaMessage])
QUERY: Final = TypeAdapter(ReshapedQuery)
DOCUMENT: Final = TypeAdapter(ReshapedDocument)


def table_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[FieldPath, Mapping[str, str]]]:
    """Yield the rows of a table, each with its place: the line where it ends.

    Raises:
        MalformedDataError: It lacks a column, or a row has another number of fields.
    """
    try:
        with large_fields(), path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle, strict=True)
            missing = [name for name in columns if name not in (reader.fieldnames or ())]
            if missing:
                raise MalformedDataError(f"{path}, line 1: there is no column {missing[0]}.", REMEDY)
            for row in reader:
                place = FieldPath(f"{path}, line {reader.line_num}")
                if None in row or None in row.values():
                    raise place.wrong("not as many fields as the first line names", REMEDY)
                yield place, row
    except (csv.Error, UnicodeDecodeError) as error:
        raise MalformedDataError(f"{path} cannot be read as a table: {error}.", REMEDY) from error


def column_of(path: Path, name: str) -> bool:
    """Whether the first line of a table names a column."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as handle:
        return name in next(csv.reader([handle.readline(1 << 16)]), [])


def texts_in(place: FieldPath, written: str) -> list[str]:
    """Read a list of texts that is written as JSON or as a Python literal.

    Raises:
        MalformedDataError: It is neither, or no list of texts.
    """
    value = json_or_literal(f"{place.file}: field {place.path[-1]}", written)
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise place.wrong("Input should be a list of texts", REMEDY)
    return value


def without_letter(option: str) -> str:
    """Cut the letter that an option is written with."""
    return _OPTION.sub("", option, count=1).strip()


def letter_place(place: FieldPath, written: str, options: int) -> int:
    """Read which of the options a letter means, counted from 0.

    Raises:
        MalformedDataError: It is no letter, or one beyond the options.
    """
    match = _KEY.fullmatch(written.strip().lower())
    number = -1 if match is None else ord(match[1]) - ord("a")
    if not 0 <= number < options:
        raise place.wrong(f"{written!r} is not the letter of one of {options} options", REMEDY)
    return number


def options_within(place: FieldPath, text: str) -> tuple[str, list[str]]:
    """Part a question from the options that stand below it, each at the beginning of a line.

    Raises:
        MalformedDataError: They do not begin with ``(a)`` and go on from there.
    """
    marks = list(_OPTION.finditer(text))
    first = next((n for n, mark in enumerate(marks) if mark[1] == "a"), None)
    marks = marks[first:] if first is not None else []
    if [mark[1] for mark in marks] != [chr(ord("a") + n) for n in range(len(marks))] or len(marks) < 2:
        raise place.wrong("no options (a), (b), … stand below the question", REMEDY)
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    options = [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
    return text[: marks[0].start()].strip(), options
