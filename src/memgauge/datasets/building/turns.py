"""``turns.jsonl``: what a memory system may see, written and read back."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from memgauge.datasets.building.messages import Time, located, read_file
from memgauge.errors import MalformedDataError
from memgauge.records import Conversation, Session, Turn
from memgauge.text.jsons import json_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

TURNS = "turns.jsonl"
_REMEDY = "Start again from the export."


class ExportTurn(BaseModel):
    """One utterance."""

    model_config = ConfigDict(extra="forbid")

    conversation: str
    session: str
    id: str
    speaker: str
    role: str
    at: Time
    text: str


def canonical(rows: Iterable[object]) -> str:
    """Write one JSON object a line: keys sorted, no blanks, nothing escaped that need not be."""
    return "".join(
        f"{json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(',', ':'))}\n" for row in rows
    )


def rows_of(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of every line of *path* that is not blank.

    Raises:
        DataError: There is no such file, or a line is not JSON.
    """
    return json_rows(read_file(path).split("\n"), path, "Write one object a line.")


def write_turns(conversations: Iterable[Conversation]) -> str:
    """Return the content of ``turns.jsonl``."""
    return canonical(
        {
            "conversation": one.id,
            "session": turn.session,
            "id": turn.id,
            "speaker": turn.speaker,
            "role": turn.role,
            "at": turn.at and turn.at.isoformat(),
            "text": turn.text,
        }
        for one in conversations
        for turn in one.turns()
    )


def read_turns(path: Path) -> tuple[Conversation, ...]:
    """Read conversations back.

    Raises:
        DataError: The file is missing, a line does not fit, or conversations or sessions are torn apart.
    """
    entries = []
    for number, row in rows_of(path):
        try:
            entries.append(ExportTurn.model_validate(row))
        except ValidationError as error:
            raise located(f"{path}:{number}", error, _REMEDY) from error
    conversations = []
    for name, spoken in groupby(entries, lambda entry: entry.conversation):
        sessions = []
        for key, sitting in groupby(spoken, lambda entry: entry.session):
            turns = tuple(Turn(e.id, e.speaker, e.text, key, e.at, e.role) for e in sitting)
            start = next((turn.at for turn in turns if turn.at is not None), None)
            sessions.append(Session(key, start, turns))
        conversations.append(Conversation(name, tuple(sessions)))
    _check(path, conversations)
    return tuple(conversations)


def _check(path: Path, conversations: list[Conversation]) -> None:
    homes = [one.id for one in conversations]
    sessions = [(one.id, session.id) for one in conversations for session in one.sessions]
    turns = [(one.id, turn.id) for one in conversations for turn in one.turns()]
    if not turns:
        raise MalformedDataError(f"{path} holds no turn.", _REMEDY)
    for field, keys in (("conversation", homes), ("session", sessions), ("id", turns)):
        if len(set(keys)) < len(keys):
            what = f"{path}: field {field}: one of them is in two places."
            raise MalformedDataError(what, "Keep what belongs together in one place, each id once.")
