"""The shapes of a BEAM chat and of its questions, as far as they are read, wherever they are written."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from pydantic import BaseModel, JsonValue, TypeAdapter

from memgauge.errors import MalformedDataError
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.datasets.places import FieldPath

Answer = str | int | float | None

ABILITIES: dict[str, str] = {
    "abstention": "ideal_response",
    "contradiction_resolution": "ideal_answer",
    "event_ordering": "answer",
    "information_extraction": "answer",
    "instruction_following": "expected_compliance",
    "knowledge_update": "answer",
    "multi_session_reasoning": "answer",
    "preference_following": "expected_compliance",
    "summarization": "ideal_summary",
    "temporal_reasoning": "answer",
}
"""The field that holds the gold answer, by ability."""


class BeamMessage(BaseModel):
    """One message."""

    role: str
    id: int
    """Counts over the whole chat, but starts anew inside at least one, and with every plan of some."""
    content: str
    time_anchor: str | None = None
    """The only date there is: on the first message of a batch."""


class BatchEntry(BaseModel):
    """What is said in one sitting; a turn upstream is a list of messages."""

    turns: list[list[BeamMessage]]


class ProbeEntry(BaseModel):
    """One question; which of the answer fields is used depends on its ability."""

    question: str
    rubric: list[str] = []
    source_chat_ids: JsonValue = None
    """Absent, a list, lists in a list, or lists by role; see :meth:`sources`."""
    answer: Answer = None
    ideal_answer: Answer = None
    ideal_response: Answer = None
    ideal_summary: Answer = None
    expected_compliance: Answer = None

    def sources(self, role: str | None = None) -> tuple[str, ...]:
        """List every message id that is named, however deep, as written; of one role, where one is asked for."""
        named = self.source_chat_ids
        if role is not None:
            named = named.get(role) if isinstance(named, dict) else None
        return tuple(_leaves(named))


def _leaves(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield str(value)


_PROBES: TypeAdapter[dict[str, list[ProbeEntry]]] = TypeAdapter(dict[str, list[ProbeEntry]])


def probes_of(place: FieldPath, value: object) -> list[tuple[str, ProbeEntry]]:
    """Check the questions of a chat; return them with their abilities, in the order in which they are written.

    Raises:
        MalformedDataError: A field is not what it must be; the message names the place.
    """
    probes = place.checked(_PROBES, value)
    for ability in probes:
        if ability not in ABILITIES:
            raise place.at(ability).wrong("no such ability", f"Known are: {', '.join(ABILITIES)}.")
    return [(ability, probe) for ability, group in probes.items() for probe in group]


def json_or_literal(what: str, content: str) -> object:
    """Read JSON or a Python literal, which may also be the one string of a JSON text; *what* names it in messages.

    Raises:
        MalformedDataError: It is neither.
    """
    try:
        value = json_of(content)
        why = "only a text in it"
    except ValueError as error:
        value, why = content, str(error)
    if not isinstance(value, str):
        return value
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError) as error:
        raise MalformedDataError(
            f"{what} is neither JSON ({why}) nor a Python literal ({error}).", "Fetch it again."
        ) from error
