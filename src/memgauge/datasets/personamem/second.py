"""PersonaMem v2: one table, a file a history, and evidence that is the text of turns.

What a question rests on is quoted, so it is found again where a turn equals it; what the persona asked to be
forgotten is no evidence but a decoy. What was preferred before is stale where a turn says it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.datasets.beam.schema import json_or_literal
from memgauge.datasets.personamem.entry import PersonaEntry
from memgauge.datasets.personamem.history import history_of
from memgauge.datasets.personamem.schema import MESSAGES, REMEDY, PersonaMessage, table_rows, texts_in
from memgauge.datasets.places import FieldPath
from memgauge.errors import DataNotFoundError
from memgauge.records import Case, Choices, Conversation, Evidence, Gold, Question
from memgauge.text.jsons import json_file
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.records import Turn

HISTORY: Final = "chat_history_32k_link"
FORGET: Final = "ask_to_forget"
COLUMNS: Final = (
    "persona_id",
    HISTORY,
    "user_query",
    "correct_answer",
    "incorrect_answers",
    "pref_type",
    "related_conversation_snippet",
    "prev_pref",
)
_NOTHING: Final = frozenset({"", "none", "nan", "null"})
"""How a table writes that there was no earlier preference."""

PlacedTableRow = tuple[FieldPath, "Mapping[str, str]"]


@dataclass(frozen=True)
class OfficialSecond:
    """The published form; histories are looked for beside the table and in the folders above it."""

    path: Path

    @property
    def files(self) -> tuple[Path, ...]:
        """List what is read: the table, and every history that it names."""
        links = {row[HISTORY]: place for place, row in table_rows(self.path, COLUMNS)}
        return self.path, *(self._history(place, link) for link, place in sorted(links.items()))

    def entries(self) -> Iterator[PersonaEntry]:
        """Read history by history, in the order in which the table first names them.

        Raises:
            DataError: A history is missing, or something is broken.
        """
        asked: defaultdict[str, list[tuple[int, PlacedTableRow]]] = defaultdict(list)
        for number, placed in enumerate(table_rows(self.path, COLUMNS), 1):
            asked[placed[1][HISTORY]].append((number, placed))
        for link, rows in asked.items():
            yield self._entry(link, rows)

    def _history(self, place: FieldPath, link: str) -> Path:
        parts = link.strip().lstrip("/")
        if ".." in parts.split("/"):
            raise place.at(HISTORY).wrong(f"{link!r} leaves the folder of the data", REMEDY)
        for folder in self.path.resolve().parents[:4]:
            if parts and (folder / parts).is_file():
                return folder / parts
        raise DataNotFoundError(
            f"{place.file}: field {HISTORY}: no file {link} beside the table or in a folder above it.",
            "Fetch the histories too.",
        )

    def _entry(self, link: str, rows: list[tuple[int, PlacedTableRow]]) -> PersonaEntry:
        (_, (first, row)), *_ = rows
        path = self._history(first, link)
        written = json_file(path, REMEDY)
        place = FieldPath(str(path))
        if isinstance(written, dict):
            written, place = written.get("chat_history"), place.at("chat_history")
        messages: list[PersonaMessage] = place.checked(MESSAGES, written, REMEDY)
        history = history_of(messages)
        turns = [turn for session in history.sessions for turn in session.turns]
        name = f"persona-{row['persona_id']}"
        made = [_asked(name, number, where, each, turns) for number, (where, each) in rows]
        questions, golds, choices = zip(*made, strict=True)
        case = Case(Conversation(name, history.sessions), questions)
        return PersonaEntry(case, golds, choices, history.system_turns)


def _asked(
    name: str, number: int, place: FieldPath, row: Mapping[str, str], turns: list[Turn]
) -> tuple[Question, Gold, Choices]:
    key = f"{name}:q{number}"
    text = _asked_text(place.at("user_query"), row["user_query"])
    wrong = texts_in(place.at("incorrect_answers"), row["incorrect_answers"])
    right = row["correct_answer"]
    if right in wrong or not wrong:
        raise place.at("incorrect_answers").wrong("none, or the right answer is among them", REMEDY)
    # No order is written, so the alphabet gives one, which says nothing of them.
    options = tuple(sorted((right, *wrong)))
    kind = row["pref_type"]
    snippets = _snippets(place.at("related_conversation_snippet"), row["related_conversation_snippet"])
    named = tuple(Evidence(each, exact=bool(at), turns=at) for each in snippets for at in [_equal(each, turns)])
    forgotten = kind == FORGET
    anchors = {turn for each in named for turn in each.turns}
    gold = Gold(
        question=key,
        evidence=() if forgotten else named,
        answers=(right,),
        raw_answer=right,
        stale=_stale(row["prev_pref"], turns, anchors),
        decoys=tuple(dict.fromkeys(turn for each in named for turn in each.turns)) if forgotten else (),
    )
    return Question(key, name, text, kind), gold, Choices(key, text, options, options.index(right))


def _asked_text(place: FieldPath, written: str) -> str:
    """Read what is asked: a message written as an object, or its text alone."""
    if not written.lstrip().startswith("{"):
        return written.strip()
    value = json_or_literal(f"{place.file}: field user_query", written)
    text = value.get("content") if isinstance(value, dict) else None
    if not isinstance(text, str):
        raise place.wrong("a message with a content is wanted", REMEDY)
    return text.strip()


def _snippets(place: FieldPath, written: str) -> list[str]:
    """Read which messages a question rests on: a list of messages, one text, or nothing."""
    if not written.strip():
        return []
    if not written.lstrip().startswith("["):
        return [written]
    value = json_or_literal(f"{place.file}: field related_conversation_snippet", written)
    messages: list[PersonaMessage] = place.checked(MESSAGES, value, REMEDY)
    return [message.content for message in messages if message.role == "user"]


def _equal(text: str, turns: list[Turn]) -> tuple[str, ...]:
    wanted = fold(text.removeprefix("User: "))
    return tuple(turn.id for turn in turns if fold(turn.text) == wanted)


def _stale(previous: str, turns: list[Turn], anchors: set[str]) -> tuple[str, ...] | None:
    """Find the turns that say what was preferred before; ``None`` where nothing was, or no turn says so."""
    wanted = fold(previous)
    if wanted in _NOTHING:
        return None
    saying = (turn.id for turn in turns if turn.role == "user" and wanted in fold(turn.text))
    return tuple(turn for turn in saying if turn not in anchors) or None
