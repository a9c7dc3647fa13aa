"""Production traces: JSON lines of what was said to a memory, asked of it, and returned by it.

Each line is one object. ``op`` is ``say``, ``ask``, ``erase``, ``maintenance``, ``restart`` or ``reingest``.

| key | of | meaning |
|---|---|---|
| ``user``, ``tenant``, ``agent``, ``session`` | all | whose memory, in which conversation |
| ``confined`` | all | ``true`` where the conversation keeps to itself, so that the scope named it |
| ``at`` | all | when, ISO 8601; earlier than the line before: told late of the past |
| ``text`` | say, ask | the words |
| ``channel`` | say | ``user``, ``assistant``, ``tool``, ``web`` or ``email`` |
| ``sets``, ``adds``, ``removes``, ``was``, ``supposes``, ``plants`` | say | slots to values as in ``text`` |
| ``ends`` | say | slots that have no value any more |
| ``until`` | say | how long it holds: ``3d`` |
| ``about`` | ask | the slot that is asked for |
| ``returned``, ``expected`` | ask | texts that came back; values that should have |
| ``slot`` | erase | what was to be forgotten; without it, everything of the user |

Where nobody has marked what an utterance means, its meaning is guessed: a value of it that some question expected
or returned is the value of that question's slot.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 - pydantic needs it at run time
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.studies.golden.scenario import Channel, Span  # noqa: TC001 - pydantic needs them at run time
from memgauge.text.jsons import json_of
from memgauge.text.untrusted import text_file

if TYPE_CHECKING:
    from pathlib import Path

Operation = Literal["say", "ask", "erase", "maintenance", "restart", "reingest"]


class TraceLine(BaseModel):
    """One line of a trace."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    op: Operation
    user: str
    tenant: str = "default"
    agent: str | None = None
    session: str = "s0"
    confined: bool = False
    at: datetime | None = None
    text: str = ""
    channel: Channel = "user"
    sets: dict[str, str] = {}
    adds: dict[str, str] = {}
    removes: dict[str, str] = {}
    was: dict[str, str] = {}
    supposes: dict[str, str] = {}
    plants: dict[str, str] = {}
    ends: tuple[str, ...] = ()
    until: Span | None = None
    about: str = "topic"
    returned: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    slot: str | None = None


@dataclass(frozen=True)
class RecordedTrace:
    """A trace as it was recorded."""

    lines: tuple[TraceLine, ...]
    sha256: str


def read_trace(path: Path) -> RecordedTrace:
    """Read a trace.

    Raises:
        DataNotFoundError: There is no such file.
        MalformedDataError: A line is none of a trace; the message names it.
    """
    if not path.is_file():
        raise DataNotFoundError(
            f"No trace at {path}.", "A trace is a file of JSON lines; see docs/golden-regression.md."
        )
    raw = path.read_bytes()
    lines = []
    for number, text in enumerate(text_file(path, "A trace is JSON lines.").splitlines(), 1):
        if not text.strip():
            continue
        try:
            line = TraceLine.model_validate(json_of(text))
        except (json.JSONDecodeError, ValidationError) as error:
            raise MalformedDataError(
                f"{path}:{number}: {_first(error)}.", "docs/golden-regression.md says what a line may hold."
            ) from error
        if line.op in {"say", "ask"} and not line.text.strip():
            raise MalformedDataError(f"{path}:{number}: {line.op} without text.", "Write the words as they were.")
        lines.append(line if line.at is None else line.model_copy(update={"at": line.at.replace(tzinfo=None)}))
    if not any(line.op == "ask" for line in lines):
        raise MalformedDataError(f"{path}: nothing is ever asked.", "Record the question that went wrong as well.")
    return RecordedTrace(tuple(lines), sha256(raw).hexdigest())


def _first(error: json.JSONDecodeError | ValidationError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON, {error.msg} at column {error.colno}"
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the line'}: {first['msg']}"
