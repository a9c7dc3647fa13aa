"""The shapes of BEAM's two files, as far as they are read."""

from __future__ import annotations

import ast
import json
from itertools import chain
from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, JsonValue, TypeAdapter, ValidationError

from memgauge.datasets.places import json_path
from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


class MessageEntry(BaseModel):
    """One message."""

    role: str
    id: int
    """Counts over the whole chat, but starts anew inside at least one."""
    content: str
    time_anchor: str | None = None
    """The only date there is: on the first message of a batch."""


class BatchEntry(BaseModel):
    """What is said in one sitting; a turn upstream is a list of messages."""

    turns: list[list[MessageEntry]]

    def messages(self) -> Iterator[MessageEntry]:
        """Yield every message in order."""
        for turn in self.turns:
            yield from turn


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

    def sources(self) -> tuple[str, ...]:
        """List every message id that is named, however deep, as written."""
        return tuple(_leaves(self.source_chat_ids))


def _leaves(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield str(value)


def _without_plans(value: object) -> object:
    """Put the batches of every plan in one row: the 10M chats are lists of ``{"plan-1": [batch, …]}``."""
    if not isinstance(value, list):
        return value
    batches: list[object] = []
    for item in value:
        plans = item if isinstance(item, dict) and all(key.startswith("plan") for key in item) else {"": [item]}
        batches += chain.from_iterable(plan for plan in plans.values() if isinstance(plan, list))
    return batches


_CHAT: TypeAdapter[list[BatchEntry]] = TypeAdapter(Annotated[list[BatchEntry], BeforeValidator(_without_plans)])
_PROBES: TypeAdapter[dict[str, list[ProbeEntry]]] = TypeAdapter(dict[str, list[ProbeEntry]])
# The names by which pydantic tells the members of a union apart.
_NOT_IN_THE_FILE = frozenset({"str", "int", "float"})

T = TypeVar("T")


def read_chat(path: Path) -> list[BatchEntry]:
    """Read the batches of a chat.

    Raises:
        MalformedDataError: It is not JSON, or a field is not what it must be; the message names the place.
    """
    try:
        value = json.loads(path.read_bytes())
    except ValueError as error:
        raise MalformedDataError(f"{path} is not JSON: {error}.", "Fetch it again.") from error
    return _checked(path, _CHAT, value)


def read_probes(path: Path) -> list[tuple[str, ProbeEntry]]:
    """Read the questions of a chat with their abilities, in the order of the file.

    Some copies hold a Python literal, bare or as the one string of a JSON file.

    Raises:
        MalformedDataError: It is neither, or a field is not what it must be; the message names the place.
    """
    probes = _checked(path, _PROBES, _probes(path))
    for ability in probes:
        if ability not in ABILITIES:
            raise MalformedDataError(
                f"{path}: field $.{ability}: no such ability.", f"Known are: {', '.join(ABILITIES)}."
            )
    return [(ability, probe) for ability, group in probes.items() for probe in group]


def _probes(path: Path) -> object:
    try:
        content = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise MalformedDataError(f"{path} is not UTF-8: byte {error.start}.", "Fetch it again.") from error
    try:
        value = json.loads(content)
        why = "only a text in it"
    except ValueError as error:
        value, why = content, str(error)
    if not isinstance(value, str):
        return value
    try:
        return ast.literal_eval(value.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError) as error:
        raise MalformedDataError(
            f"{path} is neither JSON ({why}) nor a Python literal ({error}).", "Fetch it again."
        ) from error


def _checked(path: Path, wanted: TypeAdapter[T], value: object) -> T:
    try:
        return wanted.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = json_path(part for part in first["loc"] if part not in _NOT_IN_THE_FILE)
        raise MalformedDataError(
            f"{path}: field {place}: {first['msg']}.", "Fetch it again, or mend that field."
        ) from error
