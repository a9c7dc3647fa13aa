"""``turns.jsonl``: what a memory system may see, written and read back."""

from __future__ import annotations

import json
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from pydantic import TypeAdapter

from memgauge.datasets.building.messages import Time, read_file
from memgauge.datasets.own.lines import turn_rows
from memgauge.datasets.own.schema import TurnEntry
from memgauge.datasets.places import FieldPath
from memgauge.errors import MalformedDataError
from memgauge.records import Conversation, Session, Turn
from memgauge.text.jsons import json_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

T = TypeVar("T")

TURNS = "turns.jsonl"
_REMEDY = "Start again from the export."


class ExportTurn(TurnEntry):
    """One utterance, of which everything is said."""

    role: str
    at: Time


_TURN = TypeAdapter(ExportTurn)


def canonical(rows: Iterable[object]) -> str:
    """Write one JSON object a line: keys sorted, no blanks, nothing escaped that need not be."""
    return "".join(f"{_encode(row)}\n" for row in rows)


_encode = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=datetime.isoformat
).encode


def read_entries(path: Path, wanted: TypeAdapter[T], remedy: str) -> list[tuple[int, T]]:
    """Read what every line of *path* that is not blank holds, with its number.

    Raises:
        DataError: There is no such file, a line is not JSON, or does not fit.
    """
    rows = json_rows(read_file(path).split("\n"), path, "Write one object a line.")
    return [(number, FieldPath(f"{path}:{number}").checked(wanted, row, remedy)) for number, row in rows]


def write_turns(conversations: Iterable[Conversation]) -> str:
    """Return the content of ``turns.jsonl``."""
    return canonical(row for conversation in conversations for row in turn_rows(conversation))


def read_turns(path: Path) -> tuple[Conversation, ...]:
    """Read conversations back.

    Raises:
        DataError: The file is missing, a line does not fit, or conversations or sessions are torn apart.
    """
    entries = [entry for _, entry in read_entries(path, _TURN, _REMEDY)]
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
    homes = [whole.id for whole in conversations]
    sessions = [(whole.id, session.id) for whole in conversations for session in whole.sessions]
    turns = [(whole.id, turn.id) for whole in conversations for turn in whole.turns()]
    if not turns:
        raise MalformedDataError(f"{path} holds no turn.", _REMEDY)
    for field, keys in (("conversation", homes), ("session", sessions), ("id", turns)):
        if len(set(keys)) < len(keys):
            what = f"{path}: field {field}: one of them is in two places."
            raise MalformedDataError(what, "Keep what belongs together in one place, each id once.")
