"""PersonaMem v1: tables of questions beside files of histories, or the copy that others have reshaped."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from memgauge.datasets.personamem.history import PersonaHistory, history_of
from memgauge.datasets.personamem.schema import (
    DOCUMENT,
    MESSAGES,
    QUERY,
    REMEDY,
    PersonaMessage,
    letter_place,
    options_within,
    table_rows,
    texts_in,
    without_letter,
)
from memgauge.datasets.places import FieldPath
from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.records import Case, Choices, Conversation, Gold, Question
from memgauge.text.jsons import json_file, json_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.personamem.schema import ReshapedQuery

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
_SAID: Final = re.compile(r"(?:^|\n\n)\[(SYSTEM|USER|ASSISTANT)\] ")


class PersonaEntry(NamedTuple):
    """One history with its questions."""

    case: Case
    golds: tuple[Gold, ...]
    choices: tuple[Choices, ...]
    system_turns: int


class PersonaQuestion(NamedTuple):
    """One question as it is written."""

    place: FieldPath
    key: str
    kind: str
    text: str
    options: tuple[str, ...]
    right: int
    end: int | str
    """How many messages of the history come before it; in the reshaped copy, the last session before it."""


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
        key = _named_once(row["question_id"], seen)
        right = letter_place(place.at("correct_answer"), row["correct_answer"], len(options))
        asked[row["shared_context_id"]].append(
            PersonaQuestion(place, key, row["question_type"], row[name], options, right, int(written))
        )
    return asked


def _named_once(key: str, seen: defaultdict[str, int]) -> str:
    """Return the id of a question; one that occurs again is numbered."""
    seen[key] += 1
    return key if seen[key] == 1 else f"{key}#{seen[key]}"


def _entry(name: str, messages: list[PersonaMessage], asked: list[PersonaQuestion]) -> PersonaEntry:
    for each in asked:
        if isinstance(each.end, int) and each.end > len(messages):
            why = f"{each.end} lies beyond the {len(messages)} messages of the history"
            raise each.place.at("end_index_in_shared_context").wrong(why, REMEDY)
    history = history_of(messages, (each.end for each in asked if isinstance(each.end, int)))
    return put_together(name, history, asked, {each.end: history.last_before.get(int(each.end)) for each in asked})


def put_together(
    name: str,
    history: PersonaHistory,
    asked: Iterable[PersonaQuestion],
    last_before: Mapping[int | str, str | None],
) -> PersonaEntry:
    """Make an entry of a history and what is asked about it; nothing in it is labelled as evidence.

    Raises:
        MalformedDataError: A question is asked before anything was said.
    """
    questions, golds, choices = [], [], []
    for each in asked:
        after = last_before[each.end]
        if after is None:
            raise each.place.wrong("it is asked before anything was said", REMEDY)
        questions.append(Question(each.key, name, each.text, each.kind, None, after))
        right = each.options[each.right]
        golds.append(Gold(each.key, answers=(right,), raw_answer=right))
        choices.append(Choices(each.key, each.text, each.options, each.right))
    case = Case(Conversation(name, history.sessions), tuple(questions))
    return PersonaEntry(case, tuple(golds), tuple(choices), history.system_turns)


@dataclass(frozen=True)
class ReshapedFirst:
    """The copy of Vectorize's benchmark: sessions as texts, options inside questions, cut at whole sessions."""

    path: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """List what is read."""
        return (self.path,)

    def entries(self) -> Iterator[PersonaEntry]:
        """Read the whole copy, which has 32 thousand tokens a history.

        Raises:
            MalformedDataError: Something is not as it must be.
        """
        whole = json_file(self.path, REMEDY)
        place = FieldPath(str(self.path))
        if not isinstance(whole, dict):
            raise place.wrong("an object of documents and queries is wanted", REMEDY)
        documents: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for where, written in place.at("documents").items(whole.get("documents")):
            document = where.checked(DOCUMENT, written, REMEDY)
            documents[document.id.rpartition("_")[0]].append((document.id, document.content))
        asked: defaultdict[str, list[PersonaQuestion]] = defaultdict(list)
        seen: defaultdict[str, int] = defaultdict(int)
        for where, written in place.at("queries").items(whole.get("queries")):
            query = where.checked(QUERY, written, REMEDY)
            if query.user_id not in documents:
                raise where.at("user_id").wrong(f"there is no document of {query.user_id}", REMEDY)
            asked[query.user_id].append(_question(where, query, _named_once(query.id, seen)))
        return map(partial(_reshaped, documents), asked.items())


def _question(place: FieldPath, query: ReshapedQuery, key: str) -> PersonaQuestion:
    text, options = options_within(place.at("query"), query.query)
    letters = [answer for answer in query.gold_answers if len(answer) == 1]
    if not letters or not query.gold_ids:
        raise place.at("gold_answers").wrong("a letter, and the sessions before the question, are wanted", REMEDY)
    right = letter_place(place.at("gold_answers"), letters[0], len(options))
    asked = query.meta.retrieval_query or text
    return PersonaQuestion(
        place, key, query.meta.question_type, asked, tuple(options), right, max(query.gold_ids, key=_number)
    )


def _reshaped(
    documents: Mapping[str, list[tuple[str, str]]], named: tuple[str, list[PersonaQuestion]]
) -> PersonaEntry:
    name, asked = named
    own = sorted(documents[name], key=lambda document: _number(document[0]))
    messages: list[PersonaMessage] = []
    ends: dict[int | str, int] = {}
    for key, content in own:
        messages += _messages(key, content)
        ends[key] = len(messages)
    for each in asked:
        if each.end not in ends:
            raise each.place.at("gold_ids").wrong(f"there is no session {each.end}", REMEDY)
    history = history_of(messages, ends.values())
    return put_together(name, history, asked, {key: history.last_before.get(end) for key, end in ends.items()})


def _messages(key: str, content: str) -> Iterator[PersonaMessage]:
    marks = list(_SAID.finditer(content))
    if not marks or marks[0].start():
        raise MalformedDataError(f"Document {key} does not begin with [SYSTEM], [USER] or [ASSISTANT].", REMEDY)
    ends = [*(mark.start() for mark in marks[1:]), len(content)]
    for mark, end in zip(marks, ends, strict=True):
        yield PersonaMessage(role=mark[1].lower(), content=content[mark.end() : end])


def _number(key: str) -> int:
    last = key.rpartition("_")[2]
    return int(last) if last.isascii() and last.isdigit() else -1
