"""Messages one a line: JSON objects, or rows of CSV with the same names.

| field | other names | meaning |
|---|---|---|
| ``text`` | ``content``, ``message``, ``body`` | what was said; in JSON also a list of text parts |
| ``speaker`` | ``name``, ``author``, ``sender``, ``from`` | who said it; the role where it is missing |
| ``role`` | | ``user``, ``assistant``, …; else known from a speaker such as ``ai``, else ``user`` |
| ``at`` | ``timestamp``, ``time``, ``datetime``, ``date``, ``created_at``, ``create_time``, ``ts`` | when |
| ``session`` | ``session_id``, ``thread``, ``thread_id``, ``chat``, ``chat_id``, ``conversation_id`` | sitting |
| ``conversation`` | ``user``, ``user_id`` | whose chats, where a file holds those of several people |

Names are read without regard to case, blanks and hyphens in them. Other fields are ignored.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import TYPE_CHECKING, Any

from memgauge.datasets.building.grouping import chronological
from memgauge.datasets.building.messages import (
    MACHINERY,
    USER,
    Export,
    ExportMessage,
    clean,
    known_role,
    read_time,
)
from memgauge.datasets.places import objects_of
from memgauge.errors import MalformedDataError
from memgauge.text.jsons import RESULTS, json_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

_NAMES: dict[str, tuple[str, ...]] = {
    "text": ("text", "content", "message", "body"),
    "speaker": ("speaker", "name", "author", "sender", "from"),
    "role": ("role",),
    "at": ("at", "timestamp", "time", "datetime", "date", "created_at", "create_time", "ts"),
    "session": ("session", "session_id", "thread", "thread_id", "chat", "chat_id", "conversation_id"),
    "conversation": ("conversation", "user", "user_id"),
}
_DELIMITERS = ",;\t"


def names_a_text(columns: Iterable[str]) -> bool:
    """Whether *columns* include one that holds what was said."""
    return bool({_key(column) for column in columns} & set(_NAMES["text"]))


def read_jsonl(path: Path, text: str) -> Export:
    """Read one JSON object a line.

    Raises:
        MalformedDataError: A line does not fit; file, line and field are named.
    """
    # Only line feeds end a line: JSON texts may hold other line separators.
    return _export(objects_of(json_rows(text.split("\n"), path, "Write one object a line.", RESULTS), path))


def read_csv(path: Path, text: str) -> Export:
    """Read rows below a heading, separated by commas, semicolons or tabs.

    Raises:
        MalformedDataError: A row does not fit; file, line and field are named.
    """
    return _export(_rows(path, text))


def heading(text: str) -> list[str]:
    """Return the names in the first line of a table."""
    first = text.partition("\n")[0].strip("\r")
    try:
        return next(csv.reader([first], delimiter=_delimiter(first)), [])
    except csv.Error:
        return []


def _rows(path: Path, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    names = heading(text)
    if not names_a_text(names):
        wanted = ", ".join(_NAMES["text"])
        raise MalformedDataError(f"{path}:1: field text: no column holds what was said.", f"Name one: {wanted}.")
    twice = next((name for name, n in Counter(map(_key, names)).items() if n > 1 and name), "")
    if twice:
        raise MalformedDataError(f"{path}:1: field {twice}: two columns have that name.", "Name each column once.")
    delimiter = _delimiter(text.partition("\n")[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        next(reader)
        for values in reader:
            where = f"{path}:{reader.line_num}"
            if not any(values):
                continue
            if len(values) != len(names):
                what = f"{where}: {len(values)} values below {len(names)} names."
                raise MalformedDataError(what, "Put texts that hold separators into quotation marks.")
            yield where, dict(zip(names, values, strict=True))
    except csv.Error as error:
        what = f"{path}:{reader.line_num}: not CSV: {error}."
        raise MalformedDataError(what, "Mend that line, or write JSON lines instead.") from error


def _delimiter(first: str) -> str:
    return max(_DELIMITERS, key=first.count)


def _export(rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Export:
    messages: list[ExportMessage] = []
    left_out: Counter[str] = Counter()
    for where, raw in rows:
        message = _message(where, {_key(name): value for name, value in raw.items()})
        if message.role in MACHINERY:
            left_out["of the system or a tool"] += 1
        elif not message.text:
            left_out["without text"] += 1
        else:
            messages.append(message)
    return Export(chronological(messages), dict(left_out))


def _message(where: str, row: Mapping[str, Any]) -> ExportMessage:
    name, text = _find(row, "text")
    other = next((other for other in _NAMES["text"] if row.get(other) and row[other] != text), "")
    if text and isinstance(text, str) and isinstance(row.get(other), str):
        what = f"{name} and {other} both hold what was said"
        raise _broken(where, other, what, "Keep the one that is meant under `text`, and call the other otherwise.")
    name, text = (other, row[other]) if other and not text else (name, text)
    if not name:
        raise _broken(where, "text", "it is missing", "Give every message a text.")
    speaker, role = _word(where, row, "speaker"), _word(where, row, "role")
    if not speaker and not role:
        raise _broken(where, "speaker", "neither it nor a role is given", "Say who speaks.")
    machine = speaker.casefold() if speaker.casefold() in MACHINERY else ""
    known = known_role(role) or role.casefold() or known_role(speaker) or machine or USER
    said_by = known if not speaker or known_role(speaker) else speaker
    time_name, time = _find(row, "at")
    try:
        at = read_time(time)
    except ValueError as error:
        remedy = "Write ISO 8601, or seconds since 1970."
        raise _broken(where, time_name, "it is no time that can be read", remedy) from error
    session, conversation = _word(where, row, "session"), _word(where, row, "conversation")
    return ExportMessage(said_by, known, _text(where, name, text), at, session or None, conversation)


def _text(where: str, name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in value]
        value = "\n".join(part for part in parts if isinstance(part, str))
    if not isinstance(value, str):
        raise _broken(where, name, "it is not a text", "Write a text, or a list of text parts.")
    return clean(value)


def _word(where: str, row: Mapping[str, Any], field: str) -> str:
    name, value = _find(row, field)
    if isinstance(value, bool | list | dict):
        raise _broken(where, name, "it is not a text", "Write a name or a number.")
    return "" if value is None else clean(str(value))


def _find(row: Mapping[str, Any], field: str) -> tuple[str, Any]:
    """Return the name under which *row* holds *field*, and its value; an empty name where it does not."""
    return next(((name, row[name]) for name in _NAMES[field] if name in row), ("", None))


def _key(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def _broken(where: str, field: str, what: str, remedy: str) -> MalformedDataError:
    return MalformedDataError(f"{where}: field {field}: {what}.", remedy)
