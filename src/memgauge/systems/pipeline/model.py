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

from memgauge.errors import ConfigError
from memgauge.llm.access import Access, SpendingLimits
from memgauge.llm.asking import Inquiry, ask
from memgauge.llm.cassette import Mode
from memgauge.llm.forms import OneObject
from memgauge.llm.prompts import open_prompt
from memgauge.records.statements import ME, Act, Statement
from memgauge.retrieval.cache import cache_folder
from memgauge.systems.models.writing import open_writer_model
from memgauge.systems.pipeline.slots import slot_of
from memgauge.systems.pipeline.statements import TurnReading

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

    def inquiry(self, turn: Turn) -> Inquiry[TurnReading]:
        """Ask what one turn states."""
        messages = self.prompt.render(
            date=turn.at.date().isoformat() if turn.at else "unknown", speaker=turn.speaker, turn=turn.text
        )
        return Inquiry(messages, form_of(turn.text), self.parameters)

    def read(self, turn: Turn) -> TurnReading:
        """Say what *turn* states; only a user states anything, and only what a user says is shown to the model.

        Raises:
            BudgetError: The next call could exceed what was allowed.
            UserError: The model cannot be asked before the user has mended something.
        """
        if turn.role != "user" or not turn.text.strip():
            return TurnReading()
        reading = ask(self.model, self.inquiry(turn)).value
        if reading is None:
            self.unread += 1
            return TurnReading()
        return reading


def form_of(spoken: str) -> OneObject[TurnReading]:
    """Return how a reply about a turn has to look: of the schema, and every value stands in what was *spoken*."""

    def check(data: dict[str, Any]) -> TurnReading:
        statements = tuple(dict.fromkeys(map(_statement, data["statements"])))
        for statement in statements:
            if not _stands_in(statement.value, spoken):
                raise ValueError(f"{statement.value!r} was not said")
        until = [statement.until for statement in statements if statement.until is not None and not statement.over]
        rest = spoken if statements and not data["whole"] else ""
        return TurnReading(statements, max(until) if len(until) == len(statements) > 0 else None, rest)

    return OneObject(SCHEMA, check)


def _statement(data: Mapping[str, Any]) -> Statement:
    """Make one statement; what it does not name is refused as a :class:`ValueError`."""
    act = Act(data["act"])
    until = None if data["until"] is None else date.fromisoformat(data["until"])
    slot, value, subject = slot_of(data["slot"]), data["value"].strip(), data["subject"].strip()
    if not slot or not subject or bool(value) < (act is Act.HOLD):
        raise ValueError("a statement lacks its slot, subject or value")
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
    return ModelExtractor(Access(open_writer_model(name), limits, cassette=path, mode=mode))


def _limit() -> int | None:
    given = os.environ.get(MAX_CALLS)
    if not given:
        return None
    if not given.isdecimal():
        raise ConfigError(f"{MAX_CALLS}={given} is no number of calls.")
    return int(given)
