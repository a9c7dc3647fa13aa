"""PersonaMem v1 as others have reshaped it: sessions as texts, and options inside questions."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from memgauge.datasets.personamem.entry import PersonaEntry, PersonaQuestion, named_once, put_together
from memgauge.datasets.personamem.history import history_of
from memgauge.datasets.personamem.schema import (
    DOCUMENT,
    QUERY,
    REMEDY,
    PersonaMessage,
    letter_place,
    options_within,
)
from memgauge.datasets.places import FieldPath
from memgauge.errors import MalformedDataError
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.personamem.schema import ReshapedQuery

_SAID: Final = re.compile(r"(?:^|\n\n)\[(SYSTEM|USER|ASSISTANT)\] ")


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
            asked[query.user_id].append(_question(where, query, named_once(query.id, seen)))
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
