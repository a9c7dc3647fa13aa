"""Chat exports as conversations, whatever program they come from."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from memgauge.datasets.building.chatgpt import read_chatgpt
from memgauge.datasets.building.claude import read_claude
from memgauge.datasets.building.grouping import group
from memgauge.datasets.building.messages import Export, read_file, read_json
from memgauge.datasets.building.table import heading, names_a_text, read_csv, read_jsonl
from memgauge.errors import ConfigError, DataError, MalformedDataError
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from memgauge.records import Conversation

FORMATS: dict[str, Callable[[Path, str], Export]] = {
    "jsonl": read_jsonl,
    "chatgpt": read_chatgpt,
    "claude": read_claude,
    "csv": read_csv,
}
"""Readers by the name that forces them."""
GAP = timedelta(hours=6)
"""The silence that ends a session where an export knows none."""


@dataclass(frozen=True)
class Chats:
    """What was read from one export."""

    format: str
    gap: timedelta
    conversations: tuple[Conversation, ...]
    left_out: Mapping[str, int]
    """Messages that are not among the turns, by reason."""


def read_chats(path: Path, format: str | None = None, *, gap: timedelta = GAP) -> Chats:  # noqa: A002 - what a user would call it
    """Read an export; its format is known by its content unless it is named.

    One person's export becomes one conversation whose sessions are the export's conversations in time order. Ids
    are made here: neither titles nor ids of the export survive. Times are brought to UTC and lose their offset.

    Raises:
        ConfigError: There is no such format, or the gap is not positive.
        DataError: The file cannot be read, or holds no message; a malformed record is named with its place.
    """
    if gap <= timedelta():
        raise ConfigError(f"The gap between sessions cannot be {gap}.", "Name a number of hours above 0.")
    text = read_file(path)
    chosen = format or detect(path, text)
    if chosen not in FORMATS:
        raise ConfigError(f"There is no format {chosen!r}.", f"There are: {', '.join(FORMATS)}.")
    export = FORMATS[chosen](path, text)
    if not export.messages:
        left = ", ".join(f"{n} {reason}" for reason, n in export.left_out.items())
        raise DataError(
            f"{path} holds no message to use" + (f": {left}." if left else "."),
            f"It was read as {chosen}; name another --layout if it is none, or export more.",
        )
    return Chats(chosen, gap, group(export.messages, gap), export.left_out)


def detect(path: Path, text: str) -> str:
    """Tell the format of *text*, the content of *path*.

    Raises:
        MalformedDataError: It looks like none.
    """
    start = text.lstrip()
    if start.startswith("{") and (name := _first_line(start)):
        return name
    if start.startswith(("[", "{")):
        data = read_json(path, text)
        first = (data[0] if data else {}) if isinstance(data, list) else data
        if name := _by_fields(first):
            return name
    elif names_a_text(heading(text)):
        return "csv"
    what = f"{path} looks like no export that is known here."
    raise MalformedDataError(
        what, f"Name what it is with --layout ({', '.join(FORMATS)}), or write one message a line as JSON."
    )


def _first_line(text: str) -> str:
    """Return the format of JSON lines; empty where the first line is no object of its own."""
    try:
        first = json_of(text.partition("\n")[0])
    except json.JSONDecodeError:
        return ""
    return _by_fields(first) or "jsonl"


def _by_fields(record: object) -> str:
    if isinstance(record, dict) and "mapping" in record:
        return "chatgpt"
    return "claude" if isinstance(record, dict) and "chat_messages" in record else ""
