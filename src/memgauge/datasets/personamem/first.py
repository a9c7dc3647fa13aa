"""PersonaMem v1 as it is published: tables of questions beside files of histories."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.datasets.personamem.entry import PersonaEntry, PersonaQuestion, named_once, put_together
from memgauge.datasets.personamem.history import history_of
from memgauge.datasets.personamem.schema import (
    MESSAGES,
    REMEDY,
    PersonaMessage,
    letter_place,
    table_rows,
    texts_in,
    without_letter,
)
from memgauge.datasets.places import FieldPath
from memgauge.errors import DataNotFoundError
from memgauge.text.jsons import json_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COLUMNS: Final = (
    "question_id",
    "question_type",
    "correct_answer",
    "all_options",
    "shared_context_id",
    "end_index_in_shared_context",
)
_ASKED: Final = ("user_question_or_message", "question")
"""The column of what is asked, by its newer and its older name."""


@dataclass(frozen=True)
class OfficialFirst:
    """The published form: a table, and beside it one line a history."""

    path: Path

    @property
    def contexts(self) -> Path:
        """Return where the histories lie."""
        return self.path.with_name(self.path.name.replace("questions_", "shared_contexts_")).with_suffix(".jsonl")

    @property
    def files(self) -> tuple[Path, ...]:
        """List what is read."""
        return self.path, self.contexts

    def entries(self) -> Iterator[PersonaEntry]:
        """Read history by history, those that something is asked about.

        Raises:
            DataError: The histories are missing, one that a question names is not there, or something is broken.
        """
        asked = _grouped(self.path)
        if not self.contexts.is_file():
            raise DataNotFoundError(
                f"{self.path} has no {self.contexts.name} beside it.", "Fetch the histories of that size too."
            )
        for number, row in json_lines(self.contexts, REMEDY):
            place = FieldPath(f"{self.contexts}, line {number}")
            if not isinstance(row, dict):
                raise place.wrong("one object of histories is wanted", REMEDY)
            for name, messages in row.items():
                questions = asked.pop(name, None)
                if questions:
                    yield _entry(name, place.at(name).checked(MESSAGES, messages, REMEDY), questions)
        for name, (first, *_) in asked.items():
            raise first.place.at("shared_context_id").wrong(f"there is no history {name}", REMEDY)


def _grouped(path: Path) -> dict[str, list[PersonaQuestion]]:
    asked: defaultdict[str, list[PersonaQuestion]] = defaultdict(list)
    seen: defaultdict[str, int] = defaultdict(int)
    for place, row in table_rows(path, COLUMNS):
        options = tuple(map(without_letter, texts_in(place.at("all_options"), row["all_options"])))
        written, name = row["end_index_in_shared_context"], next((name for name in _ASKED if name in row), None)
        if name is None:
            raise place.at(_ASKED[0]).wrong("there is no such column", REMEDY)
        if not (written.isascii() and written.isdigit()):
            raise place.at("end_index_in_shared_context").wrong(f"{written!r} is not a whole number", REMEDY)
        key = named_once(row["question_id"], seen)
        right = letter_place(place.at("correct_answer"), row["correct_answer"], len(options))
        asked[row["shared_context_id"]].append(
            PersonaQuestion(place, key, row["question_type"], row[name], options, right, int(written))
        )
    return asked


def _entry(name: str, messages: list[PersonaMessage], asked: list[PersonaQuestion]) -> PersonaEntry:
    for each in asked:
        if isinstance(each.end, int) and each.end > len(messages):
            why = f"{each.end} lies beyond the {len(messages)} messages of the history"
            raise each.place.at("end_index_in_shared_context").wrong(why, REMEDY)
    history = history_of(messages, (each.end for each in asked if isinstance(each.end, int)))
    return put_together(name, history, asked, {each.end: history.last_before.get(int(each.end)) for each in asked})
