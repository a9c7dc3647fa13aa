"""Extraction by a language model, behind the same interface as the rules: one turn in, what it states out.

Every reply is kept beside its request in a cassette, so that the same turns are read again for free. Three
variables say how: ``MEMGAUGE_CASSETTE`` names the file (default: ``replies.sqlite`` in the folder of derived
files), ``MEMGAUGE_MODE`` what it is used for (``record``, the default, ``replay``, ``live`` or ``refuse``), and
``MEMGAUGE_MAX_CALLS`` how many calls may be made. A cassette holds the texts of turns: whoever erases a memory has
to delete its cassette too.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError, ModelError
from memgauge.llm.access import Access, SpendingLimits
from memgauge.llm.cassette import Mode
from memgauge.llm.messages import Finish, Request
from memgauge.llm.prompts import open_prompt
from memgauge.llm.provider import open_model
from memgauge.records.statements import ME, Act, Statement
from memgauge.retrieval.embedders import cache_folder
from memgauge.systems.pipeline.slots import slot_of
from memgauge.systems.pipeline.statements import TurnReading
from memgauge.text.jsons import REPLY, object_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.llm.messages import ChatModel
    from memgauge.llm.prompts import Prompt
    from memgauge.records import Turn

CASSETTE, MODE, MAX_CALLS = "MEMGAUGE_CASSETTE", "MEMGAUGE_MODE", "MEMGAUGE_MAX_CALLS"
_FIELDS: Mapping[str, Any] = {
    "slot": {"type": "string"},
    "value": {"type": "string"},
    "subject": {"type": "string"},
    "act": {"type": "string", "enum": [str(act) for act in Act]},
    "functional": {"type": "boolean"},
    "until": {"type": ["string", "null"]},
    "over": {"type": "boolean"},
}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "statements": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": dict(_FIELDS),
                "required": list(_FIELDS),
                "additionalProperties": False,
            },
        },
        "whole": {"type": "boolean"},
    },
    "required": ["statements", "whole"],
    "additionalProperties": False,
}
_KINDS = {"string": str, "boolean": bool}


@dataclass
class ModelExtractor:
    """Reads with *model*; what cannot be read states nothing, and is counted."""

    model: ChatModel
    prompt: Prompt = field(default_factory=lambda: open_prompt("extract-statements"))
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "max_tokens": 800})
    unread: int = 0
    """How many turns got no reply that can be read."""

    @property
    def name(self) -> str:
        """Name the model and the prompt."""
        return f"{self.model.name} {self.prompt.label}"

    def request(self, turn: Turn) -> Request:
        """Ask what one turn states."""
        messages = self.prompt.render(
            date=turn.at.date().isoformat() if turn.at else "unknown", speaker=turn.speaker, turn=turn.text
        )
        return Request(self.model.name, messages, dict(self.parameters), SCHEMA)

    def read(self, turn: Turn) -> TurnReading:
        """Say what *turn* states; only a user states anything, and only what a user says is shown to the model.

        Raises:
            BudgetError: The next call could exceed what was allowed.
            UserError: The model cannot be asked before the user has mended something.
        """
        if turn.role != "user" or not turn.text.strip():
            return TurnReading()
        try:
            reply = self.model.complete(self.request(turn))
        except ModelError:
            reading = None
        else:
            reading = read_reply(reply.text, turn.text) if reply.finish is Finish.STOP else None
        if reading is None:
            self.unread += 1
            return TurnReading()
        return reading


def read_reply(text: str, spoken: str) -> TurnReading | None:
    """Read a reply strictly: one object of the schema, of which every value stands in what was *spoken*."""
    data = object_of(text, REPLY)
    if data is None or set(data) != set(SCHEMA["required"]) or not isinstance(data["whole"], bool):
        return None
    if not isinstance(data["statements"], list):
        return None
    read = [_statement(stated) for stated in data["statements"]]
    if any(statement is None or not _stands_in(statement.value, spoken) for statement in read):
        return None
    statements = tuple(dict.fromkeys(statement for statement in read if statement is not None))
    until = [each.until for each in statements if each.until is not None and not each.over]
    rest = spoken if statements and not data["whole"] else ""
    return TurnReading(statements, max(until) if len(until) == len(statements) > 0 else None, rest)


def _statement(data: Any) -> Statement | None:
    """Read one statement; ``None`` where it is none."""
    if not isinstance(data, dict) or set(data) != set(_FIELDS):
        return None
    given = {name: data[name] for name in _FIELDS if name != "until"}
    if not all(isinstance(value, _KINDS[_FIELDS[name]["type"]]) for name, value in given.items()):
        return None
    try:
        act = Act(data["act"])
        until = None if data["until"] is None else date.fromisoformat(data["until"])
    except (TypeError, ValueError):
        return None
    slot, value, subject = slot_of(data["slot"]), data["value"].strip(), data["subject"].strip()
    if not slot or not subject or bool(value) < (act is Act.HOLD):
        return None
    subject = ME if subject.casefold() == ME else subject
    return Statement(
        slot, "" if act is Act.ERASE else value, subject, act, data["functional"], until, data["over"]
    )


def _stands_in(value: str, spoken: str) -> bool:
    """Whether a value was said, so that nothing is made up."""
    return " ".join(value.casefold().split()) in " ".join(spoken.casefold().split())


def open_model_extractor(name: str) -> ModelExtractor:
    """Open ``provider:name`` as an extractor, behind the cassette that the environment names.

    Keys and packages are looked for at the first call, so that a recorded model replays without either.

    Raises:
        ConfigError: *name* names no model, or a variable does not fit.
    """
    path = Path(os.environ.get(CASSETTE) or cache_folder() / "replies.sqlite")
    mode = os.environ.get(MODE) or Mode.RECORD
    limits = SpendingLimits(max_calls=_limit())
    return ModelExtractor(Access(open_model(name), limits, cassette=path, mode=mode))


def _limit() -> int | None:
    given = os.environ.get(MAX_CALLS)
    if not given:
        return None
    if not given.isdecimal():
        raise ConfigError(f"{MAX_CALLS}={given} is no number of calls.")
    return int(given)
