"""How much one attempt had written when it asked a question: the order of the journal, which no table keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import RunError
from memgauge.runs.record.files import opened
from memgauge.runs.record.journal import FILE
from memgauge.runs.record.spelling import encode
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from pathlib import Path

_WRITES = ("write", "flush")


def events_before(folder: Path, conversation: str, attempt: int, question: str) -> int | None:
    """Count the writes and flushes of an attempt before it asked *question*.

    They are numbered in the table of writes as they are counted here. ``None`` where the journal, or the question
    in it, is not here.

    Raises:
        RunError: A line of the journal cannot be read.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    marks = tuple(_beginning(table, conversation, attempt) for table in _WRITES)
    asked, before = _beginning("question", conversation, attempt), 0
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if line.startswith(marks):
                before += 1
            elif line.startswith(asked):
                try:
                    if json_of(line)["question"] == question:
                        return before
                except (ValueError, KeyError, TypeError) as error:
                    raise RunError(f"{path}:{number}: no question: {error}.", "Restore it from a copy.") from error
    return None


def _beginning(table: str, conversation: str, attempt: int) -> bytes:
    """Spell how every line of a table begins that is about one attempt."""
    return encode([{"t": table, "conversation": conversation, "attempt": attempt}])[:-2] + b","
