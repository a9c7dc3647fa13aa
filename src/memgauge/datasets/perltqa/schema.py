"""The shape of PerLTQA's two files: memories by person, and questions by person, kind and memory."""

from __future__ import annotations

import ast
import html
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import AfterValidator, Field, TypeAdapter

from memgauge.datasets.places import FieldPath
from memgauge.datasets.strict import StrictEntry
from memgauge.errors import MalformedDataError
from memgauge.text.jsons import Streamed, json_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CHUNK: Final = 1 << 16
Text = Annotated[str, AfterValidator(html.unescape)]
"""A text in which ``&#39;`` may stand for an apostrophe."""


class RelationEntry(StrictEntry):
    """Somebody whom a person knows."""

    description: Text = Field("", alias="Description")
    relationship: Text = Field("", alias="Relationship")


class EventEntry(StrictEntry):
    """Something that happened; its time is free text, and not read."""

    content: Text
    summary: Text = ""


class DialogueEntry(StrictEntry):
    """Something that was said about an event, by time."""

    contents: dict[str, list[Text]]


class PersonEntry(StrictEntry):
    """One person."""

    profile: dict[str, Any] = Field(default_factory=dict)
    social_relationship: dict[str, RelationEntry] = Field(default_factory=dict)
    events: dict[str, EventEntry] = Field(default_factory=dict)
    dialogues: dict[str, DialogueEntry] = Field(default_factory=dict)


class MemoryQuestion(StrictEntry):
    """One question; the memory that answers it is named by a text that looks like a list, or by a field."""

    question: Text = Field(alias="Question")
    answer: Text = Field(alias="Answer")
    reference: str = Field("", alias="Reference Memory")

    def references(self) -> tuple[str, ...]:
        """Return the names of memories."""
        try:
            value = ast.literal_eval(self.reference)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            value = self.reference
        return tuple(map(str, value)) if isinstance(value, list) else (self.reference,)


_PERSON = TypeAdapter(PersonEntry)
_ASKED = TypeAdapter(list[dict[str, dict[str, list[Any]]]])
_QUESTIONS = TypeAdapter(list[MemoryQuestion])


def stream_people(path: Path) -> Iterator[tuple[FieldPath, str, PersonEntry]]:
    """Yield each person of the file of memories with their place; no more than one is held.

    Raises:
        MalformedDataError: It is not JSON, or a field is not what it must be; the message names the place.
    """
    import ijson

    with path.open("rb") as handle:
        try:
            for name, value in ijson.kvitems(Streamed(handle), "", use_float=True, buf_size=_CHUNK):
                place = FieldPath(str(path), (name,))
                yield place, name, place.checked(_PERSON, value)
        except (ijson.JSONError, ValueError) as error:
            why = " ".join(str(error).split())
            raise MalformedDataError(f"{path} is not JSON: {why}.", "Fetch it again.") from error


def read_questions(path: Path) -> dict[str, list[tuple[str, MemoryQuestion]]]:
    """Read the questions by person, each with its kind.

    Raises:
        MalformedDataError: It is not JSON, or a field is not what it must be; the message names the place.
    """
    place = FieldPath(str(path))
    people: dict[str, list[tuple[str, MemoryQuestion]]] = {}
    entries = place.checked(_ASKED, json_file(path, "Fetch it again."))
    for number, entry in enumerate(entries):
        for name, kinds in entry.items():
            asked = people.setdefault(name, [])
            for kind, groups in kinds.items():
                field = place.at(number, name, kind)
                asked += [(kind, question) for question in field.checked(_QUESTIONS, list(_flat(groups)))]
    return people


def _flat(groups: list[Any]) -> Iterator[Any]:
    """Yield the questions of a kind, which profiles list and others gather by memory."""
    for group in groups:
        if isinstance(group, dict) and "Question" not in group:
            for listed in group.values():
                yield from listed if isinstance(listed, list) else [listed]
        else:
            yield group
